// npm run pack: builds, and packs what users install into a file, as `npm pack` would, with a manifest for users: without scripts (npm
// warns at an install of a package that has some) and without what only the checkout needs. Packed is a copy in a temporary folder, so the
// checkout stays as it is however this ends. An argument names the folder that gets the file; default: this one.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./changed.mjs";

const ONLY_IN_CHECKOUT = ["scripts", "devDependencies", "overrides", "allowScripts"];

/** No script runs here: what is packed is what the build has made. */
function npmPack(cwd, ...options) {
  const words = ["pack", "--json", "--ignore-scripts", "--loglevel=error", ...options];
  return JSON.parse(execFileSync("npm", words, { cwd, encoding: "utf8", maxBuffer: 1 << 26 }))[0];
}

/** Resolves with the path of the file. */
export async function pack(destination) {
  await import("./prepare.mjs");
  if (process.exitCode) throw new Error("Nothing is packed, since the build has failed.");
  const staging = mkdtempSync(join(tmpdir(), "pack-"));
  try {
    for (const { path } of npmPack(root, "--dry-run").files) {
      mkdirSync(dirname(join(staging, path)), { recursive: true });
      copyFileSync(join(root, path), join(staging, path));
    }
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const member of ONLY_IN_CHECKOUT) delete manifest[member];
    writeFileSync(join(staging, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    return join(destination, npmPack(staging, "--pack-destination", destination).filename);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(await pack(resolve(process.argv[2] ?? ".")));
