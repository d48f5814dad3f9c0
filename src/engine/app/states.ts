// How worlds are created, forked, reset, imported, restored and removed.

import type { Schemas } from "../../contract/schemas.ts";
import { SCOPES, sortKeys } from "../domain/company/key.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant } from "../domain/kernel/instant.ts";
import type { Key } from "../domain/kernel/records.ts";
import type { State } from "../log/entry.ts";
import type { Past } from "../world/state/commit.ts";
import type { Collections } from "../world/state/schema.ts";
import { ownSeed } from "../world/state/seed.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import { findFixturePast } from "./fixture-past.ts";
import { beginningAt, type FixtureWorldsDeps, type Play, played } from "./fixture-worlds.ts";
import { forkOne } from "./fork.ts";
import type { PastState } from "./history.ts";
import { importWorld } from "./import-world.ts";
import { isMomentName } from "./moments.ts";
import { makePopulate } from "./populate-world.ts";
import type { RecordCheck } from "./record-check.ts";
import { exportWorld } from "./world-export.ts";

type WorldInput = Omit<Schemas["WorldInput"], "webhook_events">;

interface StatesDeps extends FixtureWorldsDeps {
  worlds: Worlds;
  newCredentials(world: string): { id: string; secret: string };
  newWorldId(): string;
  now(world: World): Instant;
  /** The past of a world is gone: its deliveries in the queue, its request log, its faults. */
  forgotten(id: string): void;
  /** A world is there, or has another state: its due deliveries are to be sent. */
  loaded(world: World): void;
  /** Begins the past of a world of which nothing is retained. */
  opened(world: World, why: "opened"): void;
  /** Runs the work while the world's clock does nothing. */
  exclusively<T>(world: World, work: () => Promise<T>): Promise<T>;
  check: RecordCheck;
  defaults: {
    fixture: string;
    clock: string | undefined;
    seed: string | undefined;
    /** Worlds for which none was asked have one of their own. */
    ownSeeds: boolean;
    assume: Readonly<Record<string, string>>;
    allowPublic: boolean;
  };
}

/** Each that replaces a world forgets what belonged to the old one. */
export function makeStates(needs: StatesDeps) {
  const { worlds, defaults, wall } = needs;
  /** Fork → the world that it was copied from, of this run. */
  const origins = new Map<string, string>();

  /** Options of the start fill in what the input leaves out. */
  function create(input: WorldInput): World {
    const name = input.fixture ?? defaults.fixture;
    const clock = beginningAt(input.clock ?? defaults.clock, () => needs.fixture(name));
    const id = input.id ?? needs.newWorldId();
    // A receiver may serve several worlds, and knows messages by their ids.
    const isOwn = defaults.ownSeeds || input.webhook_url !== undefined;
    const seed = input.seed === undefined ? seedOf(needs, { world: id, name, isOwn }) : String(input.seed);
    const origin = { fixture: name, ...(clock === undefined ? {} : { clock }) };
    const { collections, template } = played(needs, { origin, seed, assumptions: { ...defaults.assume } });
    renewKeys(collections, () => needs.newCredentials(id));
    const world = worlds.create(id, collections, template);
    needs.loaded(world);
    return world;
  }

  /** The new world, without the past of the one it replaces. */
  function replaced(id: string, make: () => World): World {
    // Before: deliveries of the old world must not be sent from the new one.
    needs.forgotten(id);
    const world = make();
    needs.loaded(world);
    return world;
  }

  return {
    create,
    fork(world: World, count: number, past?: PastState): World[] {
      const at = past?.point.at ?? needs.now(world);
      const forks = Array.from({ length: count }, () => forkOne(needs, world, at, past?.changes ?? []));
      for (const { id } of forks) origins.set(id, world.id);
      return forks;
    },
    originOf: (id: string): string | undefined => origins.get(id),
    remove(world: World): void {
      origins.delete(world.id);
      needs.forgotten(world.id);
      worlds.drop(world.id);
    },
    /** Puts a world here as the store has it. */
    open(id: string, state: State): World {
      const world = worlds.load(id, state);
      needs.opened(world, "opened");
      needs.loaded(world);
      return world;
    },
    /** The one door out of memory: what was held here of the world is forgotten; the store keeps the world. */
    close(world: World): void {
      origins.delete(world.id);
      needs.forgotten(world.id);
      worlds.close(world.id);
    },
    reset(world: World): World {
      // Before anything is forgotten, for it may be rejected.
      const { collections, template } = played(needs, beginningOf(needs, world));
      return replaced(world.id, () => worlds.replace(world.id, collections, template));
    },
    /** What the steps of its fixture changed, before its history began. */
    pastOf(world: World): Past {
      const identity = world.identity();
      return identity ? findFixturePast(needs, identity) : new Map();
    },
    export: (world: World): Iterable<string> => exportWorld(world),
    import: (world: World, document: unknown) => importWorld(needs, world.id, document),
    populate: makePopulate(needs),
    save(world: World, name: string): void {
      const what = `${name} names another moment of the history, as numbers, now and the ids of requests do. Choose another name.`;
      if (isMomentName(name)) reject("INVALID_INPUT", [{ path: "path.name", what }]);
      worlds.save(world.id, name, fromMillis(wall()), needs.now(world));
    },
    restore(world: World, name: string): World {
      return replaced(world.id, () => worlds.restore(world.id, name));
    },
  };
}

/** Where nobody has asked for one. */
function seedOf(
  { defaults, fixture }: StatesDeps,
  { world, name, isOwn }: { world: string; name: string; isOwn: boolean },
): string {
  const seed = defaults.seed ?? String(fixture(name).world.seed);
  return defaults.seed === undefined && isOwn ? ownSeed(seed, world) : seed;
}

/** What a world is reset to: its identity, which a document or an edited data file may have brought. */
function beginningOf(needs: StatesDeps, world: World): Play {
  const { check, defaults, fixture } = needs;
  const identity = world.identity();
  const problem = check("identity", identity);
  // An unknown assumption does no harm.
  if (identity && (!problem || problem.member === "assumptions")) return identity;
  // Reset to another fixture would be a surprise.
  if (identity && problem?.member === "origin.fixture") {
    reject("FIXTURE_NOT_HERE", { world_id: world.id, fixture: String(identity.origin.fixture).slice(0, 100) });
  }
  const clock = beginningAt(defaults.clock, () => fixture(defaults.fixture));
  const origin = { fixture: defaults.fixture, ...(clock === undefined ? {} : { clock }) };
  return {
    origin,
    seed: seedOf(needs, { world: world.id, name: defaults.fixture, isOwn: defaults.ownSeeds }),
    assumptions: { ...defaults.assume },
  };
}

// The keys of a new world: they are its own, whatever its records were copied from.

/** Where a fixture names none, one with every scope. */
function renewKeys(collections: Collections, newCredentials: () => { id: string; secret: string }): void {
  const old = sortKeys(collections.keys.all());
  for (const key of old) collections.keys.set(key.id, null);
  const inputs: Pick<Key, "name" | "scopes">[] =
    old.length > 0 ? old : [{ name: "Sandbox integration", scopes: [...SCOPES] }];
  for (const [index, { name, scopes }] of inputs.entries()) {
    const created_at = collections.clock.get("clock")?.at ?? "";
    const key = { ...newCredentials(), name, scopes, created_at, position: index + 1 };
    collections.keys.set(key.id, key);
  }
}
