// A recording tells the branch that one is on: random work with rewinds, back and forth, plays green and ends in the same world.
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { type Sandbox, startSandbox, type World } from "../../../src/index.ts";
import { startRecording } from "../../../src/stories/recording/recorder.ts";
import { formatRecording } from "../../../src/stories/recording/text.ts";
import type { Loaded } from "../../../src/stories/scenario/index.ts";
import { play } from "../../../src/stories/scenario/index.ts";
import { ask } from "../../ask.ts";
import { extent } from "../../extent.ts";
import { BOOKING, CLOCK, call } from "../../library/works-anywhere.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: CLOCK });
});
afterAll(() => sandbox.close());

const control = async (world: string, method: "get" | "post" | "put", path: string, body?: object) =>
  (await ask(method, `${sandbox.controlUrl}${path}`, { "sandbox-world": world }, body)).body;

/** What an integrator sees of the bookings, without ids that each world makes itself. */
async function bookingsIn(world: string): Promise<string[]> {
  const { items } = await control(world, "get", "/records/bookings?limit=500");
  return items
    .map((booking: Record<string, unknown>) => [booking.event_id, booking.status, booking.internal_note].join(" "))
    .sort();
}

async function momentsOf(world: World): Promise<number[]> {
  const { items } = await control(world.id, "get", "/history?limit=1000");
  return items.map(({ seq }: { seq: number }) => seq);
}

async function bookingOf(world: World, nth: number): Promise<string> {
  const { items } = await control(world.id, "get", "/records/bookings?limit=500");
  return items[nth % items.length].id;
}

type Move = { do: "book" | "read" | "cancel" | "note" | "advance" | "rewind" | "flip" | "trigger"; nth: number };

/** A text that a player could fill from somewhere. */
const NOTES = ["x #{env.HOME}", "$#{a.b}", "#{given.x", "plain", "$$ {", "#{receiver.url}/hook"].map((text) =>
  text.replace("#", "$"),
);

async function carryOut(world: World, { do: what, nth }: Move): Promise<void> {
  if (what === "book") await call(world, "POST", "/v1/bookings", BOOKING);
  if (what === "read") await call(world, "GET", "/v1/bookings?limit=1");
  if (what === "advance") await world.clock.advance(`PT${1 + (nth % 30)}H`);
  if (what === "flip") await world.assume({ "booking-create-status": nth % 2 === 0 ? "200" : "201" });
  if (what === "trigger") await control(world.id, "post", "/trigger", { kind: "v1.marketing_consent.created" });
  if (what === "cancel") {
    const booking_id = await bookingOf(world, nth);
    await world.act("cancelBooking", { booking_id }).catch(() => undefined);
  }
  if (what === "note") {
    const booking_id = await bookingOf(world, nth);
    const internal_note = NOTES[nth % NOTES.length] as string;
    await world.act("updateBooking", { booking_id, internal_note }).catch(() => undefined);
  }
  if (what === "rewind") {
    const moments = await momentsOf(world);
    const to = moments[nth % Math.max(1, moments.length)];
    if (to !== undefined) await world.rewind(to).catch(() => undefined);
  }
}

async function recorded(world: World, send = (request: Request) => fetch(request)) {
  const { url, controlToken } = sandbox;
  const recorder = await startRecording({ url, controlToken, send }, world.id, { since: "start" });
  const recording = recorder.finish("What stands");
  return { ...recording, text: formatRecording(recording) };
}

/** The failed steps, and the bookings of the world that it ended in. */
async function played(text: string): Promise<{ failures: unknown[]; bookings: string[] }> {
  const scenario = parse(text);
  const loaded = { file: "story.yaml", scenario, positionOf: () => ({ line: 1, column: 1 }) } as unknown as Loaded;
  const target = { url: sandbox.url, controlUrl: sandbox.controlUrl, controlToken: sandbox.controlToken };
  let bookings: string[] = [];
  const ending = async (id: string) => {
    bookings = await bookingsIn(id);
  };
  const { steps, trouble } = await play(loaded, target, { ending });
  const failed = steps.filter(({ passed }) => !passed).map(({ name, differences }) => ({ name, differences }));
  return { failures: [...(trouble ? [trouble] : []), ...failed], bookings };
}

