// Finds the steps of a fixture that made the records of a world: it plays the fixture's history again in a copy. The same seed makes the same
// ids, so every record of the fixture has its cause.

import type { Instant } from "../domain/kernel/instant.ts";
import type { Identity } from "../domain/kernel/records.ts";
import type { FixtureStep } from "../fixtures/load.ts";
import { beginWorld, loadFixture } from "../fixtures/load.ts";
import { anchorBefore } from "../fixtures/shift.ts";
import type { Past, PastCommit } from "../world/state/commit.ts";
import { emptyCollections } from "../world/state/schema.ts";
import { playedWith } from "../world/state/seed.ts";
import { type FixtureWorldsDeps, loadingOf, stageFor } from "./fixture-worlds.ts";

const NO_PAST: Past = new Map();
/** Histories are long, and few fixtures are in use at a time. */
const MAX_CACHED = 4;
const cache = new Map<string, Past>();

/** Returns no steps if the fixture has changed since. */
export function findFixturePast(stage: FixtureWorldsDeps, identity: Identity): Past {
  const { origin, began_at, made_of, assumptions } = identity;
  const seed = playedWith(identity.seed);
  const fixture = stage.fixture(origin.fixture);
  // Another fixture would make other records.
  if (fixture.print !== made_of || began_at === undefined) return NO_PAST;
  // Everything that a history depends on.
  const key = JSON.stringify([origin.fixture, made_of, seed, began_at, assumptions]);
  const cached = cache.get(key);
  if (cached) return cached;
  const past = groupById(playFixture(stage, { ...identity, seed }, began_at));
  const [oldest = ""] = cache.keys();
  if (cache.size >= MAX_CACHED) cache.delete(oldest);
  cache.set(key, past);
  return past;
}

function playFixture(stage: FixtureWorldsDeps, identity: Identity, began_at: Instant): PastCommit[] {
  const { origin } = identity;
  const fixture = stage.fixture(origin.fixture);
  const anchor = anchorBefore(began_at, fixture.world);
  const commits: PastCommit[] = [];
  // Before the first step only time passes.
  let step: FixtureStep = { name: "clock", title: "time" };
  // Its input was checked when it was read, or played first.
  const sound = { ...fixture, sound: true };
  const world = stageFor(stage, identity, emptyCollections(), (commit) => {
    commits.push({ ...commit, step: step.name, title: step.title });
  });
  const loading = {
    taking(next: FixtureStep) {
      step = next;
    },
  };
  world.transact(anchor, (tx) => tx.identity.put(identity));
  loadFixture(fixture, { ...loadingOf(stage, sound, world, anchor), ...loading });
  beginWorld(fixture, { ...loadingOf(stage, sound, world, began_at), ...loading });
  return commits;
}

function groupById(commits: readonly PastCommit[]): Past {
  const found = new Map<string, PastCommit[]>();
  for (const commit of commits)
    for (const { id } of commit.changes) {
      const own = found.get(id) ?? [];
      // A commit may change a record twice.
      if (own.at(-1) !== commit) own.push(commit);
      found.set(id, own);
    }
  return found;
}
