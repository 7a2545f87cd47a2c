// A reporter of vitest: reports on standard error, signed with this run's number, which tests passed and failed.
import { createRequire } from 'node:module';
import { say } from './say.cjs';

const require = createRequire(import.meta.url);
const only = require.cache[require.resolve('./only.cjs')]?.exports;

function* testsOf(tasks, path) {
  for (const task of tasks ?? []) {
    if (task.tasks) yield* testsOf(task.tasks, `${path} > ${task.name}`);
    else yield [`${path} > ${task.name}`, task.result?.state];
  }
}

export default class Witness {
  said = false;

  // Leaves out the files that have none of the tests that are to run.
  onInit({ config }) {
    if (!only) return;
    const Sequencer = config.sequence.sequencer;
    config.sequence.sequencer = class extends Sequencer {
      async sort(files) {
        return super.sort(files.filter((file) => only.holdsNamed(file.moduleId ?? file[1])));
      }
    };
  }

  tell(tests) {
    const named = (...states) => tests.filter(([, state]) => states.includes(state)).map(([name]) => name);
    if (!this.said) say('vitest', named('pass', 'passed'), named('fail', 'failed'));
    this.said = true;
  }

  // Up to vitest 3.
  onFinished(files = []) {
    this.tell(files.flatMap((file) => [...(file.tasks.length ? testsOf(file.tasks, file.name) : [[file.name, file.result?.state]])]));
  }

  // From vitest 3 on.
  onTestRunEnd(modules) {
    const unread = modules.filter((module) => module.errors().length && !module.children.size); // it could not be loaded
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    this.tell([
      ...unread.map((module) => [module.moduleId, 'failed']),
      ...tests.map((test) => [`${test.module.moduleId} > ${test.fullName}`, test.result().state]),
    ]);
  }
}
