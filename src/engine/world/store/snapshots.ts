// The snapshot files of a store: the data file with all worlds, and beside it incremental snapshots with the worlds that have changed
// since. The newest one has an index that says which file holds which world, so renaming it into place is the commit of a compaction.
import { type Adapter, Low } from "lowdb";
import { type StoredWorld, stateOf } from "./log-records.ts";
import { generationsOf, numberedPath } from "./numbered-files.ts";
import { readSnapshot, writeSnapshot } from "./snapshot-file.ts";
import { PUT_BACK, type Snapshot } from "./snapshot-frame.ts";
import { StoreError } from "./store-error.ts";

/** Lowdb reads and writes one file. It is made anew each time, since it would keep every removed record in memory. */
function lowOf(file: string, path: string, isWanted?: () => boolean): Low<Snapshot | null> {
  const adapter: Adapter<Snapshot | null> = {
    read: () => readSnapshot(path, path === file),
    write: (snapshot) => (snapshot ? writeSnapshot(path, snapshot, `${file}.tmp`, isWanted) : Promise.resolve()),
  };
  return new Low(adapter, null);
}

/** `isWanted` is asked between slices; a no ends it with an error, and the old file stays. */
export function write(file: string, snapshot: Snapshot, isWanted?: () => boolean): Promise<void> {
  const low = lowOf(file, snapshot.index ? numberedPath(file, "snapshot", snapshot.generation) : file, isWanted);
  low.data = snapshot;
  return low.write();
}

async function read(file: string, path: string): Promise<Snapshot | null> {
  const low = lowOf(file, path);
  await low.read();
  // Only an incremental snapshot has an index.
  if (low.data && (low.data.index === undefined) !== (path === file)) throw misnamed(path);
  return low.data;
}

/** The snapshots in use: the data file first, the newest last; none when there is no data file. */
export async function readAll(file: string): Promise<Snapshot[]> {
  const base = await read(file, file);
  if (!base) return [];
  const newest = (await generationsOf(file, "snapshot")).at(-1);
  // An older one was left behind by a crash after the data file replaced it.
  if (newest === undefined || newest <= base.generation) return [base];
  const last = await readIncrement(file, newest);
  const all = [base];
  for (const [generation, after] of last.index?.files ?? []) {
    const each: Snapshot = generation === base.generation ? base : await readIncrement(file, generation);
    const path = each === base ? file : numberedPath(file, "snapshot", generation);
    // The index names each file by its checksum, so one of another copy is noticed.
    if (each.after !== after) throw misfit(path, numberedPath(file, "snapshot", newest));
    if (each !== base) all.push(each);
  }
  // The data file itself must be among them.
  if (!last.index?.files.some(([generation]) => generation === base.generation))
    throw misfit(file, numberedPath(file, "snapshot", newest));
  return [...all, last];
}

async function readIncrement(file: string, generation: number): Promise<Snapshot> {
  const path = numberedPath(file, "snapshot", generation);
  const found = await read(file, path);
  if (!found)
    throw new StoreError(`${path} is missing, and ${file} is not whole without it; nothing was changed. ${PUT_BACK}`);
  if (found.generation !== generation) throw misnamed(path);
  return found;
}

const misnamed = (path: string): StoreError =>
  new StoreError(`${path} is another file than its name says; nothing was changed. ${PUT_BACK}`);
/** Nobody knows which of the two is the wrong one. */
const misfit = (path: string, other: string): StoreError =>
  new StoreError(
    `${path} and ${other} do not belong together: one of them is from another copy; nothing was changed. ${PUT_BACK}`,
  );

/**
 * A warning: changes that a person made to these worlds in the data file are not read. At most five worlds are named.
 */
export function edited(file: string, snapshots: readonly Snapshot[]): string {
  const newer = [...homesIn(snapshots)].filter(([, home]) => home !== snapshots[0]?.generation).map(([world]) => world);
  const named = newer.length > 5 ? `${newer.slice(0, 5).join(", ")}, and ${newer.length - 5} more` : newer.join(", ");
  return `${file} was changed by another program; these worlds are newer in the files beside it, and were read from there: ${named}`;
}

/** Every world with the generation of the file that holds it. */
export function homesIn(snapshots: readonly Snapshot[]): Iterable<readonly [world: string, generation: number]> {
  const newest = snapshots.at(-1);
  return newest?.index?.worlds ?? Array.from(newest?.worlds?.keys() ?? [], (world) => [world, newest?.generation ?? 0]);
}

/** All worlds of the snapshots, at the position in the log that the newest follows. */
export function merged(snapshots: readonly Snapshot[]): Snapshot | null {
  const [[base], newest] = [snapshots, snapshots.at(-1)];
  if (!base || !newest || base === newest) return base ?? null;
  const found = new Map(snapshots.map(({ generation, worlds }) => [generation, worlds]));
  const worlds = new Map<string, StoredWorld>();
  for (const [name, generation] of homesIn(snapshots)) {
    const world = found.get(generation)?.get(name);
    if (!world)
      throw new StoreError(`The snapshot ${generation} has no world ${name}; nothing was changed. ${PUT_BACK}`);
    worlds.set(name, world);
  }
  return { ...newest, open: base.open, state: stateOf(worlds), worlds };
}
