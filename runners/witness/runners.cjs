// Loaded into every node process of a project's tests (NODE_OPTIONS): has the test runners that cannot be told otherwise
// report to the witnesses too, by what is added to their command lines.
'use strict';
const { basename, join } = require('node:path');

const WITNESSES = {
  vitest: { flag: '--reporter', own: 'default', file: 'vitest.mjs' },
  jest: { flag: '--reporters', own: 'default', file: 'jest.cjs' },
  mocha: { flag: '--reporter', own: null, file: 'mocha.cjs' },
};

const name = basename(process.argv[1] ?? '').replace(/\.[cm]?js$/, '').replace(/^_mocha$/, 'mocha');
if (process.env.GHOSTTAPE_WITNESS && Object.hasOwn(WITNESSES, name)) {
  const { flag, own, file } = WITNESSES[name];
  const chosen = process.argv.some((word) => word === flag || word.startsWith(`${flag}=`));
  if (own || !chosen) {
    const end = process.argv.indexOf('--');
    const flags = [...(chosen || !own ? [] : [`${flag}=${own}`]), `${flag}=${join(__dirname, file)}`];
    process.argv.splice(end < 0 ? process.argv.length : end, 0, ...flags);
  }
}
