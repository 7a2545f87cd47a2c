// A reporter of jest: says on standard error, signed with this run's number, which tests passed.
'use strict';
const { say } = require('./say.cjs');

const during = process.env.GHOSTTAPE_COVERAGE ? require('./touched.cjs').during : () => {};

module.exports = class Witness {
  onTestFileStart({ path }) {
    during(path);
  }

  onTestFileResult() {
    during(null);
  }

  onRunComplete(_contexts, { testResults }) {
    const passed = [];
    for (const { testFilePath, testResults: tests } of testResults) {
      for (const test of tests) if (test.status === 'passed') passed.push(`${testFilePath} > ${test.fullName}`);
    }
    say(passed);
  }
};
