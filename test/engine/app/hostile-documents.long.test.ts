// Whatever stands in an imported document: it is refused with 400 and nothing is touched, or it makes a world in which everything
// answers. One member of one record is changed at a time. Some of them are tried, always the same, and more with SANDBOX_LONG=1.
import { beforeAll, describe, expect, it } from "vitest";
import { DomainError } from "../../../src/engine/domain/kernel/domain-error.ts";
import type { World } from "../../../src/engine/world/state/world.ts";
import { extent } from "../../extent.ts";
import { type Answered, findDefaultWorld, routes, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { advance, book, done, guest } from "../operations/kit.ts";

/** One of so many variants is imported, and one of so many that came in is lived in: a life takes as long as fifty imports. */
const [VARIANTS, LIVED] = [extent(83, 83, 11), 8];

type Json = Answered["body"];
type Path = readonly (string | number)[];

const deep = () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 60; depth++) value = { deep: value };
  return value;
};
const VALUES: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["[]", []],
  ["{}", {}],
  ["[null]", [null]],
  ['""', ""],
  ["nonsense", "nonsense"],
  ["-1", -1],
  ["0.5", 0.5],
  ["1e300", 1e300],
  ["true", true],
  ["a deep object", deep()],
  ["a long text", "x".repeat(100_000)],
  ["__proto__", JSON.parse('{"__proto__": {"polluted": true}}')],
  ["the text __proto__", "__proto__"],
  ["nothing", undefined],
];

const sandbox = shareSandbox();
let world: TestWorld;
let text: string;

/** A world in which every collection has a record, and most members are there. */
beforeAll(async () => {
  world = findDefaultWorld(sandbox);
  await world.call("createWebhookSubscription", {
    body: { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "ENABLED", description: "…" },
  });
  await book(world, "evt-evening", undefined, { metadata: { a: "b" } });
  await done(world, "startCheckout", { event_id: "evt-evening", customer: guest, items: [ITEM] });
  await done(world, "submitConsent", { email: "a@example.com", full_name: "A" });
  await advance(world, "PT1M");
  text = JSON.stringify((await world.control("get", "state")).body);
});

const ITEM = { type_id: "var-adult", item_type: "VARIANT", quantity: 1 };

const current = () => sandbox.running.application.worlds.get("default") as World;
const fresh = (): Json => {
  const { checksum: _, ...document } = JSON.parse(text);
  return document;
};

/** Every member of a record, with those inside; of a list the first and the last. */
function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  const keys = Array.isArray(value) ? [...new Set([0, value.length - 1])] : Object.keys(value);
  if (Array.isArray(value) && value.length === 0) return;
  for (const key of keys) yield* pathsIn((value as Record<string | number, unknown>)[key], [...path, key]);
}

/** The last record of each collection, changed at every member to every value; all else is shared. */
function* variants(): Generator<{ name: string; document: Json }> {
  const whole = fresh();
  let count = 0;
  for (const [collection, rows] of Object.entries<Json[]>(whole.collections)) {
    const last = rows.length - 1;
    for (const path of pathsIn(rows[last]))
      for (const [word, value] of VALUES) {
        if (count++ % VARIANTS !== 0) continue;
        const record = structuredClone(rows[last]);
        const holder = path.slice(0, -1).reduce((node, key) => node[key], record);
        if (value === undefined) delete holder[path.at(-1) as string];
        else holder[path.at(-1) as string] = value;
        const collections = { ...whole.collections, [collection]: [...rows.slice(0, last), record] };
        yield { name: `${[collection, last, ...path].join(".")} = ${word}`, document: { ...whole, collections } };
      }
  }
}

const idIn: Record<string, (document: Json) => string> = Object.fromEntries(
  Object.entries({
    bookingId: "bookings",
    experienceId: "experiences",
    eventId: "events",
    orderId: "orders",
    giftCardId: "giftCards",
    locationId: "locations",
    consentId: "consents",
    journalEntryId: "entries",
    subscriptionId: "subscriptions",
  }).map(([parameter, collection]) => [parameter, ({ collections }) => collections[collection].at(-1).id]),
);

