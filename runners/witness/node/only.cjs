// Loaded into the process of a test runner that is to run some tests only. Their names are in a file.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { told } = require('./say.cjs');

const names = new Set(JSON.parse(readFileSync(process.env.GHOSTTAPE_ONLY, 'utf8')));
delete process.env.GHOSTTAPE_ONLY; // for children: a runner that a test starts is not told what to run

/** Whether this test is one of them. */
exports.isNamed = (name) => names.has(told(name));

/** Whether this file has one of them. */
exports.holdsNamed = (path) => [...names].some((name) => name.startsWith(`${told(path)} `));

/** The files of all of them, where a name is a file, a number and more. */
exports.files = () => new Set([...names].map(fileOf));

function fileOf(name) {
  const ends = [...name.matchAll(/ \d+ /g)].map(({ index }) => name.slice(0, index));
  return ends.find(existsSync) ?? name;
}
