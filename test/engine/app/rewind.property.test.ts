// Whatever happened to a world, it can be rewound to any moment of it, and the same requests then lead to the same world, byte for byte,
// but for the ids of messages, which are never used twice, and the number that sees to it.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { World } from "../../../src/engine/world/state/world.ts";
import { extent } from "../../extent.ts";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";
import { book, smallWorld, ticket } from "../operations/kit.ts";

const sandbox = shareSandbox();

const RUNS = extent(8, 30, 300);

type Step = { what: "book" | "cancel" | "event" | "consent" | "advance" | "next" | "flip"; nth: number };
const step = fc.record<Step>({
  what: fc.constantFrom("book", "book", "cancel", "event", "consent", "advance", "next", "flip"),
  nth: fc.integer({ min: 0, max: 5 }),
});

/** What a step does follows from the records alone, and a refusal is a result too. */
async function take(world: TestWorld, { what, nth }: Step): Promise<void> {
  const bookings = async () => (await world.call("listBookings", { query: { limit: 10 } })).body.items;
  const steps: Record<Step["what"], () => Promise<unknown>> = {
    book: () => book(world, "evt-noon", [ticket("var-adult", nth + 1)]),
    cancel: async () => world.act("cancelBooking", { booking_id: (await bookings())[nth]?.id ?? "nobody" }),
    event: () => world.act("updateEvent", { event_id: "evt-noon", capacity: 20 + nth }),
    consent: () => world.act("submitConsent", { full_name: "Bo", email: `bo${nth}@example.com`, source: "checkout" }),
    advance: () => world.control("post", "clock/advance", { by: `PT${nth + 1}H` }),
    next: () => world.control("post", "clock/advance", { to: "next" }),
    flip: () =>
      world.control("put", "assumptions", { "move-kinds": nth % 2 ? "updated-and-created" : "cancelled-and-created" }),
  };
  await steps[what]();
}

const inner = (world: TestWorld): World => sandbox.running.application.worlds.get(world.id) as World;
/** As it stands at a moment, however it came there. */
const exportedBy = (of: World): string => {
  const { collections } = JSON.parse([...sandbox.running.application.states.export(of)].join(""));
  for (const counters of collections.counters ?? []) delete counters.went_back;
  return JSON.stringify(collections);
};
const exported = (world: TestWorld): string => exportedBy(inner(world));
/** Each message under its place instead of its id. */
const messagesByPosition = (text: string): string => {
  const { messages = [], ...others } = JSON.parse(text);
  const byIndex = messages.map((message: { id: string; body: string; place: number }) => {
    const body = { ...JSON.parse(message.body), id: "" };
    return { ...message, id: "", body };
  });
  byIndex.sort((a: { place: number }, b: { place: number }) => a.place - b.place);
  return JSON.stringify({ ...others, messages: byIndex });
};

it("a world that is rewound to a random point and replayed is the same world", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), fc.nat({ max: 11 }), async (steps, cut) => {
      const world = await smallWorld(sandbox, 30);
      const { history, states } = sandbox.running.application;
      const at = cut % steps.length;
      for (const each of steps.slice(0, at)) await take(world, each);
      const before = exported(world);
      const { seq } = history.findNamedPoint(inner(world), "now");
      const whileThere = { seq, at: history.findNamedPoint(inner(world), "now").at };
      for (const each of steps.slice(at)) await take(world, each);
      const after = exported(world);

      const view = (await history.createPastViewFactory(inner(world), whileThere))();
      expect(exportedBy(view)).toBe(before);
      const rewound = await states.rewind(inner(world), history.findNamedPoint(inner(world), String(seq)));
      expect(exported(world)).toBe(before);

      for (const each of steps.slice(at)) await take(world, each);
      expect(messagesByPosition(exported(world))).toBe(messagesByPosition(after));

      await states.rewind(inner(world), history.findNamedPoint(inner(world), String(rewound.undo.to)));
      expect(exported(world)).toBe(after);
      await states.rewind(inner(world), history.findNamedPoint(inner(world), String(seq)));
      expect(exported(world)).toBe(before);
      states.remove(inner(world));
    }),
    { numRuns: RUNS },
  );
});
