// Loaded into every node process of a project's tests (NODE_OPTIONS): has the test runners that cannot be told otherwise
// report to the witnesses too, and run only some tests, by what is added to their command lines.
'use strict';
const { basename, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { isMainThread } = require('node:worker_threads');

const WITNESSES = {
  vitest: { flag: '--reporter', own: 'default', file: 'vitest.mjs' },
  jest: { flag: '--reporters', own: 'default', file: 'jest.cjs' },
  mocha: { flag: '--reporter', own: null, file: 'mocha.cjs' },
};
// An address that vite leaves to node: vite itself reads no file outside of the project.
const asModule = (file) =>
  `data:text/javascript,${encodeURIComponent(`export { default } from ${JSON.stringify(pathToFileURL(file).href)};`)}`;
// No share of covered lines fails a run: it says nothing of a test, and is another one where some of the tests run.
const UNMEASURED = { vitest: '--coverage.enabled=false', jest: '--coverage=false' };
const MEASURES = /^--(coverage|collectCoverage|collect-coverage|coverage\.enabled)(=(true|false))?$/;
const FILTER = `--filter=${join(__dirname, 'jest-filter.cjs')}`;

const { env, argv, execArgv } = process;
const name = basename(argv[1] ?? '').replace(/\.[cm]?js$/, '').replace(/^_mocha$/, 'mocha');
const watched = Boolean(env.GHOSTTAPE_COVERAGE);
// A runner that a test starts reports nothing: its failures are that test's matter.
const isInner = Boolean(env.GHOSTTAPE_RUNNER);

function add(...flags) {
  const end = argv.indexOf('--');
  argv.splice(end < 0 ? argv.length : end, 0, ...flags);
}

if (env.GHOSTTAPE_WITNESS && watched) require('./touched.cjs');
if (env.GHOSTTAPE_WITNESS && env.GHOSTTAPE_ENTERED) {
  const { isQuiet } = require('./entered.cjs');
  if (isMainThread && !isQuiet && env.NODE_TEST_CONTEXT?.startsWith('child')) require('./node-test-hooks.cjs');
}
if (env.GHOSTTAPE_WITNESS && isMainThread && execArgv.includes('--test')) {
  if (env.GHOSTTAPE_ONLY) argv.splice(1, argv.length, ...require('./only.cjs').files());
} else if (env.GHOSTTAPE_WITNESS && isMainThread && !isInner && Object.hasOwn(WITNESSES, name)) {
  env.GHOSTTAPE_RUNNER = name;
  const { flag, own, file } = WITNESSES[name];
  const isReporter = (word) => word === flag || word.startsWith(`${flag}=`) || (name === 'mocha' && word === '-R');
  let chosen = argv.some(isReporter);
  const path = join(__dirname, file);
  const witness = name === 'vitest' ? asModule(path) : path;
  if (Object.hasOwn(UNMEASURED, name)) {
    const given = argv.slice(2);
    const isSaid = (at) => /^(true|false)$/.test(given[at]) && MEASURES.test(given[at - 1] ?? '');
    argv.splice(2, argv.length, ...given.filter((word, at) => !MEASURES.test(word) && !isSaid(at)));
    add(UNMEASURED[name]);
  }
  if (name === 'mocha' && chosen) {
    // It has one reporter only: the witness becomes the chosen one (mocha.cjs).
    const at = argv.findLastIndex(isReporter);
    const [word, value] = argv.splice(at, argv[at].includes('=') ? 1 : 2);
    globalThis.ghosttapeReporter = value ?? word.slice(flag.length + 1);
    chosen = false;
  }
  if (own || !chosen) add(...(chosen || !own ? [] : [`${flag}=${own}`]), `${flag}=${witness}`);
  if (name === 'jest' && watched) add('--runInBand'); // so that its reporter is where the tests are
  if (env.GHOSTTAPE_ONLY) {
    require('./only.cjs');
    if (name === 'jest') add(FILTER);
  }
}
