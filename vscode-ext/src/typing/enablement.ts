/** What the setting `ghosttape.enable` maps languages and globs to. */
export type EnablementTable = Readonly<Record<string, unknown>>;

const LANGUAGE = /^[A-Za-z][\w+#-]*$/;

/**
 * Say whether completions are offered in a document. A glob that matches it decides over its language, and that over `*`;
 * of several globs the last. Without any of them, they are.
 */
export function isEnabled(table: EnablementTable, language: string, matches: (glob: string) => boolean): boolean {
  const globs = Object.keys(table).filter((key) => key !== "*" && !LANGUAGE.test(key));
  const deciding = globs.findLast((glob) => matches(glob)) ?? [language, "*"].find((key) => key in table);
  return deciding === undefined || table[deciding] !== false;
}
