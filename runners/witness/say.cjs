// How the witnesses speak: a line on standard error, written before anything else can happen.
'use strict';
const { writeSync } = require('node:fs');

const here = `${process.cwd()}/`;

/** What is said of these tests; their files are told relative to the folder in which the runner was started. */
exports.words = (tests) => {
  const nonce = process.env.GHOSTTAPE_WITNESS;
  const names = [...tests].map((name) => (name.startsWith(here) ? name.slice(here.length) : name)).sort();
  return nonce ? `\n${nonce} tests ${JSON.stringify(names)}\n` : '';
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
