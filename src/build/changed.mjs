// Decides whether a build step has anything to do: a hash of all its inputs is stored beside its outputs.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Every file under the given files and folders, sorted; names that do not exist are left out. */
export function filesUnder(...folders) {
  const found = [];
  const visit = (path) => {
    if (!existsSync(path)) return;
    if (!statSync(path).isDirectory()) found.push(path);
    else for (const name of readdirSync(path)) visit(join(path, name));
  };
  for (const folder of folders) visit(join(root, folder));
  return found.sort();
}

export function fingerprint(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  return hash.digest("hex");
}

/** Writes beside the target and renames, so that a reader never sees half a file. */
export function writeWhole(path, text) {
  const half = `${path}.${process.pid}.half`;
  writeFileSync(half, text);
  renameSync(half, path);
}

/** True when `stamp` holds this fingerprint and every output is there. */
export function isFresh(stamp, mark, outputs) {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === mark && outputs.every((file) => existsSync(file));
}

/** Builds print to stderr: stdout belongs to the command that started the build (such as `sandbox --json`). */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
