// The reporter that mocha would have used, which also reports on standard error, signed with this run's number, which tests passed and failed.
'use strict';
const { dirname, resolve } = require('node:path');
const { existsSync, realpathSync } = require('node:fs');
const { say, told } = require('./say.cjs');

const touched = process.env.GHOSTTAPE_COVERAGE ? require('./touched.cjs') : null;
const entered = process.env.GHOSTTAPE_ENTERED ? require('./entered.cjs') : null;
const only = require.cache[require.resolve('./only.cjs')]?.exports;

/** The reporter that the command names, of mocha's own, of the project's, or of a package; else mocha's default. */
function chosen() {
  const own = resolve(dirname(realpathSync(process.argv[1])), '../lib/reporters');
  const name = globalThis.ghosttapeReporter ?? 'spec';
  const file = [`${own}/${name.toLowerCase()}.js`, resolve(name), resolve(`${name}.js`)].find(existsSync);
  const found = require(file ?? require.resolve(name, { paths: [process.cwd()] }));
  return found.default ?? found;
}

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

module.exports = class Witness extends chosen() {
  constructor(runner, options) {
    super(runner, options);
    const passed = [];
    const failed = [];
    if (only) leaveOut(runner.suite);
    if (entered?.start()) note(runner);
    runner.on('test', (test) => touched?.during(nameOf(test)));
    runner.on('test end', () => touched?.over());
    runner.on('pass', (test) => passed.push(nameOf(test)));
    runner.on('fail', (test) => failed.push(nameOf(test))); // or a hook
    runner.on('end', () => say('mocha', passed, failed));
  }
};