/** Everything there is to ask, a few things to do, and time to pass: what answers with a 500. */
async function troubles(document: Json): Promise<string[]> {
  const found: string[] = [];
  const note = (what: string, { status, text: message }: { status: number; text: string }) => {
    if (status >= 500) found.push(`${what}: ${status} ${message.slice(0, 200)}`);
  };
  for (const [id, { operation }] of routes) {
    if (operation.method !== "get" && id !== "listAvailabilities") continue;
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const path = Object.fromEntries(names.map((name) => [name, idIn[name]?.(document) ?? ""]));
    note(id, await world.call(id, { path, undocumented: true }));
  }
  const { event_id, id } = document.collections.bookings.at(-1);
  note("createBooking", await book(world, "evt-evening"));
  note("createBooking there", await book(world, event_id));
  note("cancelBooking", await world.act("cancelBooking", { booking_id: id, refund: "full" }));
  for (const path of ["clock", "messages", "worlds", ""]) note(path, await world.control("get", path));
  note("next", await world.control("post", "clock/advance", { to: "next" }));
  note("a month", await world.control("post", "clock/advance", { by: "P1M" }));
  note("export", await world.control("get", "state"));
  note("reset", await world.control("post", "state/reset"));
  note("healthz", await (async ({ status }) => ({ status, text: "" }))(await fetch(`${sandbox.url}/healthz`)));
  return found;
}

/** Whether it came in; a refusal is a 400 that says where, and leaves the world as it is. */
async function comesIn(document: Json): Promise<boolean> {
  const before = current();
  try {
    await sandbox.running.application.states.import(before, document);
    return true;
  } catch (reason) {
    expect(reason).toBeInstanceOf(DomainError);
    expect((reason as DomainError).status).toBe(400);
    expect((reason as DomainError).message).toMatch(/^body\./);
    expect(current()).toBe(before);
    return false;
  }
}

it("a document with any change is rejected, or creates a world that responds", { timeout: 3_600_000 }, async () => {
  const wrong: string[] = [];
  let [refused, lived, came] = [0, 0, 0];
  for (const { name, document } of variants()) {
    if (!(await comesIn(document))) refused += 1;
    else if (came++ % LIVED === 0) {
      lived += 1;
      wrong.push(...(await troubles(document)).map((trouble) => `${name}: ${trouble}`));
    }
  }
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(25);
  expect(lived).toBeGreaterThan(0);
  expect(({} as Json).polluted).toBeUndefined();
  console.info(`${refused} refused, ${came} came in, ${lived} were lived in`);
});

