// Decides whether a build step has anything to do: a hash of all its inputs is stored beside its outputs.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Lists every file in the given files and folders, sorted. Missing names are skipped. */
export function listFiles(...folders) {
  const found = [];
  const visit = (path) => {
    if (!existsSync(path)) return;
    if (!statSync(path).isDirectory()) found.push(path);
    else for (const name of readdirSync(path)) visit(join(path, name));
  };
  for (const folder of folders) visit(join(root, folder));
  return found.sort();
}

export function computeFingerprint(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  return hash.digest("hex");
}

/** Writes a temporary file and renames it, so that a reader never sees half a file. */
export function writeAtomically(path, text) {
  const temporary = `${path}.${process.pid}.half`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** Returns whether `stamp` contains this fingerprint and every output exists. */
export function isFresh(stamp, mark, outputs) {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === mark && outputs.every((file) => existsSync(file));
}

/** Builds print to stderr: stdout belongs to the command that started the build (such as `sandbox --json`). */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
