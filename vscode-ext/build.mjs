// Bundle the extension into out/extension.js, and the licences of what the bundle contains into out/THIRD-PARTY.txt.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) {
    throw new Error(`${folder} has no licence file: the bundle cannot be given away with ${name} in it`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}

rmSync("out", { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  metafile: true,
  logLevel: "info",
});
const packages = Object.keys(metafile.inputs).flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
writeFileSync("out/THIRD-PARTY.txt", [...new Set(packages)].sort().map(notice).join(`\n${"-".repeat(78)}\n\n`));
