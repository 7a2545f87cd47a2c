// Patterns such as `/users/:id`.

const PARAMETER = /:(\w+)/;

/** @param {string} text */
function segment(text) {
  const parameter = PARAMETER.exec(text);
  if (parameter) {
    return `(?<${parameter[1]}>[^/]+)`;
  }
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/**
 * Turn a pattern into a function that gives the parameters of a path, or null for a path that does not match.
 *
 * @param {string} pattern
 * @returns {(path: string) => Record<string, string> | null}
 */
export function compile(pattern) {
  const source = pattern.split("/").map(segment).join("/");
  const matcher = new RegExp(`^${source}/?$`);
  return (path) => {
    const match = matcher.exec(path);
    return match && { ...match.groups };
  };
}
