// Playing a fixture: a hidden template world is filled by the rules up to the end of its history, and cached for this process. A world is
// a copy of its template, made in constant time; then the fixture's records about the present take their times, and time goes on to now.
import { createHash } from "node:crypto";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant, readInstant } from "../domain/kernel/instant.ts";
import type { Identity } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { beginWorld, type Loading, loadFixture } from "../fixtures/load.ts";
import type { Prebuilt, PrebuiltRows } from "../fixtures/prebuilt.ts";
import type { Fixture } from "../fixtures/read.ts";
import { anchorBefore, anchorOf } from "../fixtures/shift.ts";
import { settling } from "../time/advance.ts";
import { held, running, type WallClock } from "../time/clock.ts";
import { nextDue } from "../time/due.ts";
import type { Committed } from "../world/state/commit.ts";
import { type Collections, credentials, emptyCollections, names } from "../world/state/schema.ts";
import { playedWith } from "../world/state/seed.ts";
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

/** Where a world's clock is held when it begins, in one spelling, so that text compares as time; undefined: it runs with real time. */
export function beginningAt(clock: string | undefined, fixture: () => Fixture): Instant | undefined {
  if (clock === undefined || clock === "now") return undefined;
  if (clock === "anchor") return anchorOf(fixture().world);
  return (
    readInstant(clock) ??
    reject("INVALID_INPUT", {
      path: "clock",
      what: `${clock} is not an instant such as 2030-06-01T09:00:00Z, nor now or anchor.`,
    })
  );
}

const templates = new Map<string, Collections>();
/** A template is a whole world; a run with many seeds would fill the memory. */
const MOST_TEMPLATES = 16;

/** The collections of a new world, at its beginning, and the template that they are a copy of. Rejects where the fixture breaks a rule. */
export function played(stage: FixtureWorldsDeps, given: Play): { collections: Collections; template: Template } {
  const { origin, assumptions } = given;
  const seed = playedWith(given.seed);
  const input = { origin, seed, assumptions };
  const fixture = stage.fixture(origin.fixture);
  const now = origin.clock ?? fromMillis(stage.wall());
  // History ends at the last anchor before the beginning, so that worlds of one day share a template.
  const anchor = anchorBefore(now, fixture.world);
  // All that a template depends on.
  const key = JSON.stringify([fixture.name, fixture.print, anchor, seed, assumptions]);
  const begin = (template: Collections): Collections => {
    const collections = copyCollections(template);
    beginWorld(fixture, loadingOf(stage, fixture, stageFor(stage, input, collections), now));
    return collections;
  };
  const history = () => remembered(key, () => templateOf(stage, fixture, anchor, input));
  // The beginning of a world at its anchor is the same each time, so it is remembered too.
  const template =
    now === anchor
      ? remembered(`${key} begun`, () => prebuilt(stage, fixture, anchor, input) ?? begin(history()))
      : history();
  const collections = now === anchor ? copyCollections(template) : begin(template);
  const world = stageFor(stage, input, collections);
  world.transact(now, (tx) => {
    // The identity has the seed as given; the template was played with what may be another.
    tx.identity.put({ ...identityOf(fixture, given), began_at: now });
    tx.clock.put(origin.clock === undefined ? running(now, stage.wall) : held(now));
  });
  const digest = createHash("sha256")
    .update(`${key} ${now === anchor}`)
    .digest("hex")
    .slice(0, 16);
  return { collections, template: { id: `@fixture-${digest}`, collections: template } };
}

function remembered(key: string, make: () => Collections): Collections {
  const template = templates.get(key) ?? make();
  // Put in again at the end: the first key is the one not used for longest.
  templates.delete(templates.size >= MOST_TEMPLATES ? ([...templates.keys()][0] ?? "") : key);
  templates.set(key, template);
  return template;
}

/** Whether it is played from what the build has seen. */
function isDefault({ sound, world }: Fixture, { seed, assumptions }: Play): boolean {
  return Boolean(sound) && Object.keys(assumptions).length === 0 && seed === String(world.seed);
}

