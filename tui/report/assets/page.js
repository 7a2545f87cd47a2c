"use strict";
// The list of moments, the details of one, and the switch of colours. Every text from the run becomes a text node: nothing of it is ever read as HTML.
const PAGE = 50, PRINTED = 500, UNJUDGED = new Set(["untestable", "infrastructure", "not tested"]);
const at = (id) => document.getElementById(id);
const opened = new Map();
let index, shown = [], first = 0, size = PAGE, current = null;

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(at(id).textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

function made(name, options = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (key === "text") element.textContent = value;
    else if (value !== null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// --- the list -------------------------------------------------------------------------------------------------------------

const [ID, PLACE, TAPE, LANGUAGE, BLOCK, TRUTH] = [0, 1, 2, 3, 4, 5];
const [ENDING, REASON, VERDICT, WHY, LATENCY, REPAIRS, LINE] = [0, 1, 2, 3, 4, 5, 6];
const cells = (row) => row[6].filter((cell) => cell !== null);
const any = (row, part) => cells(row).map((cell) => cell[part]);
const passes = (cell) => cell !== null && cell[VERDICT] === "passed";
const judged = (cell) => cell !== null && !UNJUDGED.has(cell[VERDICT]);

function changed(row) {
  const testable = row[6].filter(judged);
  return testable.length > 1 && testable.some(passes) && !testable.every(passes);
}

function wanted() {
  const chosen = (name) => at("by-" + name)?.value ?? "";
  const text = at("by-text").value.toLowerCase();
  const [ending, verdict, language, tape, change] = ["ending", "verdict", "language", "tape", "change"].map(chosen);
  return (row) =>
    (!ending || any(row, ENDING).includes(ending)) &&
    (!verdict || (verdict === "failures" ? cells(row).some((cell) => judged(cell) && !passes(cell)) : any(row, VERDICT).includes(verdict))) &&
    (!language || row[LANGUAGE] === language) &&
    (!tape || row[TAPE] === tape) &&
    (!change || changed(row)) &&
    (!text || [row[ID], row[PLACE], row[TAPE], row[BLOCK], ...cells(row).flat()].join("\n").toLowerCase().includes(text));
}

const slowest = (row) => Math.max(-1, ...any(row, LATENCY).map((ms) => ms ?? -1));
const ORDERS = {
  tape: null,
  place: (a, b) => a[PLACE].localeCompare(b[PLACE], "en", { numeric: true }),
  verdict: (a, b) => any(a, VERDICT).join().localeCompare(any(b, VERDICT).join()),
  latency: (a, b) => slowest(b) - slowest(a),
  length: (a, b) => b[TRUTH] - a[TRUTH],
};

function select() {
  shown = index.rows.filter(wanted());
  const order = ORDERS[at("by-order").value];
  if (order) shown.sort(order);
  first = 0;
  draw();
}

function kind(cell) {
  return cell === null || !judged(cell) ? "unjudged" : passes(cell) ? "passed" : "failed";
}

const named = (name, reason) => (reason ? `${name} (${reason})` : name);

function drawnRow(row, number) {
  const link = made("a", { href: "#moment=" + encodeURIComponent(row[ID]), text: row[PLACE] });
  const element = made("tr", { "aria-rowindex": number + 2, "aria-current": row[ID] === current ? "true" : null });
  element.append(made("th", { scope: "row", class: "place" }, link), made("td", { class: "block", text: row[BLOCK] }));
  for (const [number, cell] of row[6].entries()) {
    const run = index.runs.length > 1 ? index.labels[number] : null;
    const said = cell ? named(cell[VERDICT], cell[WHY]) : "not in this run";
    element.append(made("td", { class: kind(cell), "data-run": run, text: said }), made("td", { text: cell ? named(cell[ENDING], cell[REASON]) : "" }));
  }
  if (index.runs.length === 1) {
    const [cell] = row[6];
    element.append(
      made("td", { class: "num", text: cell[LATENCY] === null ? "" : Math.round(cell[LATENCY]).toLocaleString("en") + " ms" }),
      made("td", { class: "code", text: cell[LINE] }),
    );
  }
  return element;
}

function draw() {
  const last = Math.min(shown.length, first + size);
  at("rows").replaceChildren(...shown.slice(first, last).map((row, place) => drawnRow(row, first + place)));
  at("list").setAttribute("aria-rowcount", shown.length + 1);
  const of = `${shown.length.toLocaleString("en")} of ${index.rows.length.toLocaleString("en")} moments`;
  at("count").textContent = shown.length ? `${(first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${of}` : `No moment is like that: ${of}`;
  at("earlier").disabled = first === 0;
  at("later").disabled = last >= shown.length;
}

function turn(step) {
  first = Math.min(Math.max(0, first + step * PAGE), Math.max(0, Math.floor((shown.length - 1) / PAGE) * PAGE));
  draw();
}

// --- one moment -----------------------------------------------------------------------------------------------------------

function code(lines, label) {
  const box = made("pre", { tabindex: "0", role: "region", "aria-label": label });
  const classes = { "+": "put", "-": "out", "@": "where" };
  lines.split("\n").forEach((line, place) => {
    if (place) box.append("\n");
    const name = classes[line[0]];
    box.append(name ? made("span", { class: name, text: line }) : line);
  });
  return box;
}

function plain(text, label) {
  return made("pre", { tabindex: "0", role: "region", "aria-label": label, text });
}

function folded(title, ...children) {
  return made("details", {}, made("summary", { text: title }), ...children);
}

function facts(pairs) {
  return made("dl", {}, ...pairs.flatMap(([name, value]) => [made("dt", { text: name }), made("dd", { text: value })]));
}

const NO_DIFFERENCE = "no difference";

function side(run, name, verdict) {
  const element = made("section", { "aria-label": name });
  if (index.runs.length > 1) element.append(made("h4", { text: name }));
  if (run === null) {
    element.append(made("p", { class: "faint", text: "This run has no such moment." }));
    return element;
  }
  element.append(facts([["ending", run.ending], ["verdict", run.verdict], ...run.facts]));
  element.querySelectorAll("dd")[1].className = verdict;
  if (run.note) element.append(made("p", { text: run.note }));
  if (run.text !== undefined) {
    element.append(made("h4", { text: "Suggestion" }), plain(run.text || "(nothing)", "Suggestion"));
    element.append(made("h4", { text: "From what was typed (-) to the suggestion (+)" }), code(run.truth || NO_DIFFERENCE, "Difference from what was typed"));
    if (run.trail.length) {
      element.append(made("h4", { text: "Repairs" }));
      for (const step of run.trail) element.append(folded(step.step + (step.undone ? " (undone: the text had more syntax errors)" : ""), code(step.lines || NO_DIFFERENCE, step.step)));
    }
    if (run.raw) element.append(folded("Raw answer", plain(run.raw, "Raw answer")));
    if (run.prompt) element.append(folded("Prompt", plain(run.prompt, "Prompt")));
  }
  if (run.graft.why) element.append(made("p", { class: "faint", text: run.graft.why }));
  if (run.graft.lines !== undefined) element.append(folded("Graft: from the finished project (-) to what was tested (+)", code(run.graft.lines || "no difference: the graft is the finished project itself", "Graft")));
  if (run.rewritten) element.append(folded("Rewritten: " + run.rewritten.why, code(run.rewritten.lines, "What was rewritten")));
  if (run.message) element.append(made("h4", { text: "The tests say" }), plain(run.message, "Message of the tests"));
  if (run.log) element.append(folded("Test log", plain(run.log, "Test log")));
  if (run.arms.length) element.append(folded("With other repairs", facts(run.arms)));
  return element;
}

async function details(place) {
  let chunk = 0, begin = 0;
  while (place >= begin + index.chunks[chunk]) begin += index.chunks[chunk++];
  if (!opened.has(chunk)) {
    if (opened.size > 8) opened.delete(opened.keys().next().value);
    opened.set(chunk, unpacked("chunk-" + chunk));
  }
  return (await opened.get(chunk))[place - begin];
}

function steps(row) {
  const place = shown.indexOf(row);
  const step = (to, words) => (shown[to] ? made("a", { href: "#moment=" + encodeURIComponent(shown[to][ID]), text: words }) : null);
  return made("p", { class: "steps" }, step(place - 1, "← earlier"), " ", place < 0 ? null : step(place + 1, "later →"), " ", made("a", { href: "#moments", text: "back to the list" }));
}

async function open(id) {
  const place = index.rows.findIndex((row) => row[ID] === id);
  const box = at("moment");
  box.hidden = false;
  current = id;
  if (place < 0) {
    box.replaceChildren(made("h3", { text: "There is no such moment in this report" }), made("p", { text: id }));
    return;
  }
  const row = index.rows[place], found = await details(place);
  if (current !== id) return;
  const around = made("pre", { tabindex: "0", role: "region", "aria-label": "The code around the cursor" }, found.before, made("mark", { text: "▮", title: "the cursor" }), found.after);
  box.replaceChildren(
    made("h3", { tabindex: "-1", text: row[PLACE] }),
    steps(row),
    facts(found.facts),
    made("h4", { text: "At the cursor" }), around,
    made("h4", { text: "What was typed there (the ground truth)" }), plain(found.truth || "(nothing)", "Ground truth"),
    made("div", { class: "sides" }, ...found.runs.map((run, number) => side(run, `${index.labels[number]}: ${index.runs[number]}`, kind(row[6][number])))),
  );
  const there = shown.indexOf(row);
  if (there >= 0) first = Math.floor(there / PAGE) * PAGE;
  draw();
  box.querySelector("h3").focus({ preventScroll: true });
  box.scrollIntoView({ block: "start" });
}

function follow() {
  const found = /^#moment=(.+)$/.exec(location.hash);
  if (found) return open(decodeURIComponent(found[1]));
}

// --- colours, printing, beginning -----------------------------------------------------------------------------------------

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");

function name_theme() {
  at("theme").textContent = theme() === "dark" ? "Light colours" : "Dark colours";
}

at("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
  name_theme();
});
dark.addEventListener("change", name_theme);
name_theme();

addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((each) => (each.open = true));
  if (index) { size = PRINTED; draw(); }
});
addEventListener("afterprint", () => { if (index) { size = PAGE; draw(); } });

