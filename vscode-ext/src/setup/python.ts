import { type Event, extensions, type LogOutputChannel } from "vscode";

import { programFolders } from "./location";

const PYTHON = "ms-python.python";
/** How long the Python extension may take to start and to answer (ms); after that, PATH is searched without it. */
const PATIENCE = 5000;

/** The part of the Python extension's API that is used: the chosen environment (https://github.com/microsoft/vscode-python/wiki). */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(): { readonly path: string };
    resolveEnvironment(path: unknown): Promise<{ readonly executable: { readonly uri?: { readonly fsPath: string } } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: Event<unknown>;
  };
}

/** Folders of programs of the Python environment that is chosen in this window; none without the Python extension, or if it fails. */
export async function environmentFolders(log: LogOutputChannel): Promise<readonly string[]> {
  return (await inTime(logged(log, chosenFolders()))) ?? [];
}

/** Call `then` when another Python environment is chosen. */
export async function onEnvironmentChange(log: LogOutputChannel, then: () => void): Promise<{ dispose(): void } | undefined> {
  return (await logged(log, python()))?.environments.onDidChangeActiveEnvironmentPath(then);
}

/** The Python extension is another's: what fails in it is logged, and the server is looked for without it. */
async function logged<T>(log: LogOutputChannel, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    log.warn(`The Python extension does not tell its environment: ${String(error)}`);
    return undefined;
  }
}

async function chosenFolders(): Promise<readonly string[]> {
  const environments = (await python())?.environments;
  const chosen = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath());
  const interpreter = chosen?.executable.uri?.fsPath;
  return interpreter === undefined ? [] : programFolders(interpreter, process.platform);
}

async function python(): Promise<PythonApi | undefined> {
  const api: unknown = await extensions.getExtension(PYTHON)?.activate();
  return hasEnvironments(api) ? api : undefined;
}

function hasEnvironments(api: unknown): api is PythonApi {
  return typeof api === "object" && api !== null && "environments" in api;
}

async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, PATIENCE);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}
