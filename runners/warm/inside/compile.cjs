// A resident tsc: reads orders, one JSON array a line (the words of tsc's command line), and writes one JSON answer a line:
// what tsc would print, its exit status, and the files it would write. Files outside of the project do not change while
// this runs, so they are read and parsed once; everything else is done anew for each order, by tsc's own functions.
'use strict';
const ts = require('/node_modules/typescript');

const PROJECT = '/project/';
const kept = new Map();
const answers = new Map();
let keptFor = '';

/** The question's answer, asked once for a path outside of the project. */
function once(name, ask) {
  return (path, ...more) => {
    if (ts.resolvePath('/project', path).startsWith(PROJECT)) return ask(path, ...more);
    const key = `${name}\0${path}\0${JSON.stringify(more)}`;
    if (!answers.has(key)) answers.set(key, ask(path, ...more));
    return answers.get(key);
  };
}

function hostFor(options) {
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile;
  host.getSourceFile = (path, languageVersion, ...more) => {
    if (path.startsWith(PROJECT) || !path.startsWith('/')) return parse(path, languageVersion, ...more);
    const key = `${path}\0${JSON.stringify(languageVersion)}`;
    if (!kept.has(key)) kept.set(key, parse(path, languageVersion, ...more));
    return kept.get(key);
  };
  for (const name of ['fileExists', 'directoryExists', 'readFile', 'realpath', 'getDirectories', 'readDirectory']) {
    if (host[name]) host[name] = once(name, host[name].bind(host));
  }
  return host;
}

function compile(words) {
  const { options, fileNames, errors } = ts.parseCommandLine(words, (path) => ts.sys.readFile(path));
  if (errors.length > 0 || fileNames.length === 0) throw new Error('this command line is not for a resident compiler');
  const settings = JSON.stringify(options);
  if (settings !== keptFor) {
    kept.clear();
    keptFor = settings;
  }
  const host = hostFor(options);
  const files = {};
  host.writeFile = (path, text) => (files[ts.resolvePath('/project', path)] = text);
  const program = ts.createProgram({ rootNames: fileNames, options, host });
  let text = '';
  const report = (diagnostic) => (text += ts.formatDiagnostic(diagnostic, host));
  const status = ts.emitFilesAndReportErrorsAndGetExitStatus(program, report, (line) => (text += `${line}\n`));
  return { status, text, files };
}

function answer(order) {
  try {
    return compile(JSON.parse(order));
  } catch (error) {
    return { odd: String(error) };
  }
}

require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (order) => process.stdout.write(`${JSON.stringify(answer(order))}\n`));
process.stdout.write('ready\n');
