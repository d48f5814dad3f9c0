// A receiver that remembers the ids of messages misses none: whatever way a world goes back, no id of a message or of its envelope is
// given twice. Records get the same ids again, equal runs get equal messages, and what is exported comes in again as it was.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { World } from "../../../src/engine/world/state/world.ts";
import { extent } from "../../extent.ts";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";
import { book, smallWorld } from "../operations/kit.ts";

const sandbox = shareSandbox();

const inner = (world: TestWorld): World => sandbox.running.application.worlds.get(world.id) as World;
const states = () => sandbox.running.application.states;
const document = (world: TestWorld) => JSON.parse([...states().export(inner(world))].join(""));

/** The message-id, the envelope and the text of each message, by place. */
const messagesOf = (world: TestWorld): { id: string; body: string; place: number }[] =>
  (document(world).collections.messages ?? []).toSorted(
    (one: { place: number }, other: { place: number }) => one.place - other.place,
  );
const envelopeOf = ({ body }: { body: string }): string => JSON.parse(body).id;

const WAYS = ["book", "book", "book", "rewind", "redo", "save", "restore", "reset", "keep", "import"] as const;
type Step = { way: (typeof WAYS)[number]; nth: number };
const step = fc.record<Step>({ way: fc.constantFrom(...WAYS), nth: fc.nat({ max: 9 }) });

/** What all receivers of a run could have seen: id → body, and envelope → id. */
async function lived(steps: readonly Step[]): Promise<{ seen: Map<string, string>; bookings: string[] }> {
  const world = await smallWorld(sandbox, 1000);
  const { history } = sandbox.running.application;
  const [seen, envelopes, bookings] = [new Map<string, string>(), new Map<string, string>(), [] as string[]];
  states().save(inner(world), "saved");
  let retained = document(world);
  const take: Record<Step["way"], (nth: number) => Promise<unknown> | unknown> = {
    book: async (nth) =>
      bookings.push((await book(world, "evt-noon", undefined, { locale: nth % 2 ? "en" : "da" })).body.id),
    rewind: async (nth) => {
      const commits = await history.list(inner(world), {});
      const seq = commits.at(-1 - nth)?.seq ?? history.describeRetained(inner(world)).from.seq;
      await states().rewind(inner(world), history.findNamedPoint(inner(world), String(seq)));
    },
    async redo() {
      const [latest] = await history.list(inner(world), { limit: 1 });
      if (latest?.cause.id === "rewind") await take.rewind(1);
    },
    save: () => states().save(inner(world), "saved"),
    restore: () => states().restore(inner(world), "saved"),
    reset: () => states().reset(inner(world)),
    keep: () => {
      retained = document(world);
    },
    import: () => states().import(inner(world), retained),
  };
  for (const { way, nth } of steps) {
    await take[way](nth);
    for (const message of messagesOf(world)) {
      expect([message.id, seen.get(message.id) ?? message.body]).toEqual([message.id, message.body]);
      expect(envelopes.get(envelopeOf(message)) ?? message.id).toBe(message.id);
      seen.set(message.id, message.body);
      envelopes.set(envelopeOf(message), message.id);
    }
  }
  const before = document(world);
  await states().import(inner(world), before);
  expect(document(world)).toEqual(before);
  states().remove(inner(world));
  return { seen, bookings };
}

it("no message id is reused, and equal runs are equal", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
      expect(await lived(steps)).toEqual(await lived(steps));
    }),
    { numRuns: extent(10, 30, 300), seed: 7 },
  );
});

const WAYS_BACK: [string, (world: TestWorld) => Promise<unknown>][] = [
  ["a rewind", (world) => world.control("post", "rewind", { to: "start" })],
  ["a snapshot that is restored", (world) => world.control("post", "snapshots/start/restore")],
  ["an import", (world) => world.control("put", "state", start)],
];
let start: object;

it.each(WAYS_BACK)("after %s the same booking has the same id, and its message has another id", async (_, back) => {
  const world = await smallWorld(sandbox, 1000);
  await world.control("put", "snapshots/start");
  start = document(world);
  const one = (await book(world, "evt-noon")).body;
  const [before] = messagesOf(world).slice(-1);
  const { body } = await (back(world) as Promise<{ body: { messages?: number; went_back?: number } }>);
  if (body?.messages !== undefined) expect([body.messages, body.went_back]).toEqual([messagesOf(world).length, 1]);
  const two = (await book(world, "evt-noon")).body;
  const [after] = messagesOf(world).slice(-1);
  expect([two, after?.place]).toEqual([one, before?.place]);
  expect(after?.id).toMatch(/^msg_[0-9a-f]{32}$/);
  expect([after?.id, envelopeOf(after as never)]).not.toContain(before?.id);
  expect(envelopeOf(after as never)).not.toBe(envelopeOf(before as never));
});

it("worlds that are created with a webhook address have different message ids, unless they share a seed", async () => {
  const sent = async (input: object) => {
    const world = await sandbox.world({ fixture: "empty", webhook_url: "http://127.0.0.1:9/", ...input });
    await world.act("submitConsent", { email: "bo@example.com", full_name: "Bo" });
    return messagesOf(world).map((message) => [message.id, envelopeOf(message)]);
  };
  const own = [...(await sent({})), ...(await sent({}))];
  expect(own).toHaveLength(2);
  expect(new Set(own.flat()).size).toBe(4);
  expect(await sent({ seed: 8 })).toEqual(await sent({ seed: 8 }));
});

it("after a reset the messages of the next run have other ids, and its records have the same", async () => {
  const world = await sandbox.world({ fixture: "empty", seed: 7 });
  const run = async () => {
    const { body } = await world.act("submitConsent", { email: "bo@example.com", full_name: "Bo" });
    return { consent: body.result.id, message: messagesOf(world).at(-1)?.id };
  };
  const runs = [await run()];
  for (let count = 0; count < 2; count++) {
    await world.control("post", "state/reset");
    runs.push(await run());
  }
  expect(new Set(runs.map(({ consent }) => consent)).size).toBe(1);
  expect(new Set(runs.map(({ message }) => message)).size).toBe(3);
});
