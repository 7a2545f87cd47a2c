// A reporter of jest: reports on standard error, signed with this run's number, which tests passed and failed.
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
    const named = { passed: [], failed: [] };
    for (const { testFilePath, testResults: tests, testExecError } of testResults) {
      for (const test of tests) named[test.status]?.push(`${testFilePath} > ${test.fullName}`);
      if (testExecError && !tests.length) named.failed.push(testFilePath); // it could not be loaded
    }
    say('jest', named.passed, named.failed);
  }
};
