import { basename, dirname } from "node:path";

import {
  type CancellationToken,
  commands,
  Disposable,
  EventEmitter,
  MarkdownString,
  type QuickPickItem,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeView,
  window,
} from "vscode";

import type { MomentList, MomentView, Row } from "./records";
import type { RunFolders } from "./runs";
import type { MomentPages } from "./showing";
import { type Leaf, type Node, summaryOf, treeOf, verdictOf } from "./tree";

const VIEW = "ghosttape.results";
const PAGES = ["code", "diff", "hole", "log"] as const;

/** Asks the server to carry out a command. */
export type Execute = (command: string, argument: unknown, token?: CancellationToken) => Promise<unknown>;

/** The results of one run: a tree of its moments, each of which opens in editors. */
export class ResultsView implements TreeDataProvider<Node>, Disposable {
  readonly #execute: Execute;
  readonly #pages: MomentPages;
  readonly #runs: RunFolders;
  readonly #changed = new EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #tree: TreeView<Node>;
  readonly #subscriptions: Disposable;
  #folder = "";
  #nodes: readonly Node[] = [];

  constructor(execute: Execute, pages: MomentPages, runs: RunFolders) {
    this.#execute = execute;
    this.#runs = runs;
    this.#pages = pages;
    this.#tree = window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
    const opened = PAGES.map((page) => commands.registerCommand(`ghosttape.results.${page}`, (leaf: Leaf) => this.#open(page, leaf.row.number)));
    this.#subscriptions = Disposable.from(
      this.#tree,
      this.#changed,
      commands.registerCommand("ghosttape.openResults", () => this.choose()),
      commands.registerCommand("ghosttape.results.refresh", () => this.show(this.#folder)),
      ...opened,
    );
  }

  /** Let the person choose a run, and show it. */
  async choose(): Promise<void> {
    const folder = await chosenRun(this.#runs.newestFirst());
    if (folder !== undefined) {
      await this.show(folder);
      await commands.executeCommand(`${VIEW}.focus`);
    }
  }

  /** Show the results of a run. */
  async show(folder: string): Promise<void> {
    if (folder === "") {
      return;
    }
    const list = (await this.#execute("ghosttape.run.moments", { run: folder })) as MomentList;
    this.#folder = folder;
    this.#nodes = treeOf(list);
    this.#tree.message = `${basename(folder)}: ${summaryOf(list)}`;
    this.#changed.fire(undefined);
  }

  /** Open a page of a moment of the run in a folder. */
  async open(page: (typeof PAGES)[number], folder: string, number: number): Promise<void> {
    const view = (await this.#execute("ghosttape.run.moment", { run: folder, number })) as MomentView;
    await this.#pages[page](`${folder}#${String(number)}`, view);
  }

  getChildren(node?: Node): readonly Node[] & Node[] {
    return [...(node === undefined ? this.#nodes : node.kind === "group" ? node.children : [])];
  }

  getTreeItem(node: Node): TreeItem {
    return node.kind === "group" ? groupItem(node) : momentItem(node);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #open(page: (typeof PAGES)[number], number: number): Promise<void> {
    await this.open(page, this.#folder, number);
  }
}

function groupItem(node: Extract<Node, { kind: "group" }>): TreeItem {
  const item = new TreeItem(node.label, TreeItemCollapsibleState.Expanded);
  item.description = String(node.count);
  item.iconPath = new ThemeIcon(node.icon);
  item.contextValue = "group";
  return item;
}

function momentItem(node: Leaf): TreeItem {
  const item = new TreeItem(node.label, TreeItemCollapsibleState.None);
  item.description = node.description;
  item.iconPath = new ThemeIcon(node.icon);
  item.contextValue = "moment";
  item.tooltip = tooltip(node.row);
  item.command = { command: "ghosttape.results.code", title: "Open the Code at the Moment", arguments: [node] };
  return item;
}

function tooltip(row: Row): MarkdownString {
  const shown = new MarkdownString();
  shown.appendText(`${row.ending}${row.ending_reason ? ` (${row.ending_reason})` : ""}, ${verdictOf(row)}\n`);
  shown.appendCodeblock(row.suggestion || "(no suggestion)");
  return shown;
}

/** One of some runs, or any other folder. */
async function chosenRun(found: readonly string[]): Promise<string | undefined> {
  const other: QuickPickItem = { label: "$(folder) Another Folder…" };
  const items = found.map((folder) => ({ label: basename(folder), description: dirname(folder) }));
  const picked = await window.showQuickPick([...items, other], { title: "Results of which run?", matchOnDescription: true });
  if (picked === undefined || picked !== other) {
    return picked && found[items.indexOf(picked as (typeof items)[number])];
  }
  const [folder] = (await window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false, title: "The folder of a run" })) ?? [];
  return folder?.fsPath;
}
