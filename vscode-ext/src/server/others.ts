/** Of the server's commands those that an accepted suggestion carries: the editor calls them, and they only tell what was accepted. */
const OF_SUGGESTIONS = /^ghosttape\.accepted$/;

/**
 * The language client makes each command of the server one of the window, which other extensions, keys and links can call: there
 * nobody asked the person for leave. This extension's own commands ask, and send their orders past this middleware.
 */
export function refuseOthers(command: string, args: unknown[], next: (command: string, args: unknown[]) => unknown): unknown {
  if (OF_SUGGESTIONS.test(command)) {
    return next(command, args);
  }
  return Promise.reject(new Error(`${command} is no command for others: use the commands of the ghosttape extension, which ask for what they need.`));
}
