// The bytes of a log file: opened, written at a position, cut at a position.
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { explain, OWNER_ONLY } from "./store-error.ts";
import { END_LENGTH, endMark, type WalPosition } from "./wal-reader.ts";

/** `use` owns the file once it returns; when it throws, the file is closed here. */
export function opened<T>(path: string, flags: "w+" | "r+", use: (fd: number) => T): T {
  let fd: number | undefined;
  try {
    fd = openSync(path, flags, OWNER_ONLY);
    return use(fd);
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw explain(`Cannot open ${path}`, error);
  }
}

/** The system may write less than it is given. */
export function writeAll(fd: number, bytes: Buffer, at: number): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from, bytes.length - from, at + from);
}

/** Cut first, so that a kill in between leaves half a record; and not shorter than the end mark, whose bytes a full disk would not give back. */
export function cutAt(fd: number, end: WalPosition): void {
  ftruncateSync(fd, end.length + END_LENGTH);
  writeAll(fd, Buffer.from(endMark(end)), end.length);
}
