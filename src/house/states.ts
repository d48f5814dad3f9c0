// How worlds come to be, are copied, put back and taken away. Assumptions: ids (a fork's seed is mixed with its id), delivery-targets
// (subscriptions of a fork are disabled).
import { createHash } from "node:crypto";
import type { Fixture } from "../fixtures/read.ts";
import { loadFixture } from "../fixtures/load.ts";
import type { Desk } from "../domain/desk.ts";
import { createKey, SCOPES } from "../domain/key.ts";
import type { Instant } from "../domain/instant.ts";
import type { ClockRecord, Identity, Key } from "../domain/records.ts";
import { settleUntil } from "../time/advance.ts";
import { held, running, type WallClock } from "../time/clock.ts";
import { fromMillis } from "../domain/instant.ts";
import { type Collections, emptyCollections } from "../world/shelves.ts";
import { copyCollections, makeWorld, placeRows, type World, type WorldHooks } from "../world/world.ts";
import type { Worlds } from "../world/worlds.ts";
import { exportWorld, readDocument } from "./world-document.ts";

export interface WorldWish {
  id?: string;
  fixture?: string;
  clock?: Instant;
  seed?: string | number;
}

export interface Needs {
  worlds(): Worlds;
  fixture(name: string): Fixture;
  hooksOf(id: string): Omit<WorldHooks, "keep">;
  perform(desk: Desk, act: string, input: unknown): void;
  newCredentials(): { id: string; secret: string };
  newWorldId(): string;
  wall: WallClock;
  now(world: World): Instant;
  /** Told when a world's past is gone: its queues, its journal. */
  forgotten(id: string): void;
  usual: { fixture: string; clock: Instant | undefined; seed: string | undefined; assume: Readonly<Record<string, string>>; allowPublic: boolean };
}

/** Held worlds that were played before, by what they were played from: the next one of the kind is a copy. */
const MOST_TEMPLATES = 8;

export function makeStates(needs: Needs) {
  const { worlds, usual, wall } = needs;
  const templates = new Map<string, Collections>();

  function played(origin: Identity["origin"], seed: string, assumptions: Identity["assumptions"]): Collections {
    const key = JSON.stringify([origin, seed, assumptions]);
    const known = origin.clock === undefined ? undefined : templates.get(key);
    const collections = known ?? play(needs, origin, seed, assumptions);
    if (origin.clock !== undefined && !known) {
      if (templates.size >= MOST_TEMPLATES) templates.delete([...templates.keys()][0] ?? "");
      templates.set(key, collections);
    }
    return copyCollections(collections);
  }

  function create(wish: WorldWish): World {
    const name = wish.fixture ?? usual.fixture;
    const clock = wish.clock ?? usual.clock;
    const seed = String(wish.seed ?? usual.seed ?? needs.fixture(name).world.seed);
    const origin = { fixture: name, ...(clock === undefined ? {} : { clock }) };
    const collections = played(origin, seed, { ...usual.assume });
    renewKeys(collections, needs.newCredentials);
    return worlds().create(wish.id ?? needs.newWorldId(), collections);
  }

  return {
    create,
    fork(world: World, count: number): World[] {
      return Array.from({ length: count }, () => forkOne(needs, world));
    },
    remove(world: World): void {
      needs.forgotten(world.id);
      worlds().drop(world.id);
    },
    reset(world: World): World {
      const identity = world.collections.identity.get("identity") as Identity;
      needs.forgotten(world.id);
      return worlds().replace(world.id, played(identity.origin, identity.seed, identity.assumptions));
    },
    export: (world: World): object => exportWorld(world),
    import(world: World, document: unknown): { world: World; warnings: string[] } {
      const { rows, warnings } = readDocument(document, usual.allowPublic);
      needs.forgotten(world.id);
      const collections = emptyCollections();
      placeRows(collections, rows);
      return { world: worlds().replace(world.id, collections), warnings };
    },
    save(world: World, name: string): void {
      worlds().save(world.id, name, fromMillis(wall()), needs.now(world));
    },
    restore(world: World, name: string): World {
      needs.forgotten(world.id);
      return worlds().restore(world.id, name);
    },
  };
}

/** Plays a fixture in a world of its own that nobody sees. */
function play(needs: Needs, origin: Identity["origin"], seed: string, assumptions: Identity["assumptions"]): Collections {
  const fixture = needs.fixture(origin.fixture);
  const { address } = needs.hooksOf("default");
  const register = needs.hooksOf("").assumes;
  const assumes = (id: string) => assumptions[id] ?? register(id);
  const world = makeWorld("loading", { assumes, address, keep: () => undefined });
  const now = origin.clock ?? fromMillis(needs.wall());
  const clockAt = (at: Instant): ClockRecord => held(at);
  const cursor_key = createHash("sha256").update(`${seed}:cursor`).digest("hex");
  world.transact(now, (desk) => desk.identity.put({ id: "identity", seed, fixture: fixture.name, cursor_key, assumptions, origin }));
  loadFixture(fixture, {
    now,
    transact: (at, work) => world.transact(at, work).result,
    perform: (at, act, input) => void world.transact(at, (desk) => needs.perform(desk, act, input)),
    advance: (until) => void settleUntil(world, until, { change: world.transact, look: (question) => world.read(until, question), clockAt }),
  });
  const clock = origin.clock === undefined ? running(now, needs.wall) : held(origin.clock);
  world.transact(now, (desk) => desk.clock.put(clock));
  return world.collections;
}

/** Every world has keys of its own; where a fixture names none, one with every scope. */
function renewKeys(collections: Collections, newCredentials: Needs["newCredentials"]): void {
  const old = [...collections.keys.all()];
  for (const key of old) collections.keys.set(key.id, null);
  const wishes: Pick<Key, "name" | "scopes">[] = old.length > 0 ? old : [{ name: "Sandbox integration", scopes: [...SCOPES] }];
  for (const { name, scopes } of wishes) {
    const key = { ...newCredentials(), name, scopes, created_at: collections.clock.get("clock")?.at ?? "" };
    collections.keys.set(key.id, key);
  }
}

function forkOne(needs: Needs, world: World): World {
  const id = needs.newWorldId();
  const fork = needs.worlds().fork(world.id, id);
  const keys = [...world.collections.keys.all()].filter((key) => !key.revoked_at);
  fork.transact(needs.now(world), (desk) => {
    for (const key of [...fork.collections.keys.all()]) desk.keys.remove(key.id);
    for (const token of [...fork.collections.tokens.all()]) desk.tokens.remove(token.id);
    for (const { name, scopes } of keys) createKey(desk, { ...needs.newCredentials(), name, scopes });
    for (const subscription of [...fork.collections.subscriptions.all()]) desk.subscriptions.put({ ...subscription, state: "DISABLED" });
    for (const delivery of [...desk.deliveries.walk("due")]) desk.deliveries.put({ ...delivery, state: "DROPPED" });
    const identity = desk.identity.get("identity");
    if (identity) desk.identity.put({ ...identity, seed: `${identity.seed}/${id}` });
  });
  return fork;
}
