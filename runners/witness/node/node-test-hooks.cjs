// Loaded into each process of `node --test` that runs a file: says which of its tests runs (entered.cjs). Hooks of the outermost level are
// called for the tests of all levels.
'use strict';
const { afterEach, beforeEach } = require('node:test');
const { begin, end, start } = require('./entered.cjs');
const { told } = require('./say.cjs');

const file = told(process.argv[1]);
const BETWEEN = ' > ';

/** The names of a test, and of those that it lies in; a name that holds the mark between them stands for more. */
const namesOf = ({ name, fullName = name }) => [...new Set([name, ...fullName.split(BETWEEN)])];

// What a file calls while none of its tests runs (at its beginning, in hooks of suites) counts for all of them.
if (start([JSON.stringify([file, null])])) {
  beforeEach((test) => begin(test, namesOf(test).map((name) => JSON.stringify([file, name]))));
  afterEach(end);
}
