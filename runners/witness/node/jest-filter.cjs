// A filter of jest: leaves out the files that have none of the tests that are to run.
'use strict';
const { realpathSync } = require('node:fs');
const { dirname, resolve } = require('node:path');
const { holdsNamed } = require('./only.cjs');

const { version } = require(resolve(dirname(realpathSync(process.argv[1])), '../package.json'));

module.exports = async (paths) => {
  const chosen = paths.filter(holdsNamed);
  return { filtered: parseInt(version) < 30 ? chosen.map((test) => ({ test })) : chosen };
};