/** The world that the build has played up to its anchor. */
function prebuilt(
  { prebuilt }: FixtureWorldsDeps,
  fixture: Fixture,
  anchor: Instant,
  input: Play,
): Collections | undefined {
  // The build knows one day and no options.
  if (!isDefault(fixture, input) || anchor !== anchorOf(fixture.world)) return undefined;
  return placed(prebuilt.rows(fixture.name, fixture.print) ?? {}, fixture, anchor);
}

/** What a file of a day holds: all but keys and tokens. */
const LASTING = names.filter((name) => !credentials.includes(name));

/** The world up to the end of its history: for today as an earlier start of the day has played it. */
function templateOf(stage: FixtureWorldsDeps, fixture: Fixture, anchor: Instant, input: Play): Collections {
  // A clock that is set is seldom set twice, so it is not worth a file.
  if (!isDefault(fixture, input) || input.origin.clock !== undefined) return play(stage, fixture, anchor, input);
  const of = [fixture.name, fixture.print, anchor.slice(0, 10)] as const;
  const known = stage.prebuilt.rowsOfDay(...of);
  if (known) return placed(known, fixture, anchor);
  const made = play(stage, fixture, anchor, input);
  stage.prebuilt.keepDay(...of, () => Object.fromEntries(LASTING.map((name) => [name, [...made[name].all()]])));
  return made;
}

/** The caller renews its keys. */
function placed(rows: PrebuiltRows, fixture: Fixture, anchor: Instant): Collections {
  const collections = emptyCollections();
  const changes = Object.entries(rows).flatMap(([name, list]) => list.map((row) => [name, row.id, row] as const));
  applyRows(collections, changes);
  for (const [index, { name, scopes }] of (fixture.world.credentials ?? []).entries()) {
    // Without a secret: they stand for how many and which.
    const key = { id: `key-${index}`, name, scopes: [...scopes], secret: "", created_at: anchor, position: index + 1 };
    collections.keys.set(key.id, key);
  }
  return collections;
}

function identityOf(fixture: Fixture, { origin, seed, assumptions }: Play): Identity {
  // From the seed, so that cursors are the same in equal worlds.
  const cursor_key = createHash("sha256").update(`${seed}:cursor`).digest("hex");
  return { id: "identity", seed, fixture: fixture.name, cursor_key, assumptions, origin, made_of: fixture.print };
}

/** A history names tickets of its bookings by their position, so it is played under the default; an override holds afterwards. */
const PLAYED_BY_DEFAULT = ["tickets"];

export function stageFor(
  { hooksOf }: FixtureWorldsDeps,
  { assumptions }: Pick<Play, "assumptions">,
  collections: Collections,
  append: (commit: Committed) => void = () => undefined,
): World {
  const { address, assumes: atStart } = hooksOf("");
  const assumes = (id: string) => (PLAYED_BY_DEFAULT.includes(id) ? defaultOf(id) : (assumptions[id] ?? atStart(id)));
  // Its commits are not stored: the finished world is.
  return makeWorld("loading", { assumes, address, append }, collections);
}

function advance(world: World, until: Instant): void {
  const mover = { change: world.transact, nextDue: () => world.read(until, nextDue), clockAt: held };
  // Each step does one thing that is due; what it was matters to nobody here.
  for (const _ of settling(world, until, mover));
}

export function loadingOf(stage: FixtureWorldsDeps, { sound }: Fixture, world: World, now: Instant): Loading {
  return {
    now,
    transact: (at, work) => world.transact(at, work).result,
    perform: (at, act, input) => void world.transact(at, (tx) => stage.perform(tx, act, input, sound)),
    advance: (until) => advance(world, until),
  };
}

function play(stage: FixtureWorldsDeps, fixture: Fixture, anchor: Instant, input: Play): Collections {
  const collections = emptyCollections();
  const world = stageFor(stage, input, collections);
  world.transact(anchor, (tx) => tx.identity.put(identityOf(fixture, input)));
  loadFixture(fixture, loadingOf(stage, fixture, world, anchor));
  return collections;
}
