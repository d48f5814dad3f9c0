// A record gets its position when it is added: the number in its world that the memory then has too, so that a checkpoint of the memory knows
// what it holds.

import { StoreError } from "../../engine/log/store-error.ts";
import type { RowChange } from "../../engine/world/state/commit.ts";
import type { BatchEntry } from "./batch.ts";
import { type HeldWorld, heldWorld } from "./held-world.ts";
import type { LogRecord } from "./log-records.ts";
import type { Making } from "./shared-worlds.ts";

/** Bytes of a row, roughly, where nothing is made into text yet. */
const ROW = 500;
const AT = "@";

interface Placing {
  held: Map<string, HeldWorld>;
  /** What the next new worlds are made with. */
  making: Map<string, Making>;
}

type Placed = { entry: BatchEntry; bytes: number };

/**
 * The entries of one record of the log, in their order. Throws a StoreError, and changes nothing, where a world is not
 * held here.
 */
export function placed(record: LogRecord, placing: Placing): Placed[] {
  if ("commit" in record) return [commit(heldHere(placing, record.commit), record.changes)];
  if ("load" in record) return [load(record.load, record.rows, placing)];
  if ("drop" in record) return drop([record.drop].flat(), placing);
  const from = heldHere(placing, record.clone);
  // A name with @ is a named snapshot, which has no number of its own: it is the state after the last one.
  const [id, name] = parts(record.as);
  const changes = record.changes ?? [];
  if (name !== undefined) {
    heldHere(placing, id);
    return [{ entry: { do: "save", held: from, seq: from.seq, name, changes }, bytes: ROW }];
  }
  // The copy goes on with the numbers of its origin, and gets a copy of its log up to here.
  const held = begun(placing, heldWorld(id, { seq: from.seq, commits: from.commits, checkpoint: from.checkpoint }));
  const entry: BatchEntry = { do: "clone", held, seq: from.seq, from, fromSeq: from.seq, made: makingOf(placing, id) };
  return [{ entry, bytes: ROW }, ...(changes.length > 0 ? [commit(held, changes)] : [])];
}

function commit(held: HeldWorld, changes: readonly RowChange[]): Placed {
  const text = JSON.stringify(changes);
  const bytes = Buffer.byteLength(text);
  held.seq += 1;
  held.commits += bytes;
  return { entry: { do: "commit", held, seq: held.seq, text }, bytes };
}

// Everything of before is replaced, so its commits count for nothing.
function load(id: string, rows: readonly RowChange[], placing: Placing): Placed {
  const known = placing.held.get(id);
  const made = known ? undefined : makingOf(placing, id);
  const held = known ? heldHere(placing, id) : begun(placing, heldWorld(id));
  held.seq += 1;
  held.commits = 0;
  return { entry: { do: "load", held, seq: held.seq, rows, ...(made ? { made } : {}) }, bytes: ROW * rows.length };
}

// The snapshots of a world go with it, and need no entry of their own.
function drop(keys: readonly string[], placing: Placing): Placed[] {
  const worlds = keys.filter((key) => !key.includes(AT)).map((id) => heldHere(placing, id));
  const names = keys.filter((key) => key.includes(AT)).map(parts);
  const forgotten = names
    .filter(([id]) => !keys.includes(id))
    .map(([id, name]) => [heldHere(placing, id), name] as const);
  for (const { id } of worlds) placing.held.delete(id);
  return [
    ...worlds.map((held): Placed => ({ entry: { do: "drop", held, seq: held.seq }, bytes: ROW })),
    ...forgotten.map(
      ([held, name = ""]): Placed => ({ entry: { do: "forget", held, seq: held.seq, name }, bytes: ROW }),
    ),
  ];
}

function heldHere({ held }: Placing, id: string): HeldWorld {
  const found = held.get(id);
  // What is being released takes no more: its last record is on its way, and the row is given up after it.
  if (found && !found.closing) return found;
  throw new StoreError(`World ${id} is not open on this node any more. Send the request again.`);
}

function begun(placing: Placing, held: HeldWorld): HeldWorld {
  if (placing.held.has(held.id)) throw new Error(`world ${held.id} is there already`);
  placing.held.set(held.id, held);
  return held;
}

function makingOf({ making }: Placing, id: string): Making {
  // A world that nobody announced belongs to no team, which is the operator's.
  const found = making.get(id) ?? { team: null };
  making.delete(id);
  return found;
}

function parts(key: string): [id: string, name?: string] {
  const at = key.indexOf(AT);
  return at < 0 ? [key] : [key.slice(0, at), key.slice(at + 1)];
}

/** What a client whose change was not written is answered. Repeating it is safe for that reason. */
export const takenOver = (worlds: readonly string[]): StoreError =>
  new StoreError(
    `Another node has taken over ${worlds.length === 1 ? `world ${worlds[0]}` : `${worlds.length} worlds`} before this was written. Send the request again.`,
  );
