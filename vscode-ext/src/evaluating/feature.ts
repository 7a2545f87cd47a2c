import { basename } from "node:path";

import { commands, Disposable, type ExtensionContext, languages, type TextDocument, window, workspace } from "vscode";
import { ResponseError } from "vscode-languageclient/node";

import type { MomentList, MomentRecord } from "../results/records";
import type { RunFolders } from "../results/runs";
import { NEEDS_TRUST, type Turn } from "../results/turn";
import type { Execute, ResultsView } from "../results/view";
import { causeOf } from "../setup/errors";
import { DOCUMENTS } from "../typing/languages";
import { type Evaluation, Gutter } from "./gutter";
import { EvaluatedRecords, keyOf, runOf } from "./marks";

interface Summary {
  readonly run: string;
  readonly left_out?: readonly { readonly reason: string }[];
}

/** *Evaluate This File*: asks about its functions, runs the tests of its project, and shows the verdicts beside the lines. */
export class Evaluating {
  readonly #execute: Execute;
  readonly #turn: Turn;
  readonly #results: ResultsView;
  readonly #runs: RunFolders;
  readonly #gutter: Gutter;
  #running: Evaluation | undefined;

  constructor(context: ExtensionContext, execute: Execute, turn: Turn, results: ResultsView, runs: RunFolders) {
    this.#execute = execute;
    this.#turn = turn;
    this.#results = results;
    this.#runs = runs;
    this.#gutter = new Gutter(context.extensionUri);
    context.subscriptions.push(this.#gutter, ...this.#commands(), ...this.#events());
  }

  /** Take a record that the server tells of. */
  take(record: MomentRecord, isJudged: boolean): void {
    const running = this.#running;
    if (running?.path.endsWith(`/${record.moment.path}`) === true) {
      running.records.take(record, isJudged);
      this.#gutter.show(running);
    }
  }

  #commands(): readonly Disposable[] {
    return [
      languages.registerCodeLensProvider(DOCUMENTS, this.#gutter),
      commands.registerCommand("ghosttape.evaluate", () => this.#evaluate(window.activeTextEditor?.document)),
      commands.registerCommand("ghosttape.evaluate.again", (uri: string, line: number) =>
        this.#evaluate(workspace.textDocuments.find((document) => document.uri.toString() === uri), [line]),
      ),
      commands.registerCommand("ghosttape.evaluate.details", (uri: string, line: number) => this.#details(uri, line)),
      commands.registerCommand("ghosttape.evaluate.page", (page: "code", run: string, number: number) => this.#results.open(page, run, number)),
    ];
  }

  #events(): readonly Disposable[] {
    return [
      window.onDidChangeVisibleTextEditors(() => { this.#gutter.draw(); }),
      workspace.onDidCloseTextDocument((document) => { this.#gutter.remove(document.uri.toString()); }), // it may be another text when it is opened again
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          this.#gutter.remove(document.uri.toString());
        }
      }),
    ];
  }

  async #details(uri: string, line: number): Promise<void> {
    const evaluation = this.#gutter.of(uri);
    const run = evaluation && runOf(evaluation, line);
    if (run !== undefined) {
      await this.#results.show(run);
      await commands.executeCommand("ghosttape.results.focus");
    }
  }

  async #evaluate(document: TextDocument | undefined, lines: readonly number[] = []): Promise<void> {
    const folder = document && workspace.getWorkspaceFolder(document.uri);
    const reason = this.#turn.refusal() ?? refusal(document, folder !== undefined);
    if (reason !== undefined || document === undefined || folder === undefined) {
      await window.showInformationMessage(reason ?? "Open a file to evaluate.");
      return;
    }
    const uri = document.uri.toString();
    const known = lines.length > 0 ? this.#gutter.of(uri) : undefined;
    const evaluation: Evaluation = known ?? { uri, path: document.uri.path, records: new EvaluatedRecords(), isOutdated: false, places: new Map() };
    evaluation.records.forget(lines);
    const end = this.#turn.begin("evaluation");
    this.#running = evaluation;
    this.#gutter.show(evaluation);
    try {
      const out = this.#runs.ofProject(folder.uri.fsPath, `evaluate-${basename(document.uri.path)}`);
      const order = { path: document.uri.fsPath, folder: folder.uri.fsPath, text: document.getText(), lines, out };
      await this.#order(evaluation, order);
    } finally {
      end();
      this.#running = undefined;
      evaluation.records.end();
      this.#gutter.show(evaluation);
    }
  }

  async #order(evaluation: Evaluation, order: object): Promise<void> {
    const summary = await this.#withLeave(order);
    if (summary === undefined) {
      return;
    }
    const [left] = summary.left_out ?? [];
    if (left !== undefined) {
      void window.showWarningMessage(`Nothing was asked: ${left.reason}`);
    }
    const list = (await this.#execute("ghosttape.run.moments", { run: summary.run })) as MomentList;
    const places = list.moments.map((row) => [keyOf(row), { run: summary.run, number: row.number }] as const);
    evaluation.places = new Map([...evaluation.places, ...places]);
    await this.#results.show(summary.run);
  }

  /** Order an evaluation; where a set-up wants the network, ask for leave. Undefined if nothing came of it, which was said. */
  async #withLeave(order: object): Promise<Summary | undefined> {
    try {
      return (await this.#execute("ghosttape.evaluateFile", order)) as Summary;
    } catch (error) {
      const said = causeOf(error);
      const data: unknown = error instanceof ResponseError ? error.data : undefined;
      if (typeof data === "object" && data !== null && "needsNetwork" in data && (await allowsNetwork(said))) {
        return await this.#withLeave({ ...order, network: true });
      }
      if (!said.includes("was cancelled")) {
        void window.showErrorMessage(`This file cannot be evaluated: ${said}`);
      }
      return undefined;
    }
  }
}

async function allowsNetwork(reason: string): Promise<boolean> {
  const question = "The set-up of this project wants the network. Allow it?";
  const detail = `${reason}\n\nThe project's own set-up commands then run with the network, in the sandbox. Tests never have it. Allow it only if you trust this project.`;
  return (await window.showWarningMessage(question, { modal: true, detail }, "Allow")) === "Allow";
}

/** Why a document cannot be evaluated now; undefined if it can. */
function refusal(document: TextDocument | undefined, isInFolder: boolean): string | undefined {
  if (document === undefined || languages.match(DOCUMENTS, document) === 0 || document.uri.scheme !== "file") {
    return "Open a file of code to evaluate.";
  }
  if (!workspace.isTrusted) {
    return NEEDS_TRUST;
  }
  return isInFolder ? undefined : "Open the folder of the project: its tests are run.";
}
