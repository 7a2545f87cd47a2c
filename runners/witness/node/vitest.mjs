// A reporter of vitest: says on standard error, signed with this run's number, which tests passed.
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
    if (!this.said) say([...tests].filter(([, state]) => state === 'pass' || state === 'passed').map(([name]) => name));
    this.said = true;
  }

  // Up to vitest 3.
  onFinished(files = []) {
    this.tell(files.flatMap((file) => [...testsOf(file.tasks, file.name)]));
  }

  // From vitest 3 on.
  onTestRunEnd(modules) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    this.tell(tests.map((test) => [`${test.module.moduleId} > ${test.fullName}`, test.result().state]));
  }
}
