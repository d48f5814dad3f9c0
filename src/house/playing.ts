// Playing a fixture: a world nobody sees is filled by the rules, then handed over. What was played once for a held clock is kept
// for this process, and the next world of the kind is a copy of it, made at no cost.
import { createHash } from "node:crypto";
import type { Desk } from "../domain/desk.ts";
import { fromMillis, type Instant } from "../domain/instant.ts";
import type { ClockRecord, Identity } from "../domain/records.ts";
import { loadFixture } from "../fixtures/load.ts";
import type { Fixture } from "../fixtures/read.ts";
import { settleUntil } from "../time/advance.ts";
import { held, running, type WallClock } from "../time/clock.ts";
import { type Collections, emptyCollections } from "../world/shelves.ts";
import { copyCollections, makeWorld, placeRows, type WorldHooks } from "../world/world.ts";

export interface Stage {
  fixture(name: string): Fixture;
  hooksOf(id: string): Omit<WorldHooks, "keep">;
  perform(desk: Desk, act: string, input: unknown): void;
  wall: WallClock;
  /** The rows of a fixture that was played when the sandbox was built, at its anchor; undefined where there is none. */
  shelved(name: string): Readonly<Record<string, { id: string }[]>> | undefined;
}

/** What a world is played from. */
export type Play = Pick<Identity, "origin" | "seed" | "assumptions">;

const templates = new Map<string, Collections>();
const MOST_TEMPLATES = 16;

export function played(stage: Stage, { origin, seed, assumptions }: Play): Collections {
  if (origin.clock === undefined) return play(stage, { origin, seed, assumptions });
  const wish = { origin, seed, assumptions };
  const key = JSON.stringify([fingerprint(stage.fixture(origin.fixture)), origin.clock, seed, assumptions]);
  const template = templates.get(key) ?? shelved(stage, wish) ?? play(stage, wish);
  templates.delete(templates.size >= MOST_TEMPLATES ? ([...templates.keys()][0] ?? "") : key);
  templates.set(key, template);
  return copyCollections(template);
}

/** The world that was played when the sandbox was built, if it was played from just this. Its keys are named, and renewed by the caller. */
function shelved(stage: Stage, wish: Play): Collections | undefined {
  const rows = stage.shelved(wish.origin.fixture);
  const made = rows?.identity?.[0] as Identity | undefined;
  const { fixture, clock } = wish.origin;
  const fits =
    made?.made_of === fingerprint(stage.fixture(fixture)) && made.origin.clock === clock && made.seed === wish.seed;
  if (!rows || !fits || Object.keys(wish.assumptions).length > 0) return undefined;
  const collections = emptyCollections();
  for (const [name, list] of Object.entries(rows))
    placeRows(
      collections,
      list.map((row) => [name, row.id, row] as const),
    );
  for (const [index, { name, scopes }] of (stage.fixture(fixture).world.credentials ?? []).entries()) {
    const id = `key-${index}`;
    collections.keys.set(id, { id, name, scopes: [...scopes], secret: "", created_at: made.origin.clock ?? "" });
  }
  return collections;
}

/** What a fixture says, as a short text. */
function fingerprint({ texts }: Fixture): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}

function play({ fixture: named, hooksOf, perform, wall }: Stage, { origin, seed, assumptions }: Play): Collections {
  const fixture = named(origin.fixture);
  const { address, assumes: usual } = hooksOf("");
  const assumes = (id: string) => assumptions[id] ?? usual(id);
  const world = makeWorld("loading", { assumes, address, keep: () => undefined });
  const now = origin.clock ?? fromMillis(wall());
  const clockAt = (at: Instant): ClockRecord => held(at);
  const cursor_key = createHash("sha256").update(`${seed}:cursor`).digest("hex");
  const identity: Identity = {
    id: "identity",
    seed,
    fixture: fixture.name,
    cursor_key,
    assumptions,
    origin,
    made_of: fingerprint(fixture),
  };
  world.transact(now, (desk) => desk.identity.put(identity));
  loadFixture(fixture, {
    now,
    transact: (at, work) => world.transact(at, work).result,
    perform: (at, act, input) => void world.transact(at, (desk) => perform(desk, act, input)),
    advance(until) {
      settleUntil(world, until, { change: world.transact, look: (question) => world.read(until, question), clockAt });
    },
  });
  world.transact(now, (desk) => desk.clock.put(origin.clock === undefined ? running(now, wall) : held(origin.clock)));
  return world.collections;
}
