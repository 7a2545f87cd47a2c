/** Language identifiers the extension works in: other documents are never sent to the server. */
export const LANGUAGES = [
  "c",
  "cpp",
  "csharp",
  "go",
  "java",
  "javascript",
  "javascriptreact",
  "python",
  "ruby",
  "rust",
  "typescript",
  "typescriptreact",
] as const;

export const DOCUMENTS = LANGUAGES.flatMap((language) => [
  { scheme: "file", language },
  { scheme: "untitled", language },
]);
