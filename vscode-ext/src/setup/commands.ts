/** A tool that installs applications of Python, each in an environment of its own. */
export type Installer = "uv" | "pipx";
export const INSTALLERS: readonly Installer[] = ["uv", "pipx"];

/** The name under which the server is installed, where the setting names no other source. */
export const DEFAULT_SOURCE = "ghosttape";

/**
 * The command that installs or updates the server, for any shell: `uv tool install ghosttape`.
 *
 * `source` is a name, a folder or an address. One with characters that a shell reads in its own way is refused (undefined).
 */
export function installCommand(installer: Installer, source: string, update: boolean): string | undefined {
  if (!/^[\w\s.,:/\\@+~=[\]-]+$/.test(source) || source.startsWith("-")) {
    return undefined;
  }
  const target = /[\s[\]]/.test(source) ? `"${source}"` : source;
  const words = installer === "uv" ? ["uv", "tool", "install"] : ["pipx", "install"];
  return [...words, ...(update ? [installer === "uv" ? "--upgrade" : "--force"] : []), target].join(" ");
}
