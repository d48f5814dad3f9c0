// Every kind can be made to happen in the world that a sandbox begins with, one after another and in any of its worlds. An input that makes no
// sense is rejected in words.
import { expect, it } from "vitest";
import { EVENT_KINDS } from "../../../src/engine/domain/kernel/kinds.ts";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";

const sandbox = shareSandbox();

const trigger = (world: TestWorld, kind: string, set = {}) => world.control("post", "trigger", { kind, set });
const sent = async (world: TestWorld, kind: string) =>
  (await world.control("get", `messages?kind=${kind}`)).body.items.length as number;

it("triggers all fourteen kinds, forwards and backwards", async () => {
  for (const kinds of [EVENT_KINDS, EVENT_KINDS.toReversed()]) {
    const world = await sandbox.world();
    for (const kind of kinds) {
      const before = await sent(world, kind);
      const { status, body, text } = await trigger(world, kind);
      expect([kind, status], text).toEqual([kind, 200]);
      expect(body.facts.length).toBeGreaterThan(0);
      expect(await sent(world, kind)).toBeGreaterThan(before);
    }
  }
});

it("each reports the name of its record", async () => {
  const world = await sandbox.world();
  const titles: Record<string, unknown> = {};
  for (const kind of EVENT_KINDS) {
    const { body } = await trigger(world, kind);
    const { about } = (await world.control("get", `messages?kind=${kind}`)).body.items.at(-1);
    expect(body.facts.map(({ id }: { id: string }) => id)).toContain(about.id);
    titles[kind] = [about.collection, typeof about.title];
  }
  const of = (noun: string, collection: string) =>
    EVENT_KINDS.filter((kind) => kind.startsWith(`v1.${noun}.`)).map((kind) => [kind, [collection, "string"]]);
  expect(titles).toEqual(
    Object.fromEntries([
      ...of("event", "events"),
      ...of("experience", "experiences"),
      ...of("booking", "bookings"),
      ...of("journal_entry", "entries"),
      ...of("marketing_consent", "consents"),
    ]),
  );
});

it("v1.event.completed moves the clock to the end of the named or the next event", async () => {
  const world = await sandbox.world();
  const { body } = await trigger(world, "v1.event.completed", { event_id: "evt-evening" });
  expect([body.result.id, body.result.state]).toEqual(["evt-evening", "COMPLETED"]);
  expect(body.facts).toContainEqual({ fact: "event.completed", id: "evt-evening" });
  const { now } = (await world.control("get", "clock")).body;
  expect(now).toBe("2030-06-01T18:30:00.000Z");
  const again = await trigger(world, "v1.event.completed", { event_id: "evt-evening" });
  expect([again.status, (await world.control("get", "clock")).body.now]).toEqual([409, now]);
  expect((await trigger(world, "v1.event.completed", { capacity: 3 })).status).toBe(400);
});

type Values = Record<string, unknown>;

it.each<[string, string, Values, object]>([
  [
    "an event",
    "v1.event.created",
    { capacity: 3, "sessions.0.start_time": "2030-06-02T09:30:00" },
    { capacity: { total: 3 }, sessions: [{ start_time: "2030-06-02T09:30:00" }] },
  ],
  [
    "a customer",
    "v1.booking.created",
    { "customer.email": "bo@example.com", event_id: "evt-evening" },
    { event_id: "evt-evening", customer: { email: "bo@example.com" } },
  ],
  ["items", "v1.booking.created", { "items.0.quantity": 2 }, { status: "ACTIVE", tickets: [{}, {}] }],
  [
    "metadata, source and note",
    "v1.booking.created",
    { "metadata.ref": "R-9", "metadata.crm": "A-1", source: "Web", internal_note: "VIP" },
    { metadata: { ref: "R-9", crm: "A-1" }, source: "Web", internal_note: "VIP" },
  ],
  ["metadata", "v1.booking.updated", { metadata: { ref: "R-9" } }, { metadata: { ref: "R-9" } }],
  ...["v1.event.created", "v1.event.updated", "v1.experience.created", "v1.experience.updated"].map(
    (kind): [string, string, Values, object] => [
      "metadata",
      kind,
      { "metadata.ref": "R-9" },
      { metadata: { ref: "R-9" } },
    ],
  ),
  ["a note", "v1.booking.updated", { internal_note: "Late" }, { internal_note: "Late" }],
  ["a name", "v1.experience.created", { name: "Named" }, { name: "Named" }],
  ["an e-mail", "v1.marketing_consent.created", { email: "x@example.com" }, { email: "x@example.com" }],
  [
    "an amount",
    "v1.journal_entry.created",
    { amount: 7, direction: "CREDIT" },
    { postings: [{ direction: "CREDIT", amount: { value: 7 } }, {}] },
  ],
])("A trigger accepts an input: %s", async (_, kind, set, expected) => {
  const { status, body, text } = await trigger(await sandbox.world(), kind, set);
  expect([status, body.result], text).toEqual([200, expect.objectContaining({})]);
  expect(body.result).toMatchObject(expected);
});

