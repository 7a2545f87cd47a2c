// How the witnesses speak: a line on standard error, written before anything else can happen.
'use strict';
const { writeSync } = require('node:fs');

const here = `${process.cwd()}/`;

/** A test's name, or a file's, as it is told: relative to the folder in which the runner was started. */
const told = (name) => (name.startsWith(here) ? name.slice(here.length) : name);
exports.told = told;

/** What is said of these tests; and of what they touch, where that is asked for. */
exports.words = (tests) => {
  const { GHOSTTAPE_WITNESS: nonce, GHOSTTAPE_COVERAGE: watched } = process.env;
  if (!nonce) return '';
  const said = [`tests ${JSON.stringify([...tests].map(told).sort())}`];
  if (watched) said.push(require('./touched.cjs').word(told));
  return said.filter(Boolean).map((word) => `\n${nonce} ${word}\n`).join('');
};

exports.say = (tests) => {
  let line = Buffer.from(exports.words(tests));
  while (line.length) {
    try {
      line = line.subarray(writeSync(2, line));
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
    }
  }
};
