// The statements that store more than rows of the journal: a world begins or is removed, and its snapshots.

import type { WorldRecords } from "../../engine/log/entry.ts";
import type { Replacing } from "./batch.ts";
import type { Query } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { FORMAT } from "./packed-rows.ts";
import type { ListedWorld } from "./shared-worlds.ts";

/** Of one world, besides rejected requests. The node that opens the world reads all of it. */
const MAX_RETAINED_BYTES = 4 << 20;
const MAX_REJECTED = 1000;

/** A new world, or one that begins again, without what was before. Returns false when another node has made one of this id. */
export async function replaceWorld(query: Query, node: string, step: Replacing): Promise<boolean> {
  const { held, entry, records, body = Buffer.alloc(0), made, origin } = step;
  const recipe = JSON.stringify(describeRecipe(records, origin));
  if (made) {
    const { rows } = await query<{ epoch: string }>(
      `insert into worlds (id, team, recipe, owner, epoch, bytes) values ($1, $2, $3, $4, nextval('epochs'), $5)
       on conflict (id) do nothing returning epoch`,
      [held.id, made.team, recipe, node, body.length],
    );
    // "on conflict" waits for the other node's transaction, so the result is final.
    if (!rows[0]) return false;
    held.epoch = Number(rows[0].epoch);
  } else {
    // A reset keeps from which world it was forked; everything else of the recipe is new.
    await query(
      `update worlds set bytes = $3, dropped = 0,
       recipe = case when recipe ? 'forked_from' and jsonb_typeof($2::jsonb) = 'object'
         then $2::jsonb || jsonb_build_object('forked_from', recipe->'forked_from') else $2::jsonb end where id = $1`,
      [held.id, recipe, body.length + held.named],
    );
  }
  await writeSnapshot(query, held.id, { name: "", seq: entry.seq, body });
  await query("delete from journal where world = $1 and seq < $2", [held.id, entry.seq]);
  return true;
}

/** What the identity of a world says about its making. */
interface Origin {
  fixture?: string;
  seed?: string;
  origin?: { fixture?: string; clock?: string };
}

/** What a world was made from, for lists. */
function describeRecipe(records: WorldRecords, origin: string | undefined): ListedWorld["recipe"] {
  const [, identities = []] = [...records].find(([collection]) => collection === "identity") ?? [];
  const [identity] = identities as Iterable<Origin>;
  const { fixture = identity?.fixture, clock } = identity?.origin ?? {};
  if (typeof fixture !== "string") return null;
  return {
    fixture,
    seed: String(identity?.seed ?? ""),
    ...(typeof clock === "string" ? { clock } : {}),
    ...(origin === undefined ? {} : { forked_from: origin }),
  };
}

/** The snapshot without a name is the world itself. */
export async function writeSnapshot(
  query: Query,
  world: string,
  { name, seq, body }: { name: string; seq: number; body: Buffer },
): Promise<void> {
  await query(
    `insert into snapshots (world, name, seq, format, body) values ($1, $2, $3, ${FORMAT}, $4)
     on conflict (world, name) do update
     set seq = excluded.seq, at = now(), format = excluded.format, template = null, body = excluded.body
     where snapshots.seq < excluded.seq`,
    [world, name, seq, body],
  );
}

/** All of a world up to an entry. Its rows until then are needed for its past only, so the oldest are dropped. */
export async function writeCheckpoint(
  query: Query,
  world: string,
  { seq, body }: { seq: number; body: Buffer },
): Promise<void> {
  await writeSnapshot(query, world, { name: "", seq, body });
  await query(
    `with found as (
       select seq, kind, sum(octet_length(record)) over newest as bytes, row_number() over newest as place
       from journal where world = $1 and kind <> 'begin'
       window newest as (partition by kind = 'rejected' order by seq desc)
     ), gone as (
       delete from journal j using found f where j.world = $1 and j.seq = f.seq and (j.seq <= $2 or f.kind <> 'change')
       and (j.format = 1 or case when f.kind = 'rejected' then f.place > ${MAX_REJECTED} else f.bytes > ${MAX_RETAINED_BYTES} end)
       returning f.kind
     ) update worlds set dropped = dropped + (select count(*) from gone where kind <> 'rejected') where id = $1`,
    [world, seq],
  );
}

/** Within the transaction of the batch, after its row was locked. */
export async function dropWorld(query: Query, { id }: HeldWorld): Promise<void> {
  await query("delete from journal where world = $1", [id]);
  await query("delete from snapshots where world = $1", [id]);
  await query("delete from worlds where id = $1", [id]);
}

/** Never the snapshot without a name. */
export async function forgetSnapshot(query: Query, { id }: HeldWorld, name: string): Promise<void> {
  await query("delete from snapshots where world = $1 and name = $2 and name <> ''", [id, name]);
}
