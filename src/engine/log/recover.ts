// Reads the entries of the log, which continue the worlds of the snapshot. Both files are read completely before either is changed, so damaged
// files stay unchanged.
import { decodeLine, type Entry, isOfWorld, parseEntry, type StoredEntry } from "./entry.ts";
import { type FileEnd, readIfPresent } from "./file.ts";
import type { ActivityLog } from "./log.ts";
import { NEWLINE, type Snapshot, type StoredWorlds } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";

interface Recovered {
  readonly worlds: StoredWorlds;
  readonly warnings: readonly string[];
  readonly end: FileEnd;
  /** The last entry that changed something. */
  readonly lastChange: number;
}

/** Reads the log and changes no file. Throws a StoreError with the number of a damaged or missing entry. */
export function recover(path: string, { seq, worlds }: Snapshot, log: ActivityLog): Recovered {
  const file = `${path}.log`;
  const bytes = readIfPresent(file);
  const reader = new LogReader(file, { seq, worlds }, log);
  let length = 0;
  for (let end = bytes?.indexOf(NEWLINE) ?? -1; bytes && end !== -1; end = bytes.indexOf(NEWLINE, length)) {
    reader.read(bytes.toString("utf8", length, end));
    length = end + 1;
  }
  reader.end(path);
  const warnings: string[] = [];
  const rest = bytes?.toString("latin1", length) ?? "";
  if (rest.trim() !== "")
    warnings.push(
      `${file} ended in half a line after entry ${reader.last}, as after a crash; its last ${rest.length} bytes were cut off, all else is kept`,
    );
  if (!bytes && seq > 0)
    warnings.push(`${file} is missing: the history up to entry ${seq} is gone, the data is complete`);
  log.continueAfter(seq);
  // A snapshot without its world remains from a removed world, or from a bulk change that a kill ended.
  for (const id of worlds.keys()) if (id.includes("@") && !worlds.has(id.slice(0, id.indexOf("@")))) worlds.delete(id);
  return { worlds, warnings, end: { length, seq: reader.last }, lastChange: reader.lastChange };
}

class LogReader {
  readonly #file: string;
  readonly #snapshot: Pick<Snapshot, "seq" | "worlds">;
  readonly #log: ActivityLog;
  #previous: number | undefined;
  #mark = 0;
  lastChange = 0;

  constructor(file: string, snapshot: Pick<Snapshot, "seq" | "worlds">, log: ActivityLog) {
    this.#file = file;
    this.#snapshot = snapshot;
    this.#log = log;
  }

  /** The last entry in the file. */
  get last(): number {
    return this.#previous ?? this.#snapshot.seq;
  }

  read(line: string): void {
    const found = decodeLine(line);
    if (!found)
      throw this.#damage(
        `is damaged: the entry after ${this.#previous ?? "its beginning"} does not match its checksum`,
      );
    if ("entry" in found) this.#readEntry(found.entry, found.previous);
    else {
      this.#mark = found.mark;
      // Parts before the mark may be missing, because the snapshot includes their changes. Later entries may precede the mark.
      this.#previous = Math.max(this.#previous ?? 0, found.mark);
    }
  }

  #readEntry(entry: StoredEntry, previous: number): void {
    const { seq, worlds } = this.#snapshot;
    const isNext = this.#previous === undefined ? previous <= seq : previous === this.#previous;
    if (!isNext)
      throw this.#damage(`is damaged: entry ${this.last + 1} is missing, entry ${entry.seq} is in its place`);
    this.#previous = entry.seq;
    if (entry.effect === "part") this.#log.continueAfter(entry.seq);
    else this.#log.load(entry);
    if (entry.effect === "none") return;
    this.lastChange = entry.seq;
    if (entry.seq <= seq) return;
    try {
      applyEntry(worlds, parseEntry(entry));
    } catch (reason) {
      throw this.#damage(`can't be read: entry ${entry.seq} ${(reason as Error).message}`);
    }
  }

  /** Checks that the log and the snapshot belong together, once the complete log is read. */
  end(path: string): void {
    const { seq } = this.#snapshot;
    if (this.#mark > seq)
      throw this.#damage(
        `belongs to a newer copy of ${path}, which held entry ${this.#mark}. To start from the older copy, delete the log`,
      );
    if (this.last < seq)
      throw this.#damage(
        `ends at entry ${this.last}, and ${path} holds entry ${seq}: one of them is from another copy`,
      );
  }

  #damage(why: string): StoreError {
    return new StoreError(
      `${this.#file} ${why}. Nothing was changed. Put both files back from one copy; or move the log away to start with what the data file holds; or start with {option fresh} to replace both`,
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