it.each<[string, string, Values, string]>([
  ["an unknown member", "v1.booking.created", { "customer.emial": "x" }, "instead of 'email'"],
  ["a wrong type", "v1.event.created", { capacity: "many" }, "body.capacity: must be integer"],
  ["a negative number", "v1.booking.created", { "items.0.quantity": -1 }, "body.items.0.quantity: must be >= 1"],
  ["no e-mail", "v1.marketing_consent.created", { email: "bo" }, "body.email: must be an e-mail address"],
  ["an unknown word", "v1.booking.cancelled", { refund: "half" }, "body.refund"],
  ["an unknown id", "v1.booking.cancelled", { booking_id: "nobody" }, "There is no booking nobody"],
  ["an unknown kind", "v1.booking.eaten", {}, "body.kind must be equal to one of the allowed values"],
  ["an index beyond the list", "v1.booking.created", { "items.5.quantity": 1 }, "body.items"],
  ["a prototype", "v1.booking.created", { "__proto__.x": 1 }, "__proto__"],
])("A trigger rejects %s, and changes nothing", async (_, kind, set, words) => {
  const world = await sandbox.world();
  const { commits } = (await world.control("get", "history")).body.kept;
  const { status, text } = await trigger(world, kind, set);
  expect(status, text).toBeGreaterThanOrEqual(400);
  expect(text).toContain(words);
  expect((await world.control("get", "history")).body.kept.commits).toBe(commits);
});

it("A trigger of an update sends it each time, but not for an unchanged value", async () => {
  const world = await sandbox.world();
  for (const kind of ["v1.event.updated", "v1.experience.updated", "v1.booking.updated"])
    for (const triggered of ["1", "2"])
      expect((await trigger(world, kind)).body.result).toMatchObject({ metadata: { triggered } });
  await trigger(world, "v1.event.updated", { metadata: { triggered: "soon" } });
  const again = await trigger(world, "v1.event.updated");
  expect(again.body.result).toMatchObject({ metadata: { triggered: "1" } });
  const same = { internal_note: "Same" };
  expect((await trigger(world, "v1.booking.updated", same)).status).toBe(200);
  const { status, text } = await trigger(world, "v1.booking.updated", same);
  expect([status, text]).toEqual([409, expect.stringContaining("already has these values")]);
});

it("A trigger without a suitable record is a conflict with advice", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  for (const [kind, words] of [
    ["v1.booking.cancelled", "trigger v1.booking.created first"],
    ["v1.booking.created", "no event can be booked now"],
    ["v1.event.updated", "there is no future ACTIVE event"],
    ["v1.event.deleted", "there is no event without active bookings"],
    ["v1.event.completed", "there is no future event"],
  ] as const) {
    const { status, body } = await trigger(world, kind);
    expect([kind, status, body.code]).toEqual([kind, 409, "NOTHING_SUITABLE"]);
    expect(body.message).toContain(words);
  }
});

it("A path with many names is rejected, because a deep input would exhaust the memory", async () => {
  const world = await sandbox.world();
  const { status, body } = await trigger(world, "v1.booking.created", { [`metadata.${"a.".repeat(100_000)}b`]: 1 });
  expect([status, body.message]).toEqual([400, expect.stringContaining("at most 200 characters")]);
});
