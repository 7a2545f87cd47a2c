// Loaded into each node process of the run that finds out which tests call which functions (runners/coverage/node.py). There, every
// function of the project begins with a probe, a call with a number; what is called goes into one file, with the tests it was called for.
'use strict';
const { closeSync, openSync, readFileSync, rmSync, writeSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { isMainThread, threadId } = require('node:worker_threads');
const children = require('./children.cjs');
const { packed } = require('./say.cjs');

const UNSEEN = -1;
const LARGEST = 1 << 20;
const QUIET = '-'; // for the children of a test: they are not seen, and it always runs

const { env } = process;
if (env.GHOSTTAPE_COVERAGE === 'new') env.GHOSTTAPE_COVERAGE = join(tmpdir(), `ghosttape-${env.GHOSTTAPE_WITNESS}`);
const file = env.GHOSTTAPE_COVERAGE;
let handle = file === QUIET ? -1 : openSync(file, 'a');
// `node --test` gives each file a process of its own.
const ownFile = isMainThread && handle >= 0 && env.NODE_TEST_CONTEXT?.startsWith('child') ? process.argv[1] : null;
if (ownFile !== null) env.GHOSTTAPE_COVERAGE = QUIET;

let during = ownFile;
let last = null;
let seen = new Set();
const paused = new Map(); // how often a function has begun and not come to its end, by its number

/** The tests for which something is called now: a file of them, or one by its name; null where that is not known. */
function current() {
  return during ?? globalThis.__vitest_worker__?.filepath ?? null;
}

/** One line for each process, tests and number; a process of vitest may hold several files. */
function note(tests, number) {
  const shared = during === null && tests !== null ? `${process.pid} ${threadId}` : '';
  if (shared) env.GHOSTTAPE_COVERAGE = QUIET;
  writeSync(handle, `${JSON.stringify([shared, tests ?? '', number])}\n`);
}

function begin(number) {
  const tests = current();
  if (tests !== last) {
    seen = new Set();
    last = tests;
  }
  if (seen.has(number)) return;
  note(tests, number);
  seen.add(number);
}

/** A function is called; one that pauses says by 1 that it has begun, and by -1, with what it gives, that it is at its end. */
function touch(number, step = 0, value = undefined) {
  if (handle < 0) return value;
  if (step >= 0) begin(number);
  if (step) paused.set(number, (paused.get(number) ?? 0) + step);
  return value;
}

function started() {
  if (handle >= 0 && current() !== null) note(current(), UNSEEN);
}

// By `process`, as every environment of vitest and jest has it.
Object.defineProperty(process, '__ghosttape_touch__', { value: touch });
children.beforeEach(started);

/** Says for which tests all that follows is called, until another call says otherwise; null: for all of them. */
exports.during = (tests) => {
  during = tests;
  env.GHOSTTAPE_COVERAGE = tests === null ? file : QUIET;
};

/** Says that a test is over, and others follow in this process: what it has begun may go on in any of them. */
exports.over = () => {
  for (const [number, count] of paused) if (count) note(null, number);
  exports.during(null);
};

/** What was called for which tests; where files shared a process, and so what they imported, for all. */
function found() {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const filesOf = new Map();
  for (const [shared, tests] of lines) filesOf.set(shared, (filesOf.get(shared) ?? new Set()).add(tests));
  const called = {};
  for (const [shared, tests, number] of lines) {
    const alone = shared === '' || filesOf.get(shared).size === 1;
    (called[alone || number === UNSEEN ? tests : ''] ??= []).push(number);
  }
  return called;
}

/** The word that tells it; none if it is too much, or not for this process to tell. */
exports.word = (told) => {
  if (handle < 0) return '';
  const called = Object.entries(found()).map(([tests, numbers]) => [told(tests), [...new Set(numbers)]]);
  closeSync(handle);
  handle = -1; // for what still goes on
  rmSync(file);
  const word = packed(Object.fromEntries(called));
  return word.length <= LARGEST ? `touched ${word}` : '';
};
