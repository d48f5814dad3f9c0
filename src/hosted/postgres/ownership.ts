// Who owns which world. A world is taken by its epoch: who has seen it free changes it only if nobody has since, and an insert of the
// former owner that is still under way is waited for. A node that is silent for too long is removed first: from then on its heartbeat
// finds nothing, so it knows.

import type { Query } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { VALID_S } from "./registration.ts";
import type { ListedWorld } from "./shared-worlds.ts";

/** Where a world lives; `free` when no living node has it open. `ours`: this node owns it, and has lost it from memory. */
export type OwnerLocation =
  | { is: "here" }
  | { is: "elsewhere"; node: string; url: string }
  | { is: "free"; ours?: true }
  | { is: "unknown" };

interface FoundOwner {
  owner: string | null;
  epoch: string;
  team: string | null;
  bytes: number;
  due: number | null;
  url: string | null;
  alive: boolean;
}

interface OwnedWorld {
  epoch: number;
  team: string | null;
  due: number | undefined;
  /** Entries that are no longer stored. */
  dropped: number;
  /** No node has given a later number to an entry of the world. */
  lastSeq: number;
}

/** What became of the attempt to take a world. */
type Owned = (OwnedWorld & { is: "mine" }) | Extract<OwnerLocation, { is: "elsewhere" | "unknown" }>;

// Alive is decided by the database's clock, so that no node's own clock matters.
async function find(query: Query, world: string): Promise<FoundOwner | undefined> {
  const { rows } = await query<FoundOwner>(
    `select w.owner, w.epoch, w.team, (extract(epoch from w.next_due_at) * 1000)::float8 as due, n.url,
            coalesce(n.until > clock_timestamp(), false) as alive
     from worlds w left join nodes n on n.id = w.owner where w.id = $1`,
    [world],
  );
  return rows[0];
}

/** `isHeld`: this node has it in memory. One that it owns and has not is free. */
export async function whereIs(query: Query, node: string, world: string, isHeld: boolean): Promise<OwnerLocation> {
  const found = await find(query, world);
  // Not yet made, or removed by another node.
  if (!found) return { is: "unknown" };
  const { owner, alive, url } = found;
  if (owner === node && isHeld) return { is: "here" };
  const isOthers = owner !== null && owner !== node && alive;
  if (isOthers) return { is: "elsewhere", node: owner, url: url ?? "" };
  return owner === node ? { is: "free", ours: true } : { is: "free" };
}

export async function addressOfNode(query: Query, node: string): Promise<string | undefined> {
  const living = "select url from nodes where id = $1 and until > clock_timestamp()";
  const { rows } = await query<{ url: string }>(living, [node]);
  return rows[0]?.url;
}

/**
 * Loops while somebody else changes the row: whoever changed it has taken the world or given it up, which the next
 * round sees.
 */
export async function acquireOwnership(query: Query, node: string, world: string): Promise<Owned> {
  for (;;) {
    const found = await find(query, world);
    if (!found) return { is: "unknown" };
    const { owner, epoch, alive, url, team, due } = found;
    if (owner !== null && owner !== node && alive) return { is: "elsewhere", node: owner, url: url ?? "" };
    // Its heartbeat may have come meanwhile.
    if (owner !== null && owner !== node && url !== null && !(await removeDeadNode(query, owner))) continue;
    const { rows } = await query<Omit<OwnedWorld, "team" | "due">>(
      // The compare and the set are one statement: of two who saw the same epoch, one gets a row.
      `update worlds set owner = $2, epoch = nextval('epochs'), used_at = now()
       where id = $1 and epoch = $3 and owner is not distinct from $4
       returning epoch::float8 as epoch, dropped::float8 as dropped, last_seq::float8 as "lastSeq"`,
      [world, node, epoch, owner],
    );
    if (rows[0]) return { is: "mine", ...rows[0], team, due: due ?? undefined };
  }
}

/** True where this statement removed the row. Its removal is what ends the former ownership. */
async function removeDeadNode(query: Query, node: string): Promise<boolean> {
  const { rowCount } = await query("delete from nodes where id = $1 and until < clock_timestamp()", [node]);
  return rowCount === 1;
}

/** A world of this ownership is given up; one that was taken since is left alone. One that nobody has used keeps the time of its making. */
export async function releaseOwnership(
  query: Query,
  { id, epoch }: Pick<HeldWorld, "id" | "epoch">,
  { bytes, lastSeq = 0, isUnused = false }: { bytes?: number; lastSeq?: number; isUnused?: boolean } = {},
): Promise<void> {
  await query(
    `update worlds set owner = null, used_at = case when $4 then used_at else now() end, bytes = coalesce($3, bytes),
     last_seq = greatest(last_seq, $5) where id = $1 and epoch = $2`,
    [id, epoch, bytes ?? null, isUnused, lastSeq],
  );
}

/** When a node stops in order: its worlds are free at once, and not only when its row has aged. */
export async function releaseAll(query: Query, node: string): Promise<void> {
  await query("update worlds set owner = null, used_at = now() where owner = $1", [node]);
}

/**
 * Each to one node at a time: whichever node gets a world puts it off for as long as a heartbeat is good for, and others see it again only then.
 * Two that ask at once step over the rows of each other.
 */
export async function overdue(query: Query, most: number): Promise<string[]> {
  const { rows } = await query<{ id: string }>(
    `with due as materialized (
       select w.id, w.next_due_at from worlds w left join nodes n on n.id = w.owner
       where w.next_due_at <= clock_timestamp() and coalesce(n.until < clock_timestamp(), true)
       order by w.next_due_at limit $1 for no key update of w skip locked
     ), put_off as (
       update worlds w set next_due_at = clock_timestamp() + make_interval(secs => ${VALID_S}) from due where w.id = due.id
     ) select id from due order by next_due_at`,
    [most],
  );
  return rows.map(({ id }) => id);
}

// ISO 8601 in UTC to the second, as the control API shows it.
const INSTANT = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as ${column}`;

/** One page by id. `team` undefined lists all, null the operator's. A node that is dead owns nothing. */
export async function listed(
  query: Query,
  { team, after, limit }: { team?: string | null; after?: string; limit: number },
): Promise<ListedWorld[]> {
  const { rows } = await query<ListedWorld>(
    `select w.id, w.team, w.recipe, ${INSTANT("created_at")}, ${INSTANT("used_at")}, w.bytes::float8 as bytes,
            n.url as owner
     from worlds w left join nodes n on n.id = w.owner and n.until > clock_timestamp()
     where w.id > $1 and ($2 or w.team is not distinct from $3) order by w.id limit $4`,
    [after ?? "", team === undefined, team ?? null, limit],
  );
  return rows;
}
