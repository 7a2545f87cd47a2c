// A reporter of jest: says on standard error, signed with this run's number, which tests passed.
'use strict';
const { say } = require('./say.cjs');

module.exports = class Witness {
  onRunComplete(_contexts, { testResults }) {
    const passed = [];
    for (const { testFilePath, testResults: tests } of testResults) {
      for (const test of tests) if (test.status === 'passed') passed.push(`${testFilePath} > ${test.fullName}`);
    }
    say(passed);
  }
};
