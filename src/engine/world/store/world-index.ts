// Which worlds there are, which snapshot file holds each, and which have changed since: only these are written by a compaction. A file
// of generation g holds everything of the logs before g, so a world has changed when a log record of generation g or later names it.
import type { LogRecord } from "./log-records.ts";
import { FORMAT, type Snapshot, type SnapshotIndex } from "./snapshot-frame.ts";
import { homesIn } from "./snapshots.ts";

/** `written` is its length in the snapshot that holds it; `bytes`, an estimate, what it would be in one that is written now. */
type IndexEntry = { bytes: number; written: number; home: number; changed: number };

const hasChanged = ({ home, changed }: IndexEntry): boolean => changed >= home;

export class WorldIndex {
  readonly #worlds = new Map<string, IndexEntry>();
  /** Snapshot files in use, the data file first, with the checksum in their first line and their length. */
  #files = new Map<number, { after: string; bytes: number }>();
  #format: number;
  /** Of all worlds that have changed. */
  readonly #changed = { bytes: 0, written: 0 };

  /** Of the snapshots that were read: the data file first, the newest last. */
  constructor(snapshots: readonly Snapshot[]) {
    const found = new Map(snapshots.map((each) => [each.generation, each]));
    for (const [generation, { after, sizes }] of found)
      this.#files.set(generation, { after: after ?? "", bytes: total(sizes) });
    this.#format = snapshots[0]?.format ?? 0;
    for (const [world, home] of homesIn(snapshots)) {
      const bytes = found.get(home)?.sizes.get(world) ?? 0;
      this.#worlds.set(world, { bytes, written: bytes, home, changed: -1 });
    }
  }

  /** Of all worlds that have changed: what they take in snapshots, and about what they would take in one that is written now. */
  get changed(): Readonly<Pick<IndexEntry, "bytes" | "written">> {
    return this.#changed;
  }

  get isOneFile(): boolean {
    return this.#files.size === 1;
  }

  uses(generation: number): boolean {
    return this.#files.has(generation);
  }

  /** The log of this generation has this record, of so many bytes. */
  note(record: LogRecord, generation: number, length: number): void {
    if ("commit" in record)
      this.#touch(record.commit, generation, this.#bytesOf(record.commit) + growth(record, length));
    else if ("load" in record) this.#touch(record.load, generation, length);
    else if ("drop" in record) for (const world of [record.drop].flat()) this.#put(world, undefined);
    else {
      const bytes = this.#bytesOf(record.clone);
      if (!this.#worlds.has(record.clone)) this.#touch(record.clone, generation, bytes);
      this.#touch(record.as, generation, bytes);
    }
  }

  /**
   * What the next snapshot has to hold: an index and the worlds that have changed; or no index and all worlds, also where that is at
   * most twice as much, and where the files would otherwise hold more old state than new.
   */
  plan(generation: number, isAll: boolean): { index?: SnapshotIndex; worlds: ReadonlySet<string> } {
    const changed = new Set<string>();
    const homes: [string, number][] = [];
    const needed = new Set([...this.#files.keys()].slice(0, 1));
    for (const [world, entry] of this.#worlds) {
      if (hasChanged(entry)) changed.add(world);
      else needed.add(entry.home);
      homes.push([world, hasChanged(entry) ? generation : entry.home]);
    }
    const files = [...this.#files].filter(([each]) => needed.has(each));
    const all = sum(this.#worlds.values());
    const { bytes } = this.#changed;
    const isMost = bytes * 2 >= all || sum(files.map(([, file]) => file)) + bytes > all * 2;
    if (isAll || isMost || this.#format !== FORMAT) return { worlds: new Set(this.#worlds.keys()) };
    return { index: { files: files.map(([each, { after }]) => [each, after]), worlds: homes }, worlds: changed };
  }

  /** A snapshot is in place, and the files that it does not need can go. */
  wrote({ format, generation, after, index, sizes }: Snapshot): void {
    const needed = new Set(index?.files.map(([each]) => each));
    this.#files = new Map([...this.#files].filter(([each]) => needed.has(each)));
    this.#files.set(generation, { after: after ?? "", bytes: total(sizes) });
    if (!index) this.#format = format;
    for (const [world, bytes] of sizes) {
      const old = this.#worlds.get(world);
      // A world that was dropped meanwhile stays dropped.
      if (old) this.#put(world, { bytes, written: bytes, home: generation, changed: old.changed });
    }
  }

  #bytesOf(world: string): number {
    return this.#worlds.get(world)?.bytes ?? 0;
  }

  #touch(world: string, generation: number, bytes: number): void {
    const { home = 0, written = 0 } = this.#worlds.get(world) ?? {};
    this.#put(world, { bytes: Math.max(0, bytes), written, home, changed: generation });
  }

  #put(world: string, entry: IndexEntry | undefined): void {
    this.#count(this.#worlds.get(world), -1);
    this.#count(entry, 1);
    if (entry) this.#worlds.set(world, entry);
    else this.#worlds.delete(world);
  }

  #count(entry: IndexEntry | undefined, times: 1 | -1): void {
    if (!entry || !hasChanged(entry)) return;
    this.#changed.bytes += times * entry.bytes;
    this.#changed.written += times * entry.written;
  }
}

/** By about how many bytes a commit makes its world grow: by so many of its rows, which are as long as they are on the average. */
function growth({ changes, grows = 0 }: Extract<LogRecord, { commit: string }>, length: number): number {
  if (grows === 0) return 0;
  let rows = 0;
  for (const [, , row] of changes) if (row) rows += 1;
  return rows === 0 ? 0 : Math.round((grows * length) / rows);
}

function total(sizes: ReadonlyMap<string, number>): number {
  return sum(Array.from(sizes.values(), (bytes) => ({ bytes })));
}

function sum(entries: Iterable<{ bytes: number }>): number {
  let all = 0;
  for (const { bytes } of entries) all += bytes;
  return all;
}
