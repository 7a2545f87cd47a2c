import { type Event, extensions } from "vscode";

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

/** Folders of programs of the Python environment that is chosen in this window; none without the Python extension. */
export async function environmentFolders(): Promise<readonly string[]> {
  return (await inTime(chosenFolders())) ?? [];
}

/** Call `then` when another Python environment is chosen. */
export async function onEnvironmentChange(then: () => void): Promise<{ dispose(): void } | undefined> {
  return (await python())?.environments.onDidChangeActiveEnvironmentPath(then);
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
