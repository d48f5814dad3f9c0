// Which node owns which world. A takeover is an update under the epoch that was read, so it fails if another node was
// faster, and it waits for an insert of the former owner. The row of a silent node is removed first, so the next
// heartbeat of that node fails.

import type { ListedWorld } from "../../engine/app/index.ts";
import type { Query } from "./connection.ts";
import { VALID_S } from "./registration.ts";
import type { HeldWorld } from "./write-batch.ts";

/** `free`: no living node has the world open. `ours`: this node owns the world, and has lost it from memory. */
export type OwnerLocation =
  | { is: "here" }
  | { is: "elsewhere"; url: string }
  | { is: "free"; ours?: true }
  | { is: "unknown" };

interface FoundOwner {
  owner: string | null;
  epoch: string;
  due: number | null;
  url: string | null;
  alive: boolean;
}

/** `dropped`: the number of entries that are no longer stored. `lastSeq`: no entry of the world has a later number. */
interface OwnedWorld {
  epoch: number;
  dropped: number;
  lastSeq: number;
}

// The database's clock decides which nodes are alive.
async function findOwner(query: Query, world: string): Promise<FoundOwner | undefined> {
  const [found] = await query<FoundOwner>(
    `select w.owner, w.epoch, (extract(epoch from w.next_due_at) * 1000)::float8 as due, n.url,
            coalesce(n.until > clock_timestamp(), false) as alive
     from worlds w left join nodes n on n.id = w.owner where w.id = $1`,
    [world],
  );
  return found;
}

function locateElsewhere({ owner, alive, url }: FoundOwner, node: string) {
  if (owner === null || owner === node || !alive) return undefined;
  return { is: "elsewhere", url: url ?? "" } as const;
}

/** `isHeld`: this node has the world in memory. */
export async function locateWorld(query: Query, node: string, world: string, isHeld: boolean): Promise<OwnerLocation> {
  const found = await findOwner(query, world);
  if (!found) return { is: "unknown" };
  if (found.owner !== node) return locateElsewhere(found, node) ?? { is: "free" };
  return isHeld ? { is: "here" } : { is: "free", ours: true };
}

export async function findNodeUrl(query: Query, node: string): Promise<string | undefined> {
  const living = "select url from nodes where id = $1 and until > clock_timestamp()";
  const [found] = await query<{ url: string }>(living, [node]);
  return found?.url;
}

/** Repeats while other nodes change the row: the next round sees that they have taken the world or given it up. */
export async function acquireOwnership(query: Query, node: string, world: string) {
  for (;;) {
    const found = await findOwner(query, world);
    if (!found) return { is: "unknown" } as const;
    const elsewhere = locateElsewhere(found, node);
    if (elsewhere) return elsewhere;
    const { owner, epoch, url, due } = found;
    // The heartbeat of the other node may have arrived since.
    if (owner !== null && owner !== node && url !== null && !(await removeDeadNode(query, owner))) continue;
    const [owned] = await query<OwnedWorld>(
      // If two nodes read the same epoch, only one gets a row.
      `update worlds set owner = $2, epoch = nextval('epochs'), used_at = now()
       where id = $1 and epoch = $3 and owner is not distinct from $4
       returning epoch::float8 as epoch, dropped::float8 as dropped, last_seq::float8 as "lastSeq"`,
      [world, node, epoch, owner],
    );
    if (owned) return { is: "mine", ...owned, due: due ?? undefined } as const;
  }
}

/** Returns a number that is not below that of any entry of a removed world. */
export async function findLastRemoved(query: Query): Promise<number> {
  const [found] = await query<{ last: number }>("select last_value::float8 as last from removed_numbers");
  return found?.last ?? 0;
}

/** Returns whether this statement removed the row, which ends the former ownership. */
async function removeDeadNode(query: Query, node: string): Promise<boolean> {
  const removed = await query("delete from nodes where id = $1 and until < clock_timestamp() returning id", [node]);
  return removed.length > 0;
}

/** Does nothing if the world was taken since. */
export async function releaseOwnership(
  query: Query,
  { id, epoch }: Pick<HeldWorld, "id" | "epoch">,
  lastSeq = 0,
): Promise<void> {
  await query(
    `update worlds set owner = null, used_at = now(), last_seq = greatest(last_seq, $3)
     where id = $1 and epoch = $2`,
    [id, epoch, lastSeq],
  );
}

/**
 * Returns worlds in which something is due, and hides them from other nodes for the validity of a heartbeat. Nodes skip
 * locked rows.
 */
export async function claimOverdue(query: Query, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    `with due as materialized (
       select w.id, w.next_due_at from worlds w left join nodes n on n.id = w.owner
       where w.next_due_at <= clock_timestamp() and coalesce(n.until < clock_timestamp(), true)
       order by w.next_due_at limit $1 for no key update of w skip locked
     ), put_off as (
       update worlds w set next_due_at = clock_timestamp() + make_interval(secs => ${VALID_S}) from due where w.id = due.id
     ) select id from due order by next_due_at`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** Returns the worlds of a team, those without a team (`null`), or all, in the order of their ids. */
export function listWorlds(query: Query, team: string | null | undefined): Promise<ListedWorld[]> {
  return query(
    `select id, recipe, to_char(used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as used_at
     from worlds where $1 or team is not distinct from $2 order by id`,
    [team === undefined, team ?? null],
  );
}
