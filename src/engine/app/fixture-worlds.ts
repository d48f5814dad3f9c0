// Plays fixtures: a hidden template world is filled by the rules up to the end of its history, and cached for this process. A world is a copy
// of its template, made in constant time; then the fixture's records about the present take their times, and time continues to now.
import { createHash } from "node:crypto";
import { Slice } from "../../platform/slices.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant, readInstant } from "../domain/kernel/instant.ts";
import type { Identity } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { beginWorld, type FixtureStep, type Loading, loadFixture } from "../fixtures/load.ts";
import type { Prebuilt, PrebuiltRows } from "../fixtures/prebuilt.ts";
import type { Fixture } from "../fixtures/read.ts";
import { findAnchorBefore, getAnchor } from "../fixtures/shift.ts";
import { settleDue } from "../time/advance.ts";
import { hold, run, type WallClock } from "../time/clock.ts";
import { findDue } from "../time/due.ts";
import type { CommitContent, PastCommit } from "../world/state/commit.ts";
import { type Collections, createCollections, credentials, names } from "../world/state/schema.ts";
import { readFixtureSeed } from "../world/state/seed.ts";
import { applyRows, copyCollections, makeWorld, type SharedHooks, type World } from "../world/state/world.ts";
import type { Template } from "../world/state/worlds.ts";
import { defaultOf } from "./register.ts";

export interface FixtureWorldsDeps {
  fixture(name: string): Fixture;
  hooksOf(id: string): SharedHooks;
  /** Performs an act of a fixture's history; its input is `sound` when the build has checked it. */
  perform(tx: Transaction, act: string, input: unknown, sound: boolean): void;
  wall: WallClock;
  prebuilt: Prebuilt;
}

/** What determines a world that is played. */
export type Play = Pick<Identity, "origin" | "seed" | "assumptions">;

/** Templates and pasts by all that they depend on, for all sandboxes of the process: each is a whole world, so the oldest are dropped. */
const templates = new Map<string, Collections>();
const pasts = new Map<string, Promise<readonly PastCommit[]>>();
const MAX_TEMPLATES = 16;
const MAX_PASTS = 4;

function remember<T>(cache: Map<string, T>, max: number, key: string, make: () => T): T {
  const value = cache.get(key) ?? make();
  // Put in again at the end: the first key is the one not used for longest.
  cache.delete(cache.size >= max ? ([...cache.keys()][0] ?? "") : key);
  cache.set(key, value);
  return value;
}

/** What a file of a day holds: all but keys and tokens. */
const LASTING = names.filter((name) => !credentials.includes(name));

/** A history names tickets of its bookings by their position, so it is played under the default; an override holds afterwards. */
const PLAYED_BY_DEFAULT = ["tickets"];

export class FixtureWorlds {
  readonly #deps: FixtureWorldsDeps;

  constructor(deps: FixtureWorldsDeps) {
    this.#deps = deps;
  }

