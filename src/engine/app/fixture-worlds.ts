// Creates worlds from fixtures. The rules fill a hidden template world up to the end of its history, which is cached
// for this process. A world is a copy of its template; then the fixture's records about the present get their times,
// and time continues to now.
import { createHash } from "node:crypto";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant, readInstant } from "../domain/kernel/instant.ts";
import type { Identity } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { beginWorld, type FixtureStep, type Loading, loadFixture } from "../fixtures/load.ts";
import type { Fixture, Prebuilt, PrebuiltRows } from "../fixtures/read.ts";
import { findAnchorBefore, getAnchor } from "../fixtures/shift.ts";
import { settleDue } from "../time/advance.ts";
import { hold, run } from "../time/clock.ts";
import { findDue } from "../time/due.ts";
import { applyRows, type Collections, copyCollections, createCollections } from "../world/state/schema.ts";
import { readFixtureSeed } from "../world/state/seed.ts";
import { makeWorld, type SharedHooks, type World } from "../world/state/world.ts";
import type { Template } from "../world/state/worlds.ts";
import { getDefaultAssumption } from "./assumptions.ts";
import type { Clocks } from "./clocks.ts";

export interface FixtureDeps {
  clocks: Pick<Clocks, "wall">;
  prebuilt: Prebuilt;
  fixture(name: string): Fixture;
  createHooks(id: string): SharedHooks;
  /** Performs an act of a fixture's history. `sound`: the build has validated its input. */
  perform(tx: Transaction, act: string, input: unknown, sound: boolean): void;
}

/** The input that determines the contents of a new world. */
export type FixtureInput = Pick<Identity, "origin" | "seed" | "assumptions">;

/**
 * Templates by their input, for all sandboxes of the process. Each is a complete world, so the least recently used are
 * dropped.
 */
const templates = new Map<string, Collections>();
const MAX_TEMPLATES = 16;

function rememberTemplate(key: string, make: () => Collections): Collections {
  const template = templates.get(key) ?? make();
  // The entry moves to the end, so the first key is the least recently used.
  templates.delete(key);
  templates.set(key, template);
  if (templates.size > MAX_TEMPLATES) templates.delete([...templates.keys()][0] ?? "");
  return template;
}

/**
 * A history refers to tickets of its bookings by position, so it is played with the default. An override applies
 * afterwards.
 */
const DEFAULT_WHILE_PLAYED = ["tickets"];

export class FixtureWorlds {
  readonly #deps: FixtureDeps;

  constructor(deps: FixtureDeps) {
    this.#deps = deps;
  }

