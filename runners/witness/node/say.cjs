// How the witnesses speak: a line on standard error, written before anything else can happen.
'use strict';
const { writeSync } = require('node:fs');
const { deflateSync } = require('node:zlib');

const here = `${process.cwd()}/`;

/** A test's name, or a file's, as it is told: relative to the folder in which the runner was started. */
const told = (name) => (name.startsWith(here) ? name.slice(here.length) : name);
exports.told = told;

/** A value, packed: the names of 60,000 tests would take more than the output that a run may write. */
const packed = (value) => deflateSync(JSON.stringify(value)).toString('base64');
exports.packed = packed;

/**
 * What is reported: how many tests passed and failed, and their names; and what they touch, where that is asked for.
 * The names may include suites, which count as no tests.
 */
exports.words = (runner, passed, failed, [passes, failures] = [passed.length, failed.length]) => {
  const { GHOSTTAPE_WITNESS: nonce, GHOSTTAPE_COVERAGE: watched, GHOSTTAPE_ENTERED: counted } = process.env;
  if (!nonce) return '';
  const names = (tests) => packed([...new Set(tests.map(told))].sort());
  const said = [`counts ${passes} ${failures} ${runner}`, `tests ${names(passed)}`, `failing ${names(failed)}`];
  if (watched) said.push(require('./touched.cjs').word(told));
  if (counted) said.push(require('./entered.cjs').word());
  return said.filter(Boolean).map((word) => `\n${nonce} ${word}\n`).join('');
};

exports.say = (...tests) => {
  let line = Buffer.from(exports.words(...tests));
  while (line.length) {
    try {
      line = line.subarray(writeSync(2, line));
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
    }
  }
};
