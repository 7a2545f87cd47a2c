import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse, TomlError } from "smol-toml";
import { type Disposable, RelativePattern, workspace } from "vscode";

import { SetupError } from "../../setup/errors";
import { DEFAULT_POLICY, POLICY_SETTING, policyOf } from "./policy";
import type { Policy } from "./tables";

const FILE = "ghosttape.toml";
type Table = Readonly<Record<string, unknown>>;
type Policies = Table;

/** The policy of the setting `ghosttape.policy`. @throws SetupError if it names none, or the folder's file cannot be read. */
export function configuredPolicy(): Policy {
  return policyOf(workspace.getConfiguration("ghosttape").get("policy", DEFAULT_POLICY), ownPolicies());
}

/** The policies of the `ghosttape.toml` of the first folder, by name: none in a folder that is not trusted. @throws SetupError */
export function ownPolicies(): Policies {
  return policiesOf(ownFile());
}

/**
 * What the `ghosttape.toml` of the first folder says of a replay, as the command line takes it there: policies, and how projects are
 * tested. @throws SetupError
 */
export function ownReplayOptions(): { readonly policies: Policies; readonly project_tests?: Table } {
  const text = ownFile();
  const tests = tableOf(text, "tests");
  return { policies: policiesOf(text), ...(tests === undefined ? {} : { project_tests: tests }) };
}

/** The table `policies` of the text of a `ghosttape.toml`. @throws SetupError if it is no TOML. */
export function policiesOf(text: string): Policies {
  return tableOf(text, "policies") ?? {};
}

function ownFile(): string {
  const folder = fileFolder();
  return folder === undefined || !workspace.isTrusted ? "" : textOf(join(folder.uri.fsPath, FILE));
}

function tableOf(text: string, name: string): Table | undefined {
  try {
    const found = parse(text)[name];
    return typeof found === "object" && !Array.isArray(found) ? (found as Table) : undefined;
  } catch (error) {
    if (error instanceof TomlError) {
      throw new SetupError(`${FILE}, line ${String(error.line)}: ${error.message.split("\n", 1)[0] ?? ""}`, POLICY_SETTING);
    }
    throw error;
  }
}

/** Call `changed` when the policies of the folder's file may be others. */
export function watchOwnPolicies(changed: () => void): Disposable {
  const folder = fileFolder();
  const watcher = workspace.createFileSystemWatcher(folder === undefined ? `**/${FILE}` : new RelativePattern(folder, FILE));
  for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
    event(changed);
  }
  return watcher;
}

function fileFolder(): (typeof workspace.workspaceFolders & object)[number] | undefined {
  return workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return "";
    }
    throw new SetupError(`${path} cannot be read: ${String(error)}`, POLICY_SETTING);
  }
}
