// Reads a file that somebody named, without waiting for ever or filling the memory: regular files only, up to a size.
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

const MB = 1_000_000;

/** Throws an Error whose message goes behind the name of the file. */
export function readBounded(file: string, mostBytes: number): string {
  // A pipe that nobody writes to would block the opening; not all systems know the flag.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error(`it is ${kindOf(stats)}, not a regular file`);
    if (stats.size > mostBytes)
      throw new Error(`it has ${(stats.size / MB).toFixed(1)} MB, and at most ${mostBytes / MB} MB are read`);
    return readFileSync(handle, "utf8");
  } finally {
    closeSync(handle);
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}
