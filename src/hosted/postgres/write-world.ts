// The records that are more than a commit, as statements: a world begins, is replaced, copied or removed, and its named snapshots.

import { ownSeed } from "../../engine/world/state/seed.ts";
import type { BatchEntry } from "./batch.ts";
import type { Query } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { FORMAT, packed } from "./packed-rows.ts";
import { type Body, recipeOf } from "./prepare.ts";
import type { ListedWorld } from "./shared-worlds.ts";
import { bodyAt, bytesIn, withBody } from "./stored-body.ts";

type Of<D extends BatchEntry["do"]> = Extract<BatchEntry, { do: D }>;

/** A new world, or the one that is there begins anew; false when another node has made one of this id. */
export async function loadWorldRow(
  query: Query,
  node: string,
  { held, seq, rows, made }: Of<"load">,
  made_: Body | undefined,
): Promise<boolean> {
  const { template, body } = mustBeMade(made_);
  const length = bytesIn(body);
  const recipe = JSON.stringify(recipeOf(rows));
  if (made) {
    const { rows: inserted } = await query<{ epoch: string }>(
      `insert into worlds (id, team, recipe, owner, epoch, bytes) values ($1, $2, $3, $4, nextval('epochs'), $5)
       on conflict (id) do nothing returning epoch`,
      [held.id, made.team, recipe, node, length],
    );
    // "on conflict" waits for the other node's transaction, so the answer is final.
    if (!inserted[0]) return false;
    held.epoch = Number(inserted[0].epoch);
    // A reset keeps from which world it was forked; everything else of the recipe is new.
  } else
    await query(
      `update worlds set bytes = $3, recipe = case when recipe ? 'forked_from' and jsonb_typeof($2::jsonb) = 'object'
         then $2::jsonb || jsonb_build_object('forked_from', recipe->'forked_from') else $2::jsonb end where id = $1`,
      [held.id, recipe, length],
    );
  await writeCheckpoint(query, held.id, seq, { template, body });
  held.checkpoint = length;
  return true;
}

/** A copy as the other world is after its record `fromSeq`; its named snapshots are not copied. */
export async function cloneWorld(
  query: Query,
  node: string,
  { held, from, fromSeq, made: { team } }: Of<"clone">,
): Promise<boolean> {
  const { rows: origins } = await query<Pick<ListedWorld, "recipe">>("select recipe from worlds where id = $1", [
    from.id,
  ]);
  const recipe = origins[0]?.recipe;
  // A fork has a seed of its own, or the two would send the same webhook ids.
  const own = recipe && JSON.stringify({ ...recipe, seed: ownSeed(recipe.seed, held.id), forked_from: from.id });
  const { rows } = await query<{ epoch: string }>(
    `insert into worlds (id, team, recipe, owner, epoch, bytes)
     select $2, $4, $5, $3, nextval('epochs'), bytes from worlds where id = $1
     on conflict (id) do nothing returning epoch`,
    [from.id, held.id, node, team, own ?? null],
  );
  if (!rows[0]) return false;
  held.epoch = Number(rows[0].epoch);
  await query(
    `insert into snapshots (world, name, seq, format, template, body)
     select $2::text, '', seq, format, template, body from snapshots where world = $1 and name = ''`,
    [from.id, held.id],
  );
  await query(
    `insert into journal (world, seq, epoch, format, record)
     select $2::text, seq, $3::bigint, format, record from journal where world = $1 and seq <= $4`,
    [from.id, held.id, held.epoch, fromSeq],
  );
  return true;
}

/** Within the transaction of the batch, after its row was locked. */
export async function dropWorld(query: Query, { id }: HeldWorld): Promise<void> {
  await query("delete from journal where world = $1", [id]);
  await query("delete from snapshots where world = $1", [id]);
  await query("delete from worlds where id = $1", [id]);
}

/** The checkpoint, the commits after it, and what the snapshot alone has. */
export async function saveSnapshot(
  query: Query,
  { held, seq, name }: Of<"save">,
  changes: Body | undefined,
): Promise<void> {
  const { rows } = await query<{ record: string }>(
    `select record from journal where world = $1 and seq <= $2
     and seq > (select seq from snapshots where world = $1 and name = '') order by seq`,
    [held.id, seq],
  );
  // Gzip members are appended, so the checkpoint is not unpacked to be copied.
  const behind = [...(await packed(rows.map(({ record }) => record))), ...mustBeMade(changes).body];
  await withBody(query, behind, (values) =>
    query(
      `insert into snapshots (world, name, seq, format, template, body)
       select world, $2::text, $3::bigint, format, template, body || ${bodyAt(4)} from snapshots where world = $1 and name = ''
       on conflict (world, name) do update
       set seq = excluded.seq, at = now(), format = excluded.format, template = excluded.template, body = excluded.body`,
      [held.id, name, seq, ...values],
    ),
  );
  held.named += held.checkpoint + bytesIn(behind);
}

/** Never the snapshot without a name, which is the checkpoint. */
export async function forgetSnapshot(query: Query, { id }: HeldWorld, name: string): Promise<void> {
  await query("delete from snapshots where world = $1 and name = $2 and name <> ''", [id, name]);
}

/** Everything of a world up to a record, which is then no longer needed by itself. What is newer stays as it is. */
export async function writeCheckpoint(
  query: Query,
  world: string,
  seq: number,
  { template, body }: Body,
): Promise<void> {
  await withBody(query, body, (values) =>
    query(
      `insert into snapshots (world, name, seq, format, template, body) values ($1, '', $2, ${FORMAT}, $3, ${bodyAt(4)})
       on conflict (world, name) do update
       set seq = excluded.seq, at = now(), format = excluded.format, template = excluded.template, body = excluded.body
       where snapshots.seq < excluded.seq`,
      [world, seq, template, ...values],
    ),
  );
  await query("delete from journal where world = $1 and seq <= $2", [world, seq]);
}

const mustBeMade = (body: Body | undefined): Body => {
  if (!body) throw new Error("the rows were not prepared");
  return body;
};
