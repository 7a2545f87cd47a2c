// Mocha's own reporter, which also says on standard error, signed with this run's number, which tests passed.
'use strict';
const { dirname, resolve } = require('node:path');
const { realpathSync } = require('node:fs');
const { say } = require('./say.cjs');

const Spec = require(resolve(dirname(realpathSync(process.argv[1])), '../lib/reporters/spec.js'));

module.exports = class Witness extends Spec {
  constructor(runner, options) {
    super(runner, options);
    const passed = [];
    runner.on('pass', (test) => passed.push(`${test.file} > ${test.fullTitle()}`));
    runner.on('end', () => say(passed));
  }
};
