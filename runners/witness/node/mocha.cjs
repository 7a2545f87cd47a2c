// Mocha's own reporter, which also says on standard error, signed with this run's number, which tests passed.
'use strict';
const { dirname, resolve } = require('node:path');
const { realpathSync } = require('node:fs');
const { say } = require('./say.cjs');

const touched = process.env.GHOSTTAPE_COVERAGE ? require('./touched.cjs') : null;
const only = require.cache[require.resolve('./only.cjs')]?.exports;
const Spec = require(resolve(dirname(realpathSync(process.argv[1])), '../lib/reporters/spec.js'));

const nameOf = (test) => `${test.file} > ${test.fullTitle()}`;

function leaveOut(suite) {
  suite.tests = suite.tests.filter((test) => only.isNamed(nameOf(test)));
  suite.suites.forEach(leaveOut);
}

module.exports = class Witness extends Spec {
  constructor(runner, options) {
    super(runner, options);
    const passed = [];
    if (only) leaveOut(runner.suite);
    runner.on('test', (test) => touched?.during(nameOf(test)));
    runner.on('test end', () => touched?.over());
    runner.on('pass', (test) => passed.push(nameOf(test)));
    runner.on('end', () => say(passed));
  }
};
