// Reads the entries of the log, which continue the worlds of the snapshot. Both files are read completely before either
// is changed, so damaged files stay unchanged.
import { copyCollections, createCollections, loadRow } from "../world/state/schema.ts";
import { decodeLine, type Entry, isOfWorld, parseEntry } from "./entry.ts";
import { readIfPresent } from "./file.ts";
import type { ActivityLog } from "./log.ts";
import { NEWLINE, type Snapshot } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";

/**
 * Reads the log and changes no file. Throws a StoreError with the number of a damaged or missing entry. `lastChange`:
 * the last entry that changed something.
 */
export function recover(path: string, snapshot: Snapshot, log: ActivityLog) {
  const file = `${path}.log`;
  const { seq, worlds } = snapshot;
  const bytes = readIfPresent(file);
  const { end, mark, lastChange } = readLog(bytes ?? Buffer.alloc(0), file, snapshot, log);
  if (mark > seq)
    throw explainDamage(
      file,
      `belongs to a newer copy of ${path}, which held entry ${mark}. To start from the older copy, delete the log`,
    );
  if (end.seq < seq)
    throw explainDamage(
      file,
      `ends at entry ${end.seq}, and ${path} holds entry ${seq}: one of them is from another copy`,
    );
  const warnings: string[] = [];
  const rest = bytes?.toString("latin1", end.length) ?? "";
  if (rest.trim() !== "")
    warnings.push(
      `${file} ended in half a line after entry ${end.seq}, as after a crash; its last ${rest.length} bytes were cut off, all else is kept`,
    );
  if (!bytes && seq > 0)
    warnings.push(`${file} is missing: the history up to entry ${seq} is gone, the data is complete`);
  log.continueAfter(seq);
  // A snapshot without its world remains from a removed world, or from a bulk change that a kill ended.
  for (const id of worlds.keys()) if (id.includes("@") && !worlds.has(id.slice(0, id.indexOf("@")))) worlds.delete(id);
  return { worlds, warnings, end, lastChange };
}

/**
 * Adds the entries to the log in memory, and applies those that the snapshot does not include. `mark`: the last entry
 * of a snapshot.
 */
function readLog(bytes: Buffer, file: string, { seq, worlds }: Snapshot, log: ActivityLog) {
  let [length, mark, lastChange] = [0, 0, 0];
  let previous: number | undefined;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, length)) {
    const found = decodeLine(bytes.toString("utf8", length, end));
    length = end + 1;
    if (!found)
      throw explainDamage(
        file,
        `is damaged: the entry after ${previous ?? "its beginning"} does not match its checksum`,
      );
    if ("mark" in found) {
      mark = found.mark;
      // Parts before the mark may be missing, because the snapshot includes their changes. Later entries may precede
      // the mark.
      previous = Math.max(previous ?? 0, mark);
      continue;
    }
    const { entry } = found;
    const isNext = previous === undefined ? found.previous <= seq : found.previous === previous;
    if (!isNext)
      throw explainDamage(
        file,
        `is damaged: entry ${(previous ?? seq) + 1} is missing, entry ${entry.seq} is in its place`,
      );
    previous = entry.seq;
    if (entry.effect === "part") log.continueAfter(entry.seq);
    else log.load(entry);
    if (entry.effect === "none") continue;
    lastChange = entry.seq;
    try {
      if (entry.seq > seq) applyEntry(worlds, parseEntry(entry));
    } catch (reason) {
      throw explainDamage(file, `can't be read: entry ${entry.seq} ${(reason as Error).message}`);
    }
  }
  return { end: { length, seq: previous ?? seq }, mark, lastChange };
}

const explainDamage = (file: string, why: string): StoreError =>
  new StoreError(
    `${file} ${why}. Nothing was changed. Put both files back from one copy; or move the log away to start with what the data file holds; or start with {option fresh} to replace both`,
  );

export function applyEntry(worlds: Snapshot["worlds"], { world, replaced, changes = [] }: Entry): void {
  if (replaced === "gone") {
    // The named snapshots of a world are removed with it.
    for (const id of worlds.keys()) if (isOfWorld(id, world)) worlds.delete(id);
  } else if (replaced) {
    const from = replaced.from === null ? createCollections() : worlds.get(replaced.from);
    if (!from) throw new Error(`refers to the world ${replaced.from}, which is missing`);
    worlds.set(world, copyCollections(from));
  }
  const collections = worlds.get(world);
  // A delivery may end after its world was removed.
  if (collections) for (const { collection, id, after } of changes) loadRow(collections, collection, id, after);
}
