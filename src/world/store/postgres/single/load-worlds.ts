// All worlds as they are in the database: of each its checkpoint, and the commits after it, none of which may be missing.
import { type Change, type StateDump, Worlds } from "../../log-records.ts";
import { StoreError } from "../../store-error.ts";
import type { Query } from "../connection.ts";
import { FORMAT, rowsIn } from "./packed-rows.ts";
import type { Sequences } from "./write-records.ts";

const LOADED_AT_ONCE = 200;

export interface Loaded {
  state: StateDump;
  sequences: Sequences;
  /** Characters of the commits since the checkpoint, and bytes of that, by world. */
  sizes: Map<string, { commits: number; checkpoint: number }>;
}

/** All worlds as they are in the database; null when there is none. */
export async function load(query: Query): Promise<Loaded | null> {
  const { rows: ids } = await query<{ id: string }>("select id from worlds order by created_at, id");
  if (ids.length === 0) return null;
  const worlds = new Worlds(new Map());
  const [sequences, sizes]: [Sequences, Loaded["sizes"]] = [new Map(), new Map()];
  for (let first = 0; first < ids.length; first += LOADED_AT_ONCE) {
    const some = ids.slice(first, first + LOADED_AT_ONCE).map(({ id }) => id);
    const { rows: checkpoints } = await query<{ world: string; seq: string; format: number; body: Buffer }>(
      "select world, seq, format, body from snapshots where world = any($1::text[])",
      [some],
    );
    const byWorld = new Map(checkpoints.map((checkpoint) => [checkpoint.world, checkpoint]));
    for (const world of some) {
      const checkpoint = byWorld.get(world);
      mustBeKnown(checkpoint?.format, world);
      worlds.apply({ load: world, rows: checkpoint ? await rowsIn(checkpoint.body) : [] });
      sequences.set(world, Number(checkpoint?.seq ?? 0));
      sizes.set(world, { commits: 0, checkpoint: checkpoint?.body.length ?? 0 });
    }
    await loadCommits(query, some, { worlds, sequences, sizes });
  }
  return { state: worlds.state, sequences, sizes };
}

async function loadCommits(
  query: Query,
  some: readonly string[],
  { worlds, sequences, sizes }: { worlds: Worlds } & Pick<Loaded, "sequences" | "sizes">,
): Promise<void> {
  const { rows } = await query<{ world: string; seq: string; format: number; record: string }>(
    "select world, seq, format, record from journal where world = any($1::text[]) order by world, seq",
    [some],
  );
  for (const { world, seq, format, record } of rows) {
    mustBeKnown(format, world);
    const expected = (sequences.get(world) ?? 0) + 1;
    if (Number(seq) !== expected)
      throw new StoreError(
        `The database lacks commit ${expected} of world ${world}, and has ${seq}. Nothing was changed. Restore the database from a backup, or delete this world's rows.`,
      );
    worlds.apply({ commit: world, changes: JSON.parse(record) as Change[] });
    sequences.set(world, expected);
    const size = sizes.get(world);
    if (size) size.commits += record.length;
  }
}

function mustBeKnown(format: number | undefined, world: string): void {
  if (format !== undefined && format !== FORMAT)
    throw new StoreError(
      `World ${world} was written by a newer version of the sandbox (format ${format}). Start that version.`,
    );
}
