// Reads a text file that somebody named, and is neither held up nor filled by it: only a regular file, of a bounded size, and where a
// folder is given none that a link leads out of it.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from "node:fs";
import { sep } from "node:path";

/** What stands in the way, as the end of a sentence that begins with the file. */
export class UnreadableFile extends Error {
  override name = "UnreadableFile";
}

const MIB = 1024 * 1024;

/** `most`: bytes; `within`: the folder that links may not lead out of. */
export function readBounded(
  path: string,
  { most = 64 * MIB, within }: { most?: number; within?: string } = {},
): string {
  const real = realpathSync(path);
  if (within !== undefined && !real.startsWith(realpathSync(within) + sep))
    throw new UnreadableFile(`is a link to ${real}, outside of its folder. Put the file itself there.`);
  // Without waiting: a pipe would be opened only when somebody writes to it.
  const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new UnreadableFile(`is ${kindOf(found)}, not a regular file. Put a file there.`);
    if (found.size > most)
      throw new UnreadableFile(`has ${found.size} bytes, and at most ${most / MIB} MiB are read. Make it smaller.`);
    return textOf(file, found.size);
  } finally {
    closeSync(file);
  }
}

/** No more than it had when it was looked at. */
function textOf(file: number, size: number): string {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = 1; read > 0 && length < size; length += read)
    read = readSync(file, bytes, length, size - length, null);
  return bytes.toString("utf8", 0, length);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}
