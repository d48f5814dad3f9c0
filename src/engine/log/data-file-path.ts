// The path of a data file: a regular file, or a name where one can be made. Anything else would block the process or lose what is written.
import { existsSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder } from "../../platform/make-folder.ts";
import { explain, StoreError } from "./store-error.ts";

/** What may be at a path and is no file, with the rest of the sentence about it. */
const KINDS: readonly [is: (stats: Stats) => boolean, kind: string][] = [
  [(stats) => stats.isDirectory(), "a folder; name a file inside it"],
  [(stats) => stats.isFIFO(), "a named pipe; name a file"],
  [(stats) => stats.isSocket(), "a socket; name a file"],
  [(stats) => stats.isCharacterDevice() || stats.isBlockDevice(), "a device; name a file"],
];

/** The file's one true path, so that two names for it find the same lock; its folder is made when it is missing. */
export function dataFilePath(file: string): string {
  const path = resolve(file);
  try {
    // For the owner only: a data file holds secrets.
    makeFolder(dirname(path), 0o700);
    if (!existsSync(path)) return join(realpathSync(dirname(path)), basename(path));
  } catch (error) {
    throw explain(`Cannot make the folder of ${path}`, error);
  }
  const stats = statSync(path);
  const kind = KINDS.find(([is]) => is(stats))?.[1];
  if (kind) throw new StoreError(`Cannot open ${path}: it is ${kind}`);
  return realpathSync(path);
}
