import { type Disposable, StatusBarAlignment, type StatusBarItem, ThemeColor, window } from "vscode";

import { describe, type Status } from "./status";

const COLORS = { none: undefined, warning: "statusBarItem.warningBackground", error: "statusBarItem.errorBackground" } as const;

/** The item in the status bar: the model, what the server does, the last latency, the recording light. A click opens the menu. */
export class StatusBar implements Disposable {
  readonly #item: StatusBarItem;
  readonly #light: StatusBarItem;
  #status: Status;

  constructor(status: Status) {
    this.#item = window.createStatusBarItem("ghosttape", StatusBarAlignment.Right, 100);
    this.#item.name = "ghosttape";
    this.#item.command = "ghosttape.menu";
    this.#light = window.createStatusBarItem("ghosttape.recording", StatusBarAlignment.Right, 101);
    this.#light.name = "ghosttape: recording";
    this.#light.color = new ThemeColor("charts.red");
    this.#light.command = "ghosttape.menu";
    this.#status = status;
    this.show({});
    this.#item.show();
  }

  get status(): Status {
    return this.#status;
  }

  /** Show the status with some of its members replaced. */
  show(members: Partial<Status>): void {
    this.#status = { ...this.#status, ...members };
    const { text, tooltip, severity, light } = describe(this.#status);
    const color = COLORS[severity];
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: `ghosttape: ${tooltip}` };
    this.#light.text = light;
    this.#light.tooltip = tooltip;
    if (light === "") {
      this.#light.hide();
    } else {
      this.#light.show();
    }
    this.#item.backgroundColor = color === undefined ? undefined : new ThemeColor(color);
  }

  dispose(): void {
    this.#item.dispose();
    this.#light.dispose();
  }
}
