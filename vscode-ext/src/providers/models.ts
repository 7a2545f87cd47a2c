import type { Provider } from "./options";

/** How long a model server may take to list its models (ms). */
const PATIENCE = 1500;
/** The providers whose servers list models, with the route, where they listen, and where the names stand in the answer. */
const LISTS: Readonly<Record<string, { readonly route: string; readonly home?: string; names(answer: unknown): unknown[] }>> = {
  openai: { route: "/models", names: (answer) => members(answer, "data", "id") },
  ollama: { route: "/api/tags", home: "http://127.0.0.1:11434", names: (answer) => members(answer, "models", "name") },
};

/** Reads a JSON document; `fetch` made short. */
export type ReadJson = (url: string, signal: AbortSignal) => Promise<unknown>;

/** The same provider with each model that its server has; nothing where the server does not answer in time, or wants a key. */
export async function modelsOf(provider: Provider, read: ReadJson = readJson): Promise<readonly Provider[]> {
  const list = LISTS[String(provider["name"])];
  const base = provider["base_url"] ?? list?.home;
  if (list === undefined || typeof base !== "string" || base === "") {
    return [];
  }
  try {
    const answer = await read(base.replace(/\/+$/, "") + list.route, AbortSignal.timeout(PATIENCE));
    return list.names(answer).flatMap((model) => (typeof model === "string" ? [{ ...provider, model }] : []));
  } catch {
    return []; // a server that is not there has no models to choose
  }
}

async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal });
  return response.ok ? response.json() : undefined;
}

function members(answer: unknown, list: string, name: string): unknown[] {
  const found: unknown = isRecord(answer) ? answer[list] : undefined;
  return Array.isArray(found) ? found.map((each: unknown) => (isRecord(each) ? each[name] : undefined)) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
