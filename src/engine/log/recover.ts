// Reads the worlds of the snapshot, then the entries of the log, which continue it. Both files are read completely before either is changed, so
// damaged files stay unchanged.
import fs from "node:fs";
import { decodeLine, type Entry, isOfWorld, parseEntry, type StoredEntry } from "./entry.ts";
import type { FileEnd } from "./file.ts";
import type { ActivityLog } from "./log.ts";
import type { Snapshot, StoredWorlds } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";

interface Recovered {
  readonly worlds: StoredWorlds;
  readonly warnings: readonly string[];
  readonly end: FileEnd;
  /** The last entry that changed something. */
  readonly lastChange: number;
}

const CHUNK_BYTES = 4 * 1024 * 1024;
const NEWLINE = 10;

/** Reads both files and changes neither. Throws a StoreError with the number of a damaged or missing entry. */
export function recover(path: string, { seq, worlds }: Snapshot, log: ActivityLog): Recovered {
  const file = `${path}.log`;
  const reader = new LogReader({ file, snapshotSeq: seq, worlds, log });
  const warnings: string[] = [];
  let length = 0;
  const { isThere, rest } = readLines(file, (line) => {
    reader.read(line.toString());
    length += line.length + 1;
  });
  if (rest.trim() !== "")
    warnings.push(
      `${file} ended in half a line after entry ${reader.previous ?? seq}, as after a crash; its last ${rest.length} bytes were cut off, all else is kept`,
    );
  reader.end(path);
  if (!isThere && seq > 0)
    warnings.push(`${file} is missing: the history up to entry ${seq} is gone, the data is complete`);
  log.continueAfter(seq);
  // A snapshot without its world remains from a removed world, or from a bulk change that a kill ended.
  for (const id of worlds.keys()) if (id.includes("@") && !worlds.has(id.slice(0, id.indexOf("@")))) worlds.delete(id);
  return { worlds, warnings, end: { length, seq: reader.previous ?? seq }, lastChange: reader.lastChange };
}

interface LogReading {
  readonly file: string;
  /** The last entry that `worlds` include. */
  readonly snapshotSeq: number;
  readonly worlds: StoredWorlds;
  readonly log: ActivityLog;
}

class LogReader {
  readonly #reading: LogReading;
  #mark = 0;
  previous: number | undefined;
  lastChange = 0;

  constructor(reading: LogReading) {
    this.#reading = reading;
  }

  read(line: string): void {
    const found = decodeLine(line);
    if (!found)
      throw this.#damage(`is damaged: the entry after ${this.previous ?? "its beginning"} does not match its checksum`);
    if ("entry" in found) this.#readEntry(found.entry, found.previous);
    else {
      this.#mark = found.mark;
      // Parts before the mark may be missing, because the snapshot includes their changes. Reads after the snapshot's entry may precede the mark.
      this.previous = Math.max(this.previous ?? 0, found.mark);
    }
  }

  #readEntry(entry: StoredEntry, previous: number): void {
    const { snapshotSeq, log } = this.#reading;
    const isNext = this.previous === undefined ? previous <= snapshotSeq : previous === this.previous;
    if (!isNext)
      throw this.#damage(
        `is damaged: entry ${(this.previous ?? snapshotSeq) + 1} is missing, entry ${entry.seq} is in its place`,
      );
    this.previous = entry.seq;
    if (entry.effect === "part") log.continueAfter(entry.seq);
    else log.load(entry);
    if (entry.effect === "none") return;
    this.lastChange = entry.seq;
    if (entry.seq > snapshotSeq) this.#apply(entry);
  }

  /** Checks that the log and the snapshot belong together, once the complete log is read. */
  end(path: string): void {
    const { snapshotSeq } = this.#reading;
    if (this.#mark > snapshotSeq)
      throw this.#damage(
        `belongs to a newer copy of ${path}, which held entry ${this.#mark}. To start from the older copy, delete the log`,
      );
    if (this.previous !== undefined && this.previous < snapshotSeq)
      throw this.#damage(
        `ends at entry ${this.previous}, and ${path} holds entry ${snapshotSeq}: one of them is from another copy`,
      );
  }

  #apply(entry: StoredEntry): void {
    try {
      applyEntry(this.#reading.worlds, parseEntry(entry));
    } catch (reason) {
      throw this.#damage(`can't be read: entry ${entry.seq} ${(reason as Error).message}`);
    }
  }

  #damage(why: string): StoreError {
    return new StoreError(
      `${this.#reading.file} ${why}. Nothing was changed. Put both files back from one copy; or move the log away to start with what the data file holds; or start with {option fresh} to replace both`,
    );
  }
}

export function applyEntry(worlds: StoredWorlds, { world, replaced, changes = [] }: Entry): void {
  if (replaced === "gone") {
    // The named snapshots of a world are removed with it.
    for (const id of worlds.keys()) if (isOfWorld(id, world)) worlds.delete(id);
    return;
  }
  if (replaced) {
    const from = replaced.from === null ? new Map() : worlds.get(replaced.from);
    if (!from) throw new Error(`refers to the world ${replaced.from}, which is missing`);
    worlds.set(world, new Map(Array.from(from, ([name, records]) => [name, new Map(records)])));
  }
  const collections = worlds.get(world);
  // A delivery may end after its world was removed.
  if (!collections) return;
  for (const { collection, id, after } of changes) {
    const records = collections.get(collection) ?? new Map();
    collections.set(collection, records);
    if (after) records.set(id, after);
    else records.delete(id);
  }
}

/** Calls `use` with each line, without its line feed. Returns the text after the last line feed. */
function readLines(file: string, use: (line: Buffer) => void): { isThere: boolean; rest: string } {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  if (!stats) return { isThere: false, rest: "" };
  // A named pipe would block the process.
  if (!stats.isFile()) throw new StoreError(`${file} is not a file; move it away and try again`);
  const fd = fs.openSync(file, "r");
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      // The buffer grows with a long line, so its beginning is copied only a few times.
      const buffer = Buffer.allocUnsafe(rest.length + Math.max(CHUNK_BYTES, rest.length));
      rest.copy(buffer);
      const count = fs.readSync(fd, buffer, rest.length, buffer.length - rest.length, null);
      if (count === 0) return { isThere: true, rest: rest.toString("latin1") };
      const bytes = buffer.subarray(0, rest.length + count);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        use(bytes.subarray(start, end));
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
  } finally {
    fs.closeSync(fd);
  }
}
