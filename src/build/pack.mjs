// npm run pack: builds the project and packs the files that users install, as `npm pack` would. The manifest in the package has no scripts,
// because npm warns when it installs a package with scripts, and no fields that only the checkout needs. The files are copied to a temporary
// folder first, so the checkout never changes. An argument names the folder for the package (default: the current folder).
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { buildBundle } from "./bundle.mjs";
import { buildSpec } from "./spec.mjs";
import { root, runIfMain } from "./step.mjs";

const ONLY_IN_CHECKOUT = ["scripts", "devDependencies", "overrides", "allowScripts"];

/** Runs `npm pack` without scripts, because the build has already run. */
function runNpmPack(cwd, ...options) {
  const words = ["pack", "--json", "--ignore-scripts", "--loglevel=error", ...options];
  return JSON.parse(execFileSync("npm", words, { cwd, encoding: "utf8", maxBuffer: 1 << 26 }))[0];
}

/** Returns the path of the package. */
export async function pack(destination) {
  await buildSpec();
  await buildBundle();
  const staging = mkdtempSync(join(tmpdir(), "pack-"));
  try {
    for (const { path } of runNpmPack(root, "--dry-run").files) {
      mkdirSync(dirname(join(staging, path)), { recursive: true });
      copyFileSync(join(root, path), join(staging, path));
    }
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const member of ONLY_IN_CHECKOUT) delete manifest[member];
    writeFileSync(join(staging, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    return join(destination, runNpmPack(staging, "--pack-destination", destination).filename);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

await runIfMain(import.meta.filename, async () => console.log(await pack(resolve(process.argv[2] ?? "."))));
