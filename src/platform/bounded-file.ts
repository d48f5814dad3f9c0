// Reads a text file whose name a user gave. Only a regular file of a bounded size is read, so that it can neither block nor
// fill the process; with a folder, links must not lead out of it.
import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/** The reason why a file can't be read, as the end of a sentence that begins with the file. */
class UnreadableFile extends Error {
  override name = "UnreadableFile";
}

/** Returns the end of a sentence that begins with the file, including the full stop. */
export function explainRead(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof UnreadableFile ? message : `can't be read: ${message.replace(/\.$/, "")}.`;
}

const MIB = 1024 * 1024;

interface ReadOptions {
  /** The limit in bytes. */
  most?: number;
  /** The folder that links must not leave. */
  within?: string;
  /** For files that may not be UTF-8. */
  decode?: (bytes: Buffer) => string;
}

export function readBounded(path: string, { most = 64 * MIB, within, decode = decodeUtf8 }: ReadOptions = {}): string {
  const real = realpathSync(path);
  if (within !== undefined && findOutside(within, real) !== undefined)
    throw new UnreadableFile(`is a link to ${real}, outside of its folder. Put the file itself there.`);
  // The file is opened without waiting, because opening a pipe would block until it has a writer.
  const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) {
      const kind = found.isDirectory() ? "a folder" : "a pipe or a device";
      throw new UnreadableFile(`is ${kind}, not a regular file. Put a file there.`);
    }
    if (found.size > most)
      throw new UnreadableFile(`has ${found.size} bytes, and at most ${most / MIB} MiB are read. Make it smaller.`);
    return decode(readBytes(file, found.size));
  } finally {
    closeSync(file);
  }
}

/**
 * Decodes UTF-8 without the byte order mark of Windows editors. Invalid bytes are rejected, because U+FFFD in their
 * place could go unnoticed.
 */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString().replace(/^\uFEFF/, "");
  const lines = bytes.toString("latin1").split("\n");
  const line = lines.findIndex((each) => !isUtf8(Buffer.from(each, "latin1"))) + 1;
  throw new UnreadableFile(`is not UTF-8, as line ${line} shows. Save it as UTF-8.`);
}

/**
 * Returns the real path if a path leads out of a folder, by itself or through links. Returns undefined if it stays
 * inside.
 */
export function findOutside(folder: string, path: string): string | undefined {
  const real = resolveLinks(resolve(path));
  const way = relative(resolveLinks(resolve(folder)), real);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? real : undefined;
}

/** Systems follow fewer links than this. */
const MOST_LINKS = 40;

/** Returns the file behind all links, even if it does not exist: writing to a link creates its target. */
function resolveLinks(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    // Links in a circle lead nowhere, so outside of any folder.
    if (dirname(path) === path || links > MOST_LINKS) return parse(path).root;
    const folder = resolveLinks(dirname(path), links);
    const here = join(folder, basename(path));
    const target = readLink(here);
    return target === undefined ? here : resolveLinks(resolve(folder, target), links + 1);
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Reads no more than the size that was checked. */
function readBytes(file: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = 1; read > 0 && length < size; length += read)
    read = readSync(file, bytes, length, size - length, null);
  return bytes.subarray(0, length);
}
