// Loaded into each node process of the run that finds out which functions each test enters (runners/coverage/v8.py). V8 itself counts the
// calls of every function; what it counted is taken before and after each test. The text that it was given must be the file's own.
'use strict';
const { appendFileSync, existsSync, readFileSync, rmSync } = require('node:fs');
const { Session } = require('node:inspector');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const children = require('./children.cjs');
const { packed } = require('./say.cjs');

const LARGEST = 8 << 20;
const OURS = pathToFileURL(__dirname).href;
const QUIET = '-'; // for the children of a test: what they call is not seen

const { env } = process;
if (env.GHOSTTAPE_ENTERED === 'new') env.GHOSTTAPE_ENTERED = join(tmpdir(), `entered-${env.GHOSTTAPE_WITNESS}`);
const file = env.GHOSTTAPE_ENTERED;
const running = new Map(); // the names of tests that run now, by what stands for each
const isQuiet = !file || file === QUIET;
exports.isQuiet = isQuiet;
let session = null;
let outside = null; // for whom calls count that are made while no test runs; null: for none

function post(method, params) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

/** The functions that were called since this was asked last: for each script the places of their texts. */
function taken() {
  const scripts = [];
  for (const { url, functions } of post('Profiler.takePreciseCoverage').result) {
    if (!url.startsWith('file:') || url.includes('/node_modules/') || url.startsWith(OURS)) continue;
    const places = functions.filter((each) => each.ranges[0].count && each.functionName !== '<instance_members_initializer>');
    if (places.length) scripts.push([fileURLToPath(url), places.map(({ ranges: [{ startOffset, endOffset }] }) => [startOffset, endOffset])]);
  }
  return scripts;
}

function note(tests, what) {
  if (tests.length) appendFileSync(file, `${JSON.stringify([tests, what])}\n`);
}

/** Gives what was called until now to those that run. */
function settle() {
  const scripts = taken();
  const tests = running.size ? [...running.values()].flat() : outside;
  if (tests && scripts.length) note(tests, scripts);
}

/** Begins to count, in the process that runs tests. `all`: for whom calls count that are made while no test runs. */
exports.start = (all = null) => {
  if (isQuiet) return false;
  outside = all;
  env.GHOSTTAPE_ENTERED = QUIET;
  session = new Session();
  session.connect();
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('exit', settle);
  return true;
};

function started() {
  note([...running.values()].flat(), null);
}

if (!isQuiet) children.beforeEach(started);

/** Says that a test begins, or a hook of several tests; `key` stands for it. */
exports.begin = (key, tests) => {
  settle();
  running.set(key, tests);
};

/** Says that it is over. */
exports.end = (key) => {
  settle();
  running.delete(key);
};

/** The word that tells all of it; none if nothing was counted, if it is too much, or if it is not for this process to tell. */
exports.word = () => {
  if (session !== null) settle();
  if (isQuiet || !existsSync(file)) return '';
  const found = {};
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [tests, scripts] = JSON.parse(line);
    for (const test of tests) {
      const own = (found[test] ??= { unseen: false, called: {} });
      if (scripts === null) own.unseen = true;
      for (const [path, places] of scripts ?? []) for (const place of places) (own.called[path] ??= {})[place.join()] = place;
    }
  }
  rmSync(file);
  for (const own of Object.values(found)) for (const [path, places] of Object.entries(own.called)) own.called[path] = Object.values(places);
  const word = packed(found);
  return word.length <= LARGEST ? `entered ${word}` : '';
};
