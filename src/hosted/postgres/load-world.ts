// One world and its named snapshots, as they are in the database: of each its rows, and after the checkpoint the commits, none of which
// may be missing.

import type { State } from "../../engine/log/entry.ts";
import type { RowChange } from "../../engine/world/state/commit.ts";
import type { Query } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { WorldStates } from "./log-records.ts";
import { changesIn, FORMAT } from "./packed-rows.ts";
import { bodyIn, FIRST_PIECE, type FirstPiece } from "./stored-body.ts";
import type { Templates } from "./templates.ts";

interface Loaded {
  state: State;
  known: Pick<HeldWorld, "seq" | "written" | "commits" | "checkpoint" | "named">;
}

/**
 * Why it can't be read, as one sentence; a newer version could. It is an answer about this world, and no failure of the
 * database.
 */
export class Unreadable extends Error {
  readonly isNewer: boolean;
  constructor(why: string, isNewer = false) {
    super(why);
    this.isNewer = isNewer;
  }
}

interface SnapshotRow extends FirstPiece {
  name: string;
  seq: string;
  format: number;
  template: Buffer | null;
}

/**
 * Throws `Unreadable` where a record is missing or of a newer version, and the driver's error where the database fails.
 */
export async function loadWorld(query: Query, world: string, templates: Templates): Promise<Loaded> {
  const { rows: snapshots } = await query<SnapshotRow>(
    `select name, seq, format, template, ${FIRST_PIECE} from snapshots where world = $1 order by name`,
    [world],
  );
  const worlds = new WorldStates(new Map());
  const known = { seq: 0, written: 0, commits: 0, checkpoint: 0, named: 0 };
  // A world may have commits and no checkpoint yet.
  worlds.apply({ load: world, rows: [] });
  for (const { name, seq, format, template, ...first } of snapshots) {
    mustBeKnown(format, world);
    // In memory a named snapshot is a world called `id@name`.
    const key = name === "" ? world : `${world}@${name}`;
    worlds.apply({ load: key, rows: template ? await templates.rows(query, template) : [] });
    const body = bodyIn(query, first, ["from snapshots where world = $1 and name = $2", [world, name]]);
    for await (const changes of changesIn(body)) worlds.apply({ commit: key, changes });
    if (name === "") Object.assign(known, { seq: Number(seq), checkpoint: first.bytes });
    else known.named += first.bytes;
  }
  await loadCommits(query, world, worlds, known);
  return { state: worlds.state, known: { ...known, written: known.seq } };
}

/** Read in pages: the statement and its answer stay short. */
const PAGE = 5000;

async function loadCommits(
  query: Query,
  world: string,
  worlds: WorldStates,
  known: { seq: number; commits: number },
): Promise<void> {
  for (;;) {
    const { rows } = await query<{ seq: string; format: number; record: string }>(
      "select seq, format, record from journal where world = $1 and seq > $2 order by seq limit $3",
      [world, known.seq, PAGE],
    );
    for (const { seq, format, record } of rows) {
      mustBeKnown(format, world);
      // Numbers of a world have no gaps; a hole means that the database has lost a commit that was acknowledged.
      if (Number(seq) !== known.seq + 1)
        throw new Unreadable(
          `The database lacks commit ${known.seq + 1} of world ${world}, and has ${seq}. Nothing was changed. Restore the world from a backup, or remove it.`,
        );
      worlds.apply({ commit: world, changes: JSON.parse(record) as RowChange[] });
      known.seq += 1;
      known.commits += Buffer.byteLength(record);
    }
    if (rows.length < PAGE) return;
  }
}

function mustBeKnown(format: number, world: string): void {
  if (format > FORMAT)
    throw new Unreadable(
      `World ${world} was written by a newer version of the sandbox (format ${format}; this version reads ${FORMAT}). Start the newer version in place of this one.`,
      true,
    );
}