  /** Where a world's clock is held when it begins, in one spelling, so that text compares as time. Without a clock it runs with real time. */
  originAt(fixture: string, clock: string | undefined): Play["origin"] {
    if (clock === undefined || clock === "now") return { fixture };
    if (clock === "anchor") return { fixture, clock: getAnchor(this.#deps.fixture(fixture).world) };
    const what = `${clock} is not an instant such as 2030-06-01T09:00:00Z, nor now or anchor.`;
    return { fixture, clock: readInstant(clock) ?? reject("INVALID_INPUT", { path: "clock", what }) };
  }

  /** Makes the collections of a new world, at its beginning, and the template that they are a copy of. Rejects where the fixture breaks a rule. */
  play(given: Play): { collections: Collections; template: Template } {
    const { origin, assumptions } = given;
    const input = { origin, seed: readFixtureSeed(given.seed), assumptions };
    const fixture = this.#deps.fixture(origin.fixture);
    const now = origin.clock ?? fromMillis(this.#deps.wall());
    // History ends at the last anchor before the beginning, so that worlds of one day share a template.
    const anchor = findAnchorBefore(now, fixture.world);
    const key = JSON.stringify([fixture.name, fixture.print, anchor, input.seed, assumptions]);
    const begin = (template: Collections): Collections => {
      const collections = copyCollections(template);
      playSteps(beginWorld(fixture, this.#createLoading(fixture, this.#stage(input, collections), now)));
      return collections;
    };
    const history = () => remember(templates, MAX_TEMPLATES, key, () => this.#createTemplate(fixture, anchor, input));
    // The beginning of a world at its anchor is the same each time, so it is a template too.
    const createBegun = () => this.#readPrebuilt(fixture, anchor, input) ?? begin(history());
    const isAtAnchor = now === anchor;
    const template = isAtAnchor ? remember(templates, MAX_TEMPLATES, `${key} begun`, createBegun) : history();
    const collections = isAtAnchor ? copyCollections(template) : begin(template);
    this.#stage(input, collections).transact(now, (tx) => {
      // The identity has the seed as given; the template was played with what may be another.
      tx.identity.put({ ...createIdentity(fixture, given), began_at: now });
      tx.clock.put(origin.clock === undefined ? run(now, this.#deps.wall) : hold(now));
    });
    const digest = createHash("sha256").update(`${key} ${isAtAnchor}`).digest("hex").slice(0, 16);
    return { collections, template: { id: `@fixture-${digest}`, collections: template } };
  }

  /**
   * Lists what the steps of a fixture changed in a world, by playing it again: the same seed makes the same ids. Returns nothing if the
   * fixture has changed since, for another one would make other records. Others are served while it plays.
   */
  async listPast(identity: Identity): Promise<readonly PastCommit[]> {
    const { origin, began_at, made_of, assumptions } = identity;
    const seed = readFixtureSeed(identity.seed);
    const fixture = this.#deps.fixture(origin.fixture);
    if (fixture.print !== made_of || began_at === undefined) return [];
    const key = JSON.stringify([origin.fixture, made_of, seed, began_at, assumptions]);
    // Its input was checked when it was read, or played first.
    const sound = { ...fixture, sound: true };
    return remember(pasts, MAX_PASTS, key, () => this.#playAgain(sound, { ...identity, seed }, began_at));
  }

  async #playAgain(fixture: Fixture, identity: Identity, began_at: Instant): Promise<PastCommit[]> {
    const anchor = findAnchorBefore(began_at, fixture.world);
    const commits: PastCommit[] = [];
    // Before the first step only time passes.
    let step: FixtureStep = { name: "clock", title: "time" };
    const world = this.#stage(identity, createCollections(), (commit) => {
      commits.push({ ...commit, step: step.name, title: step.title });
    });
    world.transact(anchor, (tx) => tx.identity.put(identity));
    const slice = new Slice();
    for (const [play, now] of [
      [loadFixture, anchor],
      [beginWorld, began_at],
    ] as const)
      for (step of play(fixture, this.#createLoading(fixture, world, now))) if (slice.isOver) await slice.pause();
    return commits;
  }

  /** The world that the build has played up to its anchor: of one day and no options. */
  #readPrebuilt(fixture: Fixture, anchor: Instant, input: Play): Collections | undefined {
    if (!isDefault(fixture, input) || anchor !== getAnchor(fixture.world)) return undefined;
    return fillCollections(this.#deps.prebuilt.rows(fixture.name, fixture.print) ?? {}, fixture, anchor);
  }

  /** The world up to the end of its history: for today as an earlier start of the day has played it. */
  #createTemplate(fixture: Fixture, anchor: Instant, input: Play): Collections {
    const { prebuilt } = this.#deps;
    // A clock that is set is seldom set twice, so it is not worth a file.
    const isStored = isDefault(fixture, input) && input.origin.clock === undefined;
    const of = [fixture.name, fixture.print, anchor.slice(0, 10)] as const;
    const known = isStored ? prebuilt.readRowsOfDay(...of) : undefined;
    if (known) return fillCollections(known, fixture, anchor);
    const collections = createCollections();
    const world = this.#stage(input, collections);
    world.transact(anchor, (tx) => tx.identity.put(createIdentity(fixture, input)));
    playSteps(loadFixture(fixture, this.#createLoading(fixture, world, anchor)));
    const listRows = () => Object.fromEntries(LASTING.map((name) => [name, [...collections[name].all()]]));
    if (isStored) prebuilt.keepDay(...of, listRows);
    return collections;
  }

  /** A world whose commits are not stored: the finished world is. */
  #stage(
    { assumptions }: Pick<Play, "assumptions">,
    collections: Collections,
    append: (commit: CommitContent) => void = () => undefined,
  ): World {
    const { address, assumes: atStart } = this.#deps.hooksOf("");
    const assumes = (id: string) => (PLAYED_BY_DEFAULT.includes(id) ? defaultOf(id) : (assumptions[id] ?? atStart(id)));
    return makeWorld("loading", { assumes, address, append }, collections);
  }

  #createLoading({ sound }: Fixture, world: World, now: Instant): Loading {
    const { perform } = this.#deps;
    return {
      now,
      transact: (at, work) => world.transact(at, work).result,
      perform: (at, act, input) => void world.transact(at, (tx) => perform(tx, act, input, sound)),
      advance(until) {
        const mover = { change: world.transact, nextDue: () => world.read(until, findDue), clockAt: hold };
        // Each step does one thing that is due.
        for (const _ of settleDue(world, until, mover));
      },
    };
  }
}

function playSteps(steps: Iterable<FixtureStep>): void {
  for (const _ of steps);
}

/** Whether it is played from what the build has seen. */
function isDefault({ sound, world }: Fixture, { seed, assumptions }: Play): boolean {
  return Boolean(sound) && Object.keys(assumptions).length === 0 && seed === String(world.seed);
}

/** The caller renews its keys. */
function fillCollections(rows: PrebuiltRows, fixture: Fixture, anchor: Instant): Collections {
  const collections = createCollections();
  applyRows(
    collections,
    Object.entries(rows).flatMap(([name, list]) => list.map((row) => [name, row.id, row] as const)),
  );
  for (const [index, { name, scopes }] of (fixture.world.credentials ?? []).entries()) {
    // Without a secret: they stand for how many and which.
    const key = { id: `key-${index}`, name, scopes: [...scopes], secret: "", created_at: anchor, position: index + 1 };
    collections.keys.set(key.id, key);
  }
  return collections;
}

function createIdentity(fixture: Fixture, { origin, seed, assumptions }: Play): Identity {
  // From the seed, so that cursors are the same in equal worlds.
  const cursor_key = createHash("sha256").update(`${seed}:cursor`).digest("hex");
  return { id: "identity", seed, fixture: fixture.name, cursor_key, assumptions, origin, made_of: fixture.print };
}
