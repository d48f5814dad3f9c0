// Reads a text file that somebody named, and is neither held up nor filled by it: only a regular file, of a bounded size, and where a
// folder is given none that a link leads out of it.
import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync, type Stats } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/** What stands in the way, as the end of a sentence that begins with the file. */
class UnreadableFile extends Error {
  override name = "UnreadableFile";
}

/** How a sentence that begins with the file goes on; it ends with a full stop. */
export function explainRead(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof UnreadableFile ? message : `can't be read: ${message.replace(/\.$/, "")}.`;
}

const MIB = 1024 * 1024;

/** `most`: bytes; `within`: the folder that links may not lead out of; `decode`: for files that may be something else than UTF-8. */
export function readBounded(
  path: string,
  {
    most = 64 * MIB,
    within,
    decode = decodeUtf8,
  }: { most?: number; within?: string; decode?: (bytes: Buffer) => string } = {},
): string {
  const real = realpathSync(path);
  if (within !== undefined && findOutside(within, real) !== undefined)
    throw new UnreadableFile(`is a link to ${real}, outside of its folder. Put the file itself there.`);
  // Without waiting: a pipe would be opened only when somebody writes to it.
  const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new UnreadableFile(`is ${getKind(found)}, not a regular file. Put a file there.`);
    if (found.size > most)
      throw new UnreadableFile(`has ${found.size} bytes, and at most ${most / MIB} MiB are read. Make it smaller.`);
    return decode(readBytes(file, found.size));
  } finally {
    closeSync(file);
  }
}

/** Without the byte order mark that editors of Windows write. Letters that are none would come out as U+FFFD, and nobody would notice. */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString().replace(/^\uFEFF/, "");
  const lines = bytes.toString("latin1").split("\n");
  const line = lines.findIndex((each) => !isUtf8(Buffer.from(each, "latin1"))) + 1;
  throw new UnreadableFile(`is not UTF-8, as line ${line} shows. Save it as UTF-8.`);
}

/** Where a path leads that does not stay in a folder, through its links or by itself; undefined where it stays. */
export function findOutside(folder: string, path: string): string | undefined {
  const real = endOf(resolve(path));
  const way = relative(endOf(resolve(folder)), real);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? real : undefined;
}

/** More than a system follows. */
const MOST_LINKS = 40;

/** The file behind all links, also where it is not there yet: writing to a link makes what it points to. */
function endOf(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    // Links in a circle end nowhere, so in no folder.
    if (dirname(path) === path || links > MOST_LINKS) return parse(path).root;
    const folder = endOf(dirname(path), links);
    const here = join(folder, basename(path));
    const target = linkAt(here);
    return target === undefined ? here : endOf(resolve(folder, target), links + 1);
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** No more than it had when it was looked at. */
function readBytes(file: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = 1; read > 0 && length < size; length += read)
    read = readSync(file, bytes, length, size - length, null);
  return bytes.subarray(0, length);
}

function getKind(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}
