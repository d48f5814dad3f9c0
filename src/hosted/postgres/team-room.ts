// Decides whether teams have room for the worlds that a batch creates. The rows of the teams are locked before worlds are counted, so that
// worlds of other nodes are counted too. Worlds that are created together are all kept, or none is.

import { QuotaError, StoreError } from "../../engine/log/index.ts";
import { quotaWords } from "../teams/quota-words.ts";
import type { Making, Step } from "./batch.ts";
import type { Query } from "./connection.ts";

/** Returns why worlds are not kept. Locks are taken in the order of ids, so that two batches never wait for each other. */
export async function findRejectedMakings(query: Query, steps: readonly Step[]): Promise<ReadonlyMap<Making, Error>> {
  const sizes = new Map<Making, number>();
  for (const step of steps)
    if (step.do === "begin" && step.made && step.made.team !== null)
      sizes.set(step.made, (sizes.get(step.made) ?? 0) + 1);
  const rejected = new Map<Making, Error>();
  // Most batches create no world of a team, and take no lock.
  if (sizes.size === 0) return rejected;
  const ids = [...new Set(Array.from(sizes.keys(), ({ team }) => team))];
  const teams = await query<{ id: string; most: number | null }>(
    `select id, (quotas->>'worlds')::float8 as most from teams where id = any($1::text[]) order by id for no key update`,
    [ids],
  );
  // A second statement sees what was committed while the first one waited for the locks.
  const counts = await query<{ id: string; count: number }>(
    "select team as id, count(*)::int as count from worlds where team = any($1::text[]) group by team",
    [ids],
  );
  const worlds = new Map(counts.map(({ id, count }) => [id, count]));
  for (const [making, size] of sizes) {
    const team = teams.find(({ id }) => id === making.team);
    const count = worlds.get(team?.id ?? "") ?? 0;
    if (!team) rejected.set(making, new StoreError(`The team ${making.team} is gone, so there is no world for it.`));
    else if (team.most !== null && count + size > team.most)
      rejected.set(making, new QuotaError(quotaWords.worlds(team.id, count, team.most, size)));
    else worlds.set(team.id, count + size);
  }
  return rejected;
}
