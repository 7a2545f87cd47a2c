// Loaded before a program of one file (node --require): says on standard error whether the program came to its end.
// The program's last line is the event "ghosttape:end"; the end is reached if it was sent and the event loop ran dry.
'use strict';
const { writeSync } = require('node:fs');

const nonce = process.env.GHOSTTAPE_WITNESS;
delete process.env.GHOSTTAPE_WITNESS;
delete process.env.GHOSTTAPE;
process.execArgv.length = 0; // for children: they are not the program

function say(word) {
  const line = Buffer.from(`\n${nonce} ${word}\n`);
  for (;;) {
    try {
      writeSync(2, line);
      return;
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
    }
  }
}

/** The line of the main file that called process.exit, 0 if another file did, -1 if nothing did. */
function leftAt() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = undefined;
  Error.stackTraceLimit = 200;
  const stack = String(new Error().stack).split('\n');
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  const exit = stack.findIndex((line) => / process\.(?:exit|reallyExit) /.test(line));
  if (exit < 0) return -1;
  const main = process.argv[1].replace(/\.js$/, '');
  const site = stack.slice(exit).find((line) => line.includes(main));
  return Number(site?.match(/:(\d+):\d+\)?$/)?.[1] ?? 0);
}

if (nonce) {
  let reached = false;
  process.once('ghosttape:end', () => (reached = true));
  process.prependListener('exit', (code) => {
    const line = leftAt();
    if (code === 0 && line >= 0) say(`exit ${line}`);
    else if (reached && line < 0) say('end');
  });
}