  /** Returns the fixture and the normalized start time of a world. Without a time its clock follows real time. */
  createOrigin(fixture: string, clock: string | undefined): FixtureInput["origin"] {
    if (clock === undefined || clock === "now") return { fixture };
    if (clock === "anchor") return { fixture, clock: getAnchor(this.#deps.fixture(fixture).world) };
    const what = `${clock} is not an instant such as 2030-06-01T09:00:00Z, nor now or anchor.`;
    return { fixture, clock: readInstant(clock) ?? reject("INVALID_INPUT", { path: "clock", what }) };
  }

  /**
   * Creates the collections of a new world, and the template that they are copied from. Rejects if the fixture breaks a
   * rule.
   */
  play(given: FixtureInput): { collections: Collections; template: Template } {
    const { origin, assumptions } = given;
    const input = { origin, seed: readFixtureSeed(given.seed), assumptions };
    const fixture = this.#deps.fixture(origin.fixture);
    const now = origin.clock ?? fromMillis(this.#deps.clocks.wall());
    // History ends at the last anchor before the beginning, so that worlds of one day share a template.
    const anchor = findAnchorBefore(now, fixture.world);
    const key = JSON.stringify([fixture.name, fixture.print, anchor, input.seed, assumptions]);
    const begin = (template: Collections): Collections => {
      const collections = copyCollections(template);
      playSteps(beginWorld(fixture, this.#createLoading(fixture, this.#stage(input, collections), now)));
      return collections;
    };
    const loadHistory = () => rememberTemplate(key, () => this.#createTemplate(fixture, anchor, input));
    // A world always begins the same way at its anchor, so its beginning is a template too.
    const createBegun = () => this.#readPrebuilt(fixture, anchor, input) ?? begin(loadHistory());
    const isAtAnchor = now === anchor;
    const template = isAtAnchor ? rememberTemplate(`${key} begun`, createBegun) : loadHistory();
    const collections = isAtAnchor ? copyCollections(template) : begin(template);
    this.#stage(input, collections).transact(now, (tx) => {
      // The identity has the complete seed. The template was played with its first part.
      tx.identity.put({ ...createIdentity(fixture, given), began_at: now });
      tx.clock.put(origin.clock === undefined ? run(now, this.#deps.clocks.wall) : hold(now));
    });
    const digest = createHash("sha256").update(`${key} ${isAtAnchor}`).digest("hex").slice(0, 16);
    return { collections, template: { id: `@fixture-${digest}`, collections: template } };
  }

  /** Reads the world that the build has played, for its one day and without options. */
  #readPrebuilt(fixture: Fixture, anchor: Instant, input: FixtureInput): Collections | undefined {
    const { sound, world } = fixture;
    // The build has validated and played the world of the fixture's own seed and anchor, with the default assumptions.
    const isBuilt = sound && input.seed === String(world.seed) && Object.keys(input.assumptions).length === 0;
    if (!isBuilt || anchor !== getAnchor(world)) return undefined;
    return fillCollections(this.#deps.prebuilt.rows(fixture.name, fixture.print) ?? {}, fixture, anchor);
  }

  /** Creates the world at the end of its history. */
  #createTemplate(fixture: Fixture, anchor: Instant, input: FixtureInput): Collections {
    const collections = createCollections();
    const world = this.#stage(input, collections);
    world.transact(anchor, (tx) => tx.identity.put(createIdentity(fixture, input)));
    playSteps(loadFixture(fixture, this.#createLoading(fixture, world, anchor)));
    return collections;
  }

  /** Creates a world whose commits are not stored, since only the finished world is. */
  #stage({ assumptions }: FixtureInput, collections: Collections): World {
    const { address, assumes: atStart } = this.#deps.createHooks("");
    const assumes = (id: string) =>
      DEFAULT_WHILE_PLAYED.includes(id) ? getDefaultAssumption(id) : (assumptions[id] ?? atStart(id));
    return makeWorld("loading", { assumes, address, append: () => undefined }, collections);
  }

  #createLoading({ sound }: Fixture, world: World, now: Instant): Loading {
    const { perform } = this.#deps;
    return {
      now,
      transact: (at, work) => world.transact(at, work).result,
      perform: (at, act, input) => void world.transact(at, (tx) => perform(tx, act, input, sound)),
      advance(until) {
        const mover = { change: world.transact, nextDue: () => world.read(until, findDue), clockAt: hold };
        for (const _ of settleDue(world, until, mover));
      },
    };
  }
}

function playSteps(steps: Iterable<FixtureStep>): void {
  for (const _ of steps);
}

/** The caller renews its keys. */
function fillCollections(rows: PrebuiltRows, fixture: Fixture, anchor: Instant): Collections {
  const collections = createCollections();
  applyRows(
    collections,
    Object.entries(rows).flatMap(([name, list]) => list.map((row) => [name, row.id, row] as const)),
  );
  for (const [index, { name, scopes }] of (fixture.world.credentials ?? []).entries()) {
    // The keys have no secrets yet. They only say how many keys there are, and with which scopes.
    const key = { id: `key-${index}`, name, scopes: [...scopes], secret: "", created_at: anchor, position: index + 1 };
    collections.keys.set(key.id, key);
  }
  return collections;
}

function createIdentity(fixture: Fixture, { origin, seed, assumptions }: FixtureInput): Identity {
  // The key is derived from the seed, so that equal worlds have equal cursors.
  const cursor_key = createHash("sha256").update(`${seed}:cursor`).digest("hex");
  return { id: "identity", seed, fixture: fixture.name, cursor_key, assumptions, origin, made_of: fixture.print };
}