describe("rejects with 400 and names the field:", () => {
  const at = (path: string, value: unknown) => (document: Json) => {
    const way = path.split(".");
    const holder = way.slice(0, -1).reduce((node, key) => (key === "last" ? node.at(-1) : node[key]), document);
    const key = way.at(-1) as string;
    if (value === undefined) delete holder[key];
    else holder[key] = value;
  };
  const changed: [string, string, string, unknown, RegExp][] = [
    ["a clock that runs without an offset", "clock", "mode", "running", /offset_ms: it is missing/],
    ["a held clock with an offset", "clock", "offset_ms", 1, /offset_ms: it is an unknown field/],
    ["a clock of no mode", "clock", "mode", "BOGUS", /mode: it is "BOGUS", which is unknown/],
    ["a clock of another name", "clock", "id", "watch", /id: it must be "clock"/],
    ["a company of another name", "company", "id", "firm", /id: it must be "company"/],
    ["an identity of another name", "identity", "id", "me", /id: it must be "identity"/],
    ["counters of another name", "counters", "id", "c", /id: it must be "counters"/],
    ["counters that go back", "counters", "ids", -1, /ids: it must be >= 0/],
    ["a day that there is not", "clock", "at", "2030-02-30T09:00:00.000Z", /at: it must be an instant/],
    ["a booking of no status", "bookings", "status", "BOGUS", /status: it must be one of ACTIVE/],
    ["a booking of no event", "bookings", "event_id", "evt-gone", /event_id: events has no record/],
    ["an event without sessions", "events", "sessions", [], /sessions: it must not be empty/],
    ["a session that is empty", "events", "sessions", [{}], /sessions\.0\.\w+: it is missing/],
    ["a session that is null", "events", "sessions", [null], /sessions\.0: it must be object/],
    [
      "a session that ends first",
      "events",
      "sessions.0.ends_at",
      "2000-01-01T00:00:00.000Z",
      /sessions\.0: it must be a session that ends after it starts/,
    ],
    [
      "a zone that there is not",
      "events",
      "sessions.0.timezone",
      "Mars/Base",
      /sessions\.0\.timezone: it must be an IANA/,
    ],
    ["a language that is null", "company", "languages", [null], /languages\.0: it must be string/],
    ["an unknown currency", "orders", "currency", "dollars", /currency: it must be an ISO 4217/],
    ["wrong decimals", "giftCards", "balance.exponent", 4, /balance: it must be an amount with the decimals/],
    ["a posting that is empty", "entries", "postings", [{}, {}], /postings\.0\.type: it is missing/],
    ["postings out of balance", "entries", "postings.0.amount.value", 1, /postings: it must be postings whose/],
    ["a line that is null", "orders", "line_items", [null], /line_items\.0: it must be object/],
    ["a transaction that is null", "orders", "transactions", [null], /transactions\.0: it must be object/],
    ["a refund that is null", "orders", "refunds", [null], /refunds\.0: it must be object/],
    ["an order of nothing", "orders", "origin.id", "gone", /origin\.id: bookings has no record gone/],
    [
      "a variant without a price",
      "experiences",
      "ticket_variants.0.price",
      {},
      /ticket_variants\.0\.price\.currency: it is missing/,
    ],
    [
      "a slot of no length",
      "experiences",
      "opening_rules",
      [{ weekdays: [1], from: "09:00", to: "10:00", duration: "PT0S", location_id: "loc-nyhavn", capacity: 1 }],
      /opening_rules\.0\.duration: it must be an ISO 8601 duration from/,
    ],
    [
      "a place that is gone",
      "experiences",
      "location_ids",
      ["loc-gone"],
      /location_ids\.0: locations has no record loc-gone/,
    ],
    ["an identity without origin", "identity", "origin", {}, /origin\.fixture: it is missing/],
    [
      "a folder to begin from",
      "identity",
      "origin.fixture",
      "/etc",
      /origin\.fixture: it must be the name of a fixture/,
    ],
    ["an unknown fixture", "identity", "origin.fixture", "harbor", /origin\.fixture: it must be the name/],
    ["an unknown assumption", "identity", "assumptions", { ids: "guids" }, /assumptions: .*can't be guids/],
    ["an address that is none", "subscriptions", "url", "nonsense", /url: it must match format "uri"/],
    ["an address with a port that is none", "subscriptions", "url", "http://10.9.9.9:99999/", /url: .*is not a URL/],
    ["an address with credentials", "subscriptions", "url", "http://user:pw@127.0.0.1/", /url: .*carries credentials/],
    ["a file as address", "subscriptions", "url", "file:///etc/passwd", /url: .*http or https/],
    ["a metadata address", "subscriptions", "url", "http://169.254.169.254/", /url: .*never sent to/],
    ["an unknown kind of event", "subscriptions", "event_types", ["v1.all"], /event_types\.0: it must be one of/],
    ["a message that is no JSON", "messages", "body", "hello", /body: it must be the text of a JSON object/],
    [
      "a message of another shape",
      "messages",
      "body",
      '{"a":1}',
      /body: it must be .* with id, type, timestamp and payload/,
    ],
    [
      "a message of thousands of levels",
      "messages",
      "body",
      `{"id":"a","type":"v1.booking.created","timestamp":"","payload":${'{"a":'.repeat(9000)}1${"}".repeat(9001)}`,
      /body: it must be .* with id, type, timestamp and payload/,
    ],
    [
      "a line break in the address of a delivery",
      "deliveries",
      "url",
      "http://127.0.0.1/\r\nx-injected: 1",
      /url: it must match format "uri"/,
    ],
    ["an address of a hundred thousand characters", "deliveries", "url", "x".repeat(100_000), /url: .{0,500}$/],
    ["a delivery of no message", "deliveries", "message_id", "msg_gone", /message_id: messages has no record/],
    ["a delivery that is never tried", "deliveries", "next_attempt_at", undefined, /next_attempt_at: it is missing/],
    ["a member that nobody knows", "bookings", "colour", "red", /colour: it is an unknown field/],
  ];
  const rows: [string, (document: Json) => void, RegExp][] = [
    ...changed.map(([what, collection, member, value, message]): [string, (document: Json) => void, RegExp] => [
      what,
      at(`collections.${collection}.last.${member}`, value),
      new RegExp(`^body\\.collections\\.${collection}\\.\\d+\\..*${message.source}`),
    ]),
    [
      "two records with one id",
      (d) => void d.collections.bookings.push(d.collections.bookings[0]),
      /bookings\.\d+\.id: another record of bookings/,
    ],
    ["a collection that is null", at("collections.orders", null), /collections\.orders: it is not a list/],
    ["no identity", at("collections.identity", undefined), /collections\.identity: it is required/],
    [
      "no events, though there are bookings",
      at("collections.events", []),
      /bookings\.0\.event_id: events has no record/,
    ],
    [
      "a collection called __proto__",
      (d) => void Object.defineProperty(d.collections, "__proto__", { value: [], enumerable: true }),
      /body: the key __proto__ is not accepted/,
    ],
    [
      "a collection called constructor",
      at("collections.constructor", []),
      /collections\.constructor: there is no such/,
    ],
    ["collections that are a list", at("collections", []), /the collections are missing/],
    ["a checksum that is a number", at("checksum", 7), /body\.checksum/],
  ];
  it.each(rows)("%s", async (_, change, message) => {
    const document = fresh();
    change(document);
    const before = current();
    const answer = await world.control("put", "state", document);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)]);
    expect(current()).toBe(before);
    expect((await fetch(`${sandbox.url}/healthz`)).status).toBe(200);
  });
});

