// Which worlds there are, which snapshot file holds each, and which have changed since: only these are written by a compaction. A file
// of generation g holds everything of the logs before g, so a world has changed when a log record of generation g or later names it.
import type { LogRecord } from "./log-records.ts";
import { FORMAT, type Snapshot, type SnapshotIndex } from "./snapshot-frame.ts";
import { homesIn } from "./snapshots.ts";

/** `bytes` is its length when it was last written to a snapshot, or that of the world that it is a copy of; so an estimate. */
type Entry = { bytes: number; home: number; changed: number };

const hasChanged = ({ home, changed }: Entry): boolean => changed >= home;

export class WorldIndex {
  readonly #worlds = new Map<string, Entry>();
  /** Snapshot files in use, the data file first, with the checksum in their first line and their length. */
  #files = new Map<number, { after: string; bytes: number }>();
  #format: number;
  #changedBytes = 0;

  /** Of the snapshots that were read: the data file first, the newest last. */
  constructor(snapshots: readonly Snapshot[]) {
    const found = new Map(snapshots.map((each) => [each.generation, each]));
    for (const [generation, { after, sizes }] of found)
      this.#files.set(generation, { after: after ?? "", bytes: total(sizes) });
    this.#format = snapshots[0]?.format ?? 0;
    for (const [world, home] of homesIn(snapshots)) {
      this.#worlds.set(world, { bytes: found.get(home)?.sizes.get(world) ?? 0, home, changed: -1 });
    }
  }

  /** The length of all worlds that have changed. */
  get changedBytes(): number {
    return this.#changedBytes;
  }

  get isOneFile(): boolean {
    return this.#files.size === 1;
  }

  uses(generation: number): boolean {
    return this.#files.has(generation);
  }

  /** The log of this generation has this record. */
  note(record: LogRecord, generation: number): void {
    if ("commit" in record) this.#touch(record.commit, generation);
    else if ("load" in record) this.#touch(record.load, generation);
    else if ("drop" in record) for (const world of [record.drop].flat()) this.#remove(world);
    else {
      const original = this.#worlds.get(record.clone);
      if (!original) this.#touch(record.clone, generation);
      this.#touch(record.as, generation, original?.bytes ?? 0);
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
    const isMost = this.#changedBytes * 2 >= all || sum(files.map(([, file]) => file)) + this.#changedBytes > all * 2;
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
      if (old) this.#worlds.set(world, { bytes, home: generation, changed: old.changed });
    }
    this.#changedBytes = sum([...this.#worlds.values()].filter(hasChanged));
  }

  #touch(world: string, generation: number, size?: number): void {
    const old = this.#worlds.get(world);
    const bytes = size ?? old?.bytes ?? 0;
    this.#changedBytes += bytes - (old && hasChanged(old) ? old.bytes : 0);
    this.#worlds.set(world, { bytes, home: old?.home ?? 0, changed: generation });
  }

  #remove(world: string): void {
    const old = this.#worlds.get(world);
    if (old && hasChanged(old)) this.#changedBytes -= old.bytes;
    this.#worlds.delete(world);
  }
}

function total(sizes: ReadonlyMap<string, number>): number {
  return sum(Array.from(sizes.values(), (bytes) => ({ bytes })));
}

function sum(entries: Iterable<{ bytes: number }>): number {
  let all = 0;
  for (const { bytes } of entries) all += bytes;
  return all;
}