const moves = fc.array(
  fc.record<Move>({
    do: fc.constantFrom("book", "book", "read", "cancel", "note", "advance", "rewind", "rewind", "flip", "trigger"),
    nth: fc.nat({ max: 40 }),
  }),
  { minLength: 1, maxLength: 14 },
);

const RUNS = extent(4, 15, 40);

it(`random work with rewinds is recorded as the final branch, ${RUNS} times`, async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const world = await sandbox.world();
      try {
        for (const move of all) await carryOut(world, move);
        const recording = await recorded(world).catch(({ message }: Error) => message);
        // Nothing is left that made a step.
        if (typeof recording === "string") {
          expect(recording).toContain(`Nothing happened in the world ${world.id}.`);
          return;
        }
        const { text } = recording;
        expect(await played(text), text).toEqual({ failures: [], bookings: await bookingsIn(world.id) });
      } finally {
        await world.remove();
      }
    }),
    { numRuns: RUNS, seed: 7, endOnFailure: true },
  );
});

it("undone work is not in the recording, and redone work is", async () => {
  const world = await sandbox.world();
  await call(world, "POST", "/v1/bookings", BOOKING);
  const [before = 0] = (await momentsOf(world)).slice(-1);
  await world.act("cancelEvent", { event_id: "evt-tomorrow-evening" });
  const { undo } = await world.rewind(before);
  const taken = await recorded(world);
  expect(taken.scenario.steps.map(({ call: operation, act }) => operation ?? act).filter(Boolean)).toEqual([
    "createBooking",
  ]);
  expect(taken.leftOut).toEqual([
    expect.stringMatching(/^A rewind undid 1 entry of the log, which the scenario omits\.$/),
  ]);
  await world.rewind(undo.to);
  const again = await recorded(world);
  expect(again.scenario.steps.map(({ call: operation, act }) => operation ?? act).filter(Boolean)).toEqual([
    "createBooking",
    "cancelEvent",
  ]);
  expect(again.leftOut).toEqual([]);
  for (const { text } of [taken, again]) expect((await played(text)).failures, text).toEqual([]);
  await world.remove();
});

it("a clock move that a rewind splits is recorded up to that point in time", async () => {
  const world = await sandbox.world();
  await world.clock.advance("P2D");
  const { items } = await control(world.id, "get", "/history?limit=1000");
  const middle = items[Math.floor(items.length / 2)];
  await world.rewind(middle.seq);
  const { text, scenario } = await recorded(world);
  expect(scenario.steps.filter(({ advance }) => advance)).toHaveLength(1);
  expect((await played(text)).failures, text).toEqual([]);
  await world.remove();
});

it("an override in the middle is a step, and the head has the earlier assumptions", async () => {
  const world = await sandbox.world();
  const flip = (value: "200" | "201") => world.assume({ "booking-create-status": value });
  await flip("200");
  for (const value of ["201", "200"] as const) {
    await call(world, "POST", "/v1/bookings", BOOKING);
    await flip(value);
  }
  await call(world, "POST", "/v1/bookings", BOOKING);
  const { text, scenario } = await recorded(world);
  expect(scenario.assume).toEqual({ "booking-create-status": "200" });
  expect(scenario.steps.flatMap(({ assume }) => (assume ? [assume] : []))).toEqual([
    { "booking-create-status": "201" },
    { "booking-create-status": "200" },
  ]);
  expect((await played(text)).failures, text).toEqual([]);
  await world.remove();
});

it("overrides after the first step do not change the head, and messages are read from all pages", async () => {
  const world = await sandbox.world();
  await call(world, "POST", "/v1/bookings", BOOKING);
  for (const value of ["200", "201"] as const) await world.assume({ "booking-create-status": value });
  for (const _ of [1, 2]) await call(world, "POST", "/v1/bookings", BOOKING);
  const { text, scenario } = await recorded(world);
  expect(scenario.assume).toBeUndefined();
  const inPages = await recorded(world, (request) =>
    fetch(new Request(request.url.replace("/messages?limit=1000", "/messages?limit=2"), request)),
  );
  expect(inPages.text).toBe(text);
  expect(scenario.steps.filter(({ webhook }) => webhook).length).toBeGreaterThan(2);
  await world.remove();
});