describe("rejects with 400 an unknown reference in", () => {
  it.each([
    ["experiences", "location_ids.0", "locations"],
    ["experiences", "opening_rules.0.location_id", "locations"],
    ["experiences", "ticket_variants.0.resources.0.resource_id", "resources"],
    ["events", "experience_id", "experiences"],
    ["events", "sessions.0.location_id", "locations"],
    ["events", "resource_ids.0", "resources"],
    ["events", "locked_by", "bookings"],
    ["bookings", "experience_id", "experiences"],
    ["bookings", "event_id", "events"],
    ["bookings", "order_id", "orders"],
    ["tickets", "booking_id", "bookings"],
    ["tickets", "event_id", "events"],
    ["giftCards", "order_id", "orders"],
    ["entries", "order_id", "orders"],
    ["entries", "booking_id", "bookings"],
    ["entries", "gift_card_id", "giftCards"],
  ])("%s with another %s", async (collection, member, missing) => {
    const document = fresh();
    const way = member.split(".");
    const holderIn = (row: Json) => way.slice(0, -1).reduce((node, key) => node?.[key], row);
    const index = document.collections[collection].findIndex((row: Json) => holderIn(row)?.[way.at(-1) as string]);
    holderIn(document.collections[collection][index])[way.at(-1) as string] = "gone";
    const { status, body } = await world.control("put", "state", document);
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining(`${collection}.${index}.${member}: ${missing} has no record gone`),
    ]);
  });
});
