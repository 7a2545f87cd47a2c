// Measures how late timers are in the process where extensions run, says whether the proposed API is refused, and completes
// plain text with a constant: what an extension without a server takes.
const { appendFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

const STEP = 10;
const SECOND = 1000;

exports.activate = (context) => {
  const folder = process.env.GHOSTTAPE_PROBE;
  const workspace = vscode.workspace.workspaceFolders?.[0]?.name ?? "none";
  writeFileSync(join(folder, `${workspace}.proposals`), allowsProposals() ? "allowed" : "refused");
  context.subscriptions.push(constant(), delays(join(folder, `${workspace}.delays`)));
};

function constant() {
  const provideInlineCompletionItems = (document, position) => [
    new vscode.InlineCompletionItem("constant", new vscode.Range(position, position)),
  ];
  return vscode.languages.registerInlineCompletionItemProvider({ language: "plaintext" }, { provideInlineCompletionItems });
}

function allowsProposals() {
  try {
    const provider = { provideInlineCompletionItems: () => [], handleDidShowCompletionItem: () => undefined };
    vscode.languages.registerInlineCompletionItemProvider({ language: "none" }, provider, { groupId: "probe" }).dispose();
    return true;
  } catch {
    return false;
  }
}

/** Each second a line: the time (ms), and by how much the latest timer of that second was late (ms). */
function delays(file) {
  let due = performance.now() + STEP;
  let latest = 0;
  let told = due;
  const timer = setInterval(() => {
    const now = performance.now();
    latest = Math.max(latest, now - due);
    due = now + STEP;
    if (now - told >= SECOND) {
      appendFileSync(file, `${JSON.stringify([Date.now(), Math.round(latest)])}\n`);
      [told, latest] = [now, 0];
    }
  }, STEP);
  return { dispose: () => clearInterval(timer) };
}
