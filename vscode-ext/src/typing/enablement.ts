/** What the setting `ghosttape.enable` maps languages and globs to. */
export type EnablementTable = Readonly<Record<string, unknown>>;

/** Where a table can stand, from near to far. */
const SCOPES = ["folder", "workspace", "global"] as const;
export type EnablementScope = (typeof SCOPES)[number];

const LANGUAGE = /^[A-Za-z][\w+#-]*$/;

/**
 * Say whether completions are offered in a document. A glob that matches it decides over its language, and that over `*`;
 * of several globs the last. Without any of them, they are.
 */
export function isEnabled(table: EnablementTable, language: string, matches: (glob: string) => boolean): boolean {
  const deciding = decidingGlob(table, matches) ?? [language, "*"].find((key) => key in table);
  return deciding === undefined || table[deciding] !== false;
}

/** The glob that decides in a document, whatever its language is; undefined if none does. */
export function decidingGlob(table: EnablementTable, matches: (glob: string) => boolean): string | undefined {
  return Object.keys(table).filter((key) => key !== "*" && !LANGUAGE.test(key)).findLast((glob) => matches(glob));
}

/** The nearest scope whose own table names a language, which decides over what farther ones say of it; the person's own if none does. */
export function decidingScope(tables: Readonly<Record<EnablementScope, EnablementTable | undefined>>, language: string): EnablementScope {
  return SCOPES.find((scope) => Object.hasOwn(tables[scope] ?? {}, language)) ?? "global";
}
