// Tells when a process that runs tests starts another one: what that one calls is not seen.
'use strict';
const { subscribe } = require('node:diagnostics_channel');
const { syncBuiltinESMExports } = require('node:module');

/** Calls a function before each child process and worker. It must be asked for at once: files of tests take these functions before any test runs. */
exports.beforeEach = (started) => {
  subscribe('child_process', started);
  subscribe('worker_threads', started);
  const processes = require('node:child_process');
  for (const name of ['spawnSync', 'execSync', 'execFileSync']) {
    const original = processes[name];
    processes[name] = (...words) => {
      started();
      return original(...words);
    };
  }
  syncBuiltinESMExports();
};
