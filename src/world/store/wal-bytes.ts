// The bytes of a journal in its file: opened, written at a place, ended at a place.
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { explain, OURS_ALONE } from "./store-error.ts";
import { END_LENGTH, endMark, type Place } from "./wal-reader.ts";

export function opened<T>(path: string, flags: "w+" | "r+", use: (fd: number) => T): T {
  let fd: number | undefined;
  try {
    fd = openSync(path, flags, OURS_ALONE);
    return use(fd);
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw explain(`Cannot open ${path}`, error);
  }
}

export function writeAll(fd: number, bytes: Buffer, at: number): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from, bytes.length - from, at + from);
}

/** Cut first, so that a kill in between leaves half a record; and not shorter than the end mark, whose bytes a full disk would not give back. */
export function endAt(fd: number, place: Place): void {
  ftruncateSync(fd, place.length + END_LENGTH);
  writeAll(fd, Buffer.from(endMark(place)), place.length);
}