function options(name, part, extra = []) {
  const box = at("by-" + name);
  const counts = new Map();
  for (const row of index.rows) for (const value of new Set(part(row))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const found = [...counts].filter(([value]) => value).sort((a, b) => b[1] - a[1]);
  box.append(...extra, ...found.map(([value, count]) => made("option", { value, text: `${value} (${count.toLocaleString("en")})` })));
  box.parentElement.hidden = found.length < 2;
}

async function begin() {
  if (!at("index")) return;
  index = await unpacked("index");
  options("ending", (row) => any(row, ENDING));
  options("verdict", (row) => any(row, VERDICT), [made("option", { value: "failures", text: "failures of the tests" })]);
  options("language", (row) => [row[LANGUAGE]]);
  options("tape", (row) => [row[TAPE]]);
  for (const box of document.querySelectorAll(".filters select")) box.addEventListener("change", select);
  at("by-text").addEventListener("input", select);
  at("earlier").addEventListener("click", () => turn(-1));
  at("later").addEventListener("click", () => turn(1));
  addEventListener("hashchange", follow);
  select();
  await follow();
  document.documentElement.dataset.drawn = Math.round(performance.now());
  document.documentElement.dataset.ready = "true";
}

begin().catch((error) => {
  at("count").textContent = `The list cannot be shown: ${error.message}. A browser from 2023 or later is needed (DecompressionStream).`;
});
