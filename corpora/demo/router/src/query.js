// Query strings such as `a=1&b=two&a=3`.

/** @param {string} text */
function decode(text) {
  const spaced = text.replaceAll("+", " ");
  return decodeURIComponent(spaced);
}

/**
 * The values of a query string by their names; a name that stands there more than once has a list.
 *
 * @param {string} query
 * @returns {Record<string, string | string[]>}
 */
export function parseQuery(query) {
  const values = {};
  for (const pair of query.replace(/^\?/, "").split("&").filter(Boolean)) {
    const [name, value = ""] = pair.split("=").map(decode);
    values[name] = name in values ? [values[name], value].flat() : value;
  }
  return values;
}
