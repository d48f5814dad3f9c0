// Whether teams have room for the worlds that a batch makes. Their rows are locked before anything is counted, so that what other nodes make
// at the same time is counted too; worlds that are made together are kept together, or not at all.

import { QuotaError, StoreError } from "../../engine/log/store-error.ts";
import { quotaWords } from "../teams/quota-words.ts";
import type { Step } from "./batch.ts";
import type { Query } from "./connection.ts";
import type { Making } from "./shared-worlds.ts";

/** Why worlds are not kept; it is decided with the first of those that are made together. */
export type Room = (making: Making) => Promise<Error | undefined>;

/** The locks are taken in one order, so that two batches never wait for each other. */
export async function roomOfTeams(query: Query, steps: readonly Step[]): Promise<Room> {
  const sizes = new Map<Making, number>();
  for (const { made } of steps.filter((step) => step.do === "replace"))
    if (made && made.team !== null) sizes.set(made, (sizes.get(made) ?? 0) + 1);
  // Most batches make no world of a team, and take no lock.
  if (sizes.size === 0) return async () => undefined;
  const { rows } = await query<{ id: string; most: number | null }>(
    `select id, (quotas->>'worlds')::float8 as most from teams where id = any($1::text[]) order by id for no key update`,
    [[...new Set(Array.from(sizes.keys(), ({ team }) => team))]],
  );
  const quotas = new Map(rows.map(({ id, most }) => [id, most]));

  async function whyNot(team: string, count: number): Promise<Error | undefined> {
    const most = quotas.get(team);
    // It was removed between the request and the batch.
    if (most === undefined) return new StoreError(`The team ${team} is gone, so there is no world for it.`);
    if (most === null) return undefined;
    const { rows } = await query<{ has: number }>("select count(*)::int as has from worlds where team = $1", [team]);
    const has = rows[0]?.has ?? 0;
    return has + count <= most ? undefined : new QuotaError(quotaWords.worlds(team, has, most, count));
  }
  const decided = new Map<Making, Promise<Error | undefined>>();
  return async (making) => {
    if (making.team === null) return undefined;
    // The same object for worlds that one request makes: the first decides for all.
    const known = decided.get(making) ?? whyNot(making.team, sizes.get(making) ?? 1);
    decided.set(making, known);
    return known;
  };
}
