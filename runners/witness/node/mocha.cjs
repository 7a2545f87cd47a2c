// Mocha's own reporter, which also says on standard error, signed with this run's number, which tests passed.
'use strict';
const { dirname, resolve } = require('node:path');
const { realpathSync } = require('node:fs');
const { say, told } = require('./say.cjs');

const touched = process.env.GHOSTTAPE_COVERAGE ? require('./touched.cjs') : null;
const entered = process.env.GHOSTTAPE_ENTERED ? require('./entered.cjs') : null;
const only = require.cache[require.resolve('./only.cjs')]?.exports;
const Spec = require(resolve(dirname(realpathSync(process.argv[1])), '../lib/reporters/spec.js'));

const nameOf = (test) => `${test.file} > ${test.fullTitle()}`;

function leaveOut(suite) {
  suite.tests = suite.tests.filter((test) => only.isNamed(nameOf(test)));
  suite.suites.forEach(leaveOut);
}

/** Says which test runs; a hook that is called once counts for all tests of its suite. */
function note(runner) {
  const named = (test) => JSON.stringify([null, told(nameOf(test))]);
  runner.on('test', (test) => entered.begin(test, [named(test)]));
  runner.on('test end', entered.end);
  runner.on('hook', (hook) => {
    const names = [];
    if (hook.title.startsWith('"before all"')) hook.parent.eachTest((test) => names.push(named(test)));
    if (names.length) entered.begin(hook, names);
  });
  runner.on('hook end', entered.end);
}

module.exports = class Witness extends Spec {
  constructor(runner, options) {
    super(runner, options);
    const passed = [];
    if (only) leaveOut(runner.suite);
    if (entered?.start()) note(runner);
    runner.on('test', (test) => touched?.during(nameOf(test)));
    runner.on('test end', () => touched?.over());
    runner.on('pass', (test) => passed.push(nameOf(test)));
    runner.on('end', () => say(passed));
  }
};
