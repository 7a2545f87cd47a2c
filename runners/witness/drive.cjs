// Loaded before a program of one file (node --require): says on standard error whether the program came to its end.
// The program's last line calls the function defined here; the end is reached if it was called and the event loop ran dry.
'use strict';
const { readFileSync, unlinkSync, writeSync } = require('node:fs');

/** This run's number; its file is gone before the program begins. A child that loads this finds none. */
function numberOfRun() {
  try {
    const number = readFileSync('.witness', 'ascii').trim();
    unlinkSync('.witness');
    return number;
  } catch {
    return '';
  }
}

const nonce = numberOfRun();
delete process.env.GHOSTTAPE;
delete process.env.GHOSTTAPE_BEGIN;
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

/** The line of the main file that is being executed, 0 if none of it is. */
function lineOf(main) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = undefined;
  Error.stackTraceLimit = 200;
  const stack = String(new Error().stack).split('\n');
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return Number(stack.find((line) => line.includes(main))?.match(/:(\d+):\d+\)?$/)?.[1] ?? 0);
}

/** Puts a function in the place of one of process; it looks like the one that was there. */
function replace(name, make) {
  const original = process[name];
  const { enumerable = false } = Object.getOwnPropertyDescriptor(process, name) ?? {};
  const value = make(original);
  Object.defineProperties(value, { name: { value: original.name }, length: { value: original.length } });
  Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable });
}

function sayStatus(kind, status) {
  const number = Number(status) || 0;
  if (number) say(`${kind} ${number | 0}`);
}

/** Lets the program put a function of its own in the place of process.exit, and says so where that is asked for a failure. Returns what tells whether it still sees to that. */
function watchExit() {
  const ours = process.exit;
  let current = ours;
  const wrapped = new WeakMap();
  const watch = (given) => {
    if (typeof given !== 'function' || given === ours) return given;
    if (!wrapped.has(given)) {
      const value = new Proxy(given, {
        apply(target, self, status) {
          sayStatus('harmless', status[0] ?? process.exitCode);
          return Reflect.apply(target, self, status);
        },
      });
      wrapped.set(given, value).set(value, value);
    }
    return wrapped.get(given);
  };
  const { enumerable } = Object.getOwnPropertyDescriptor(process, 'exit');
  const get = () => current;
  Object.defineProperty(process, 'exit', { get, set: (given) => (current = watch(given)), enumerable, configurable: true });
  return () => Object.getOwnPropertyDescriptor(process, 'exit')?.get === get;
}

const UNCAUGHT = new Set(['uncaughtException', 'unhandledRejection']);

if (nonce) {
  const main = process.argv[1].replace(/\.js$/, '');
  let reached = false;
  let left = -1;
  // By a name that no program has, as it may have a `process` or a `Symbol` of its own.
  Object.defineProperty(globalThis, '__ghosttape_end__', { value: () => (reached = true) });
  // Called by probes, where there are any.
  const ran = new Set();
  const note = (number) => ran.has(number) || (ran.add(number), say(`ran ${number}`));
  Object.defineProperty(globalThis, '__ghosttape_ran__', { value: note });
  replace('exit', (original) => (...status) => {
    left = lineOf(main);
    try {
      return Reflect.apply(original, process, status);
    } finally {
      left = -1; // it is still here: its status was none, or a listener threw
    }
  });
  const isWatched = watchExit();
  replace('reallyExit', (original) => (...status) => {
    say(`exit ${left < 0 ? lineOf(main) : left}`);
    return Reflect.apply(original, process, status);
  });
  replace('setUncaughtExceptionCaptureCallback', (original) => (handler) =>
    Reflect.apply(original, process, [
      typeof handler === 'function'
        ? function (...error) {
            say('caught');
            return Reflect.apply(handler, this, error);
          }
        : handler,
    ]));
  // Not by a listener, which the program could remove; and after those of the program, which may fail.
  replace('emit', (original) => function (...event) {
    if (event[0] === 'exit') sayStatus('meant', event[1]); // before its listeners, which can change it
    if (event[0] === 'exit' && !isWatched()) say('harmless 1');
    // Node's module `domain`, once it is loaded, hides errors from all who listen: perhaps it has.
    if (event[0] === 'exit' && Object.getOwnPropertyDescriptor(process, 'domain')?.get) say('caught');
    const heard = Reflect.apply(original, this, event);
    if (heard && UNCAUGHT.has(event[0])) say('caught');
    if (event[0] === 'exit' && reached && left < 0) say('end');
    return heard;
  });
}
