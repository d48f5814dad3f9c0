// Whether teams have room for the worlds that a batch makes. Their rows are locked before anything is counted, so that what other nodes make
// at the same time is counted too; worlds that are made together are kept together, or not at all.

import { QuotaError, StoreError } from "../../engine/log/index.ts";
import { quotaWords } from "../teams/quota-words.ts";
import type { Step } from "./batch.ts";
import type { Query } from "./connection.ts";
import type { Making } from "./shared-worlds.ts";

/** Returns why worlds are not kept. The locks are taken in one order, so that two batches never wait for each other. */
export async function findRejectedMakings(query: Query, steps: readonly Step[]): Promise<ReadonlyMap<Making, Error>> {
  const sizes = new Map<Making, number>();
  for (const step of steps)
    if (step.do === "begin" && step.made && step.made.team !== null)
      sizes.set(step.made, (sizes.get(step.made) ?? 0) + 1);
  const rejected = new Map<Making, Error>();
  // Most batches make no world of a team, and take no lock.
  if (sizes.size === 0) return rejected;
  const teams = [...new Set(Array.from(sizes.keys(), ({ team }) => team))];
  const { rows: locked } = await query<{ id: string; most: number | null }>(
    `select id, (quotas->>'worlds')::float8 as most from teams where id = any($1::text[]) order by id for no key update`,
    [teams],
  );
  // A statement of its own: it must see what was committed while the first one waited for the locks.
  const { rows: counts } = await query<{ id: string; has: number }>(
    "select team as id, count(*)::int as has from worlds where team = any($1::text[]) group by team",
    [teams],
  );
  const has = new Map(counts.map((row) => [row.id, row.has]));
  for (const [making, size] of sizes) {
    const row = locked.find(({ id }) => id === making.team);
    const count = has.get(row?.id ?? "") ?? 0;
    // The team was removed between the request and the batch.
    if (!row) rejected.set(making, new StoreError(`The team ${making.team} is gone, so there is no world for it.`));
    else if (row.most !== null && count + size > row.most)
      rejected.set(making, new QuotaError(quotaWords.worlds(row.id, count, row.most, size)));
    else has.set(row.id, count + size);
  }
  return rejected;
}
