// Checkpoints: everything of a world up to its last record as one row, and the records before it are removed. From memory while the world
// is open; from the database when it is released, since its memory is closed by then.

import type { Database, Query } from "./connection.ts";
import { bytesOf, type HeldWorld, isLong } from "./held-world.ts";
import { loadWorld } from "./load-world.ts";
import { linesOf, packed, type StoredRows } from "./packed-rows.ts";
import type { StoreView } from "./store-interface.ts";
import { bytesIn } from "./stored-body.ts";
import { differences, flat } from "./template-rows.ts";
import type { Templates } from "./templates.ts";
import { locked, type Writer } from "./write-batch.ts";
import { writeCheckpoint } from "./write-world.ts";

interface CheckpointsDeps {
  database: Database;
  templates: Templates;
  registration: Writer;
  held(): Iterable<HeldWorld>;
  /** Resolves when the records of a world are written. */
  durable(world: string): Promise<unknown> | undefined;
  lost(held: HeldWorld): void;
}

/** The record that the rows go up to, and how long the commits are that the checkpoint replaces. */
interface Frozen {
  held: HeldWorld;
  seq: number;
  commits: number;
}

const frozen = (held: HeldWorld): Frozen => ({ held, seq: held.seq, commits: held.commits });

/**
 * `makeStored` and `make` may be called at any time; a world that another node has taken is reported by `lost`, and not
 * written.
 */
export function makeCheckpoints(parts: CheckpointsDeps) {
  const { database, templates, registration, lost } = parts;
  let running: Promise<void> | undefined;

  // Packed before the transaction: compressing 20 MB under a lock would hold up the commits of the world.
  async function write({ held, seq, commits }: Frozen, rows: StoredRows): Promise<void> {
    const template = await templateOf(database.query, held.id, templates);
    const lines = template ? differences(template, flat(rows)) : linesOf(flat(rows));
    const body = await packed(lines);
    const length = bytesIn(body);
    // A checkpoint that is ahead of the log would cover commits that may yet fail.
    await parts.durable(held.id);
    const isLost = await database.transaction(async (query) => {
      if ((await locked(query, registration, [held])).size > 0) return true;
      await writeCheckpoint(query, held.id, seq, { template: template?.hash ?? null, body });
      // Commits that were added meanwhile stay in the log, so only those that were frozen are taken off.
      const bytes = bytesOf(held) - commits - held.checkpoint + length;
      await query("update worlds set bytes = $2 where id = $1", [held.id, bytes]);
      return false;
    });
    // Outside the transaction, which has ended by then and holds no lock.
    if (isLost) return lost(held);
    held.commits -= commits;
    held.checkpoint = length;
  }

  async function all(view: StoreView, worlds: readonly HeldWorld[]): Promise<void> {
    // Frozen for all at once, since the view shows them as they are now.
    const byId = new Map(worlds.map((held) => [held.id, frozen(held)]));
    for (const [world, rows] of Array.from(view(new Set(byId.keys())))) {
      const found = byId.get(world);
      if (found) await write(found, rows);
    }
  }

  return {
    get isDue() {
      return running === undefined && [...parts.held()].some(isLong);
    },
    /** Of the worlds that are long, or of all that have commits. */
    async make(view: StoreView, isAll: boolean): Promise<void> {
      if (running) await running;
      const worlds = [...parts.held()].filter((held) => isLong(held) || (isAll && held.commits > 0));
      running = all(view, worlds).finally(() => {
        running = undefined;
      });
      return running;
    },
    /** Before a world is given up, if the next one who opens it would have long to read. */
    async makeStored(held: HeldWorld): Promise<void> {
      if (held.commits <= Math.max(LONG_TO_READ, held.checkpoint)) return;
      const { state } = await loadWorld(database.query, held.id, templates);
      for (const [world, rows] of state) if (world === held.id) await write(frozen(held), rows);
    },
    running: () => running,
  };
}

/** Bytes of commits that the next one who opens the world may have to read. */
const LONG_TO_READ = 128 << 10;

/** A checkpoint keeps the template of the one before. */
async function templateOf(query: Query, world: string, templates: Templates) {
  const { rows } = await query<{ template: Buffer | null }>(
    "select template from snapshots where world = $1 and name = ''",
    [world],
  );
  const hash = rows[0]?.template;
  return hash ? templates.get(query, hash) : undefined;
}
