import { compile } from "./pattern.js";

/** The routes of an application, tried in the order in which they were added. */
export class Router {
  constructor() {
    this.routes = [];
  }

  /**
   * @param {string} method
   * @param {string} pattern
   * @param {Function} handler
   */
  add(method, pattern, handler) {
    this.routes.push({ method, handler, match: compile(pattern) });
    return this;
  }

  /**
   * The first route that answers, with its parameters, or null.
   *
   * @param {string} method
   * @param {string} path
   */
  find(method, path) {
    for (const { method: own, handler, match } of this.routes) {
      const params = own === method ? match(path) : null;
      if (params) {
        return { handler, params };
      }
    }
    return null;
  }
}
