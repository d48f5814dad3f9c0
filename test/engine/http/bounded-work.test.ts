// What one request can cost: however much is wrong with it, a bounded part is looked at. Counted in errors and lookups, since seconds
// are the machine's.
import { beforeAll, describe, expect, it } from "vitest";
import { anna, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { measureLeast } from "../../thread-time.ts";
import { done, inputFor, smallWorld, ticket, tour } from "../operations/kit.ts";
import { violationsOf } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
let world: TestWorld;
beforeAll(async () => {
  world = await smallWorld(sandbox);
});

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const good = { event_id: "evt-noon", customer: anna, locale: "da", items: [ticket("var-adult")] };
const badKeys = (count: number) => Object.fromEntries(many(count, (index) => ["k".repeat(41) + index, "x"]));

describe("A body with very many errors lists a hundred, and counts the others:", () => {
  it.each([
    ["keys that are too long", { ...good, metadata: badKeys(900) }, "And 800 more."],
    [
      "metadata that is no text",
      { ...good, metadata: Object.fromEntries(many(300, (at) => [`k${at}`, at])) },
      "And 200 more.",
    ],
    ["empty items", { ...good, items: many(600, () => ({})) }, "And 1700 more."],
    ["items that nobody offers", { ...good, items: many(9000, (at) => ticket(`x${at}`)) }, "And 8900 more."],
  ])("%s", async (_, body, end) => {
    const answer = await world.call("createBooking", { body });
    expect(answer.status).toBe(400);
    expect(answer.body.message.slice(-end.length)).toBe(end);
    expect(answer.body.message.length).toBeLessThan(20_000);
    expect(violationsOf(answer).length).toBeLessThanOrEqual(100);
  });
});

describe("A body with more than 2000 values lists the first violation:", () => {
  const remark = "More may follow: a body with more than 2000 values is checked up to its first violation.";

  it.each([
    [
      "keys that are too long",
      { ...good, metadata: badKeys(9000) },
      `body.metadata: the key "${"k".repeat(41)}0" must have at most 40 characters.`,
    ],
    ["empty items", { ...good, items: many(300_000, () => ({})) }, "body.items.0.type_id is required."],
    ["items that are none", { ...good, items: many(200_000, () => 1) }, "body.items.0 must be object; it is 1."],
    [
      "a choice that nobody can tell",
      {
        ...good,
        customer: { ...anna, customer_type: "OTHER" },
        metadata: Object.fromEntries(many(2000, (at) => [at, ""])),
      },
      'body.customer.customer_type must be equal to one of the allowed values: PRIVATE, COMPANY; it is "OTHER".',
    ],
  ])("%s", async (_, body, sentence) => {
    const answer = await world.call("createBooking", { body });
    expect([answer.status, answer.body.message]).toEqual([400, `${sentence} ${remark}`]);
    expect(violationsOf(answer)).toHaveLength(1);
  });

  it("also in a world that overrides an assumption about the body", async () => {
    const other = await smallWorld(sandbox);
    await other.control("put", "assumptions", { "booking-customer-required": "phone-required" });
    const { phone: _, ...customer } = anna;
    const metadata = Object.fromEntries(many(2000, (at) => [at, ""]));
    const answer = await other.call("createBooking", { body: { ...good, customer, metadata } });
    expect([answer.status, answer.body.message]).toEqual([400, "body.customer.phone is required."]);
    const large = many(600, () => ticket("var-adult"));
    const accepted = await other.call("createBooking", { body: { ...good, items: large } });
    // Only the seats are missing.
    expect([accepted.status, accepted.body.code]).toEqual([409, "NOT_ENOUGH_RESOURCES"]);
  });

  it("and the time grows with the number of violations only, also of the same format", async () => {
    const other = await smallWorld(sandbox);
    await other.control("put", "assumptions", { "unknown-body-field": "refuse" });
    const reject = async () => {
      const answer = await other.call("listAvailabilities", {
        path: { experienceId: "exp-tour" },
        body: { filter: { durations: many(19_000, () => "x") } },
      });
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining("And 18900 more.")]);
    };
    expect(await measureLeast([reject])).toBeLessThan(5000);
  });
});

it("A booking has at most a thousand tickets, however it is created", async () => {
  await tour(world, "evt-stadium", "2030-06-03T12:00:00", "2030-06-03T14:00:00", 1_000_000);
  const book = (quantity: number) =>
    world.call("createBooking", { body: inputFor("evt-stadium", [ticket("var-adult", quantity)]) });
  const refused = await book(1001);
  expect([refused.status, refused.body]).toEqual([
    409,
    { code: "NOT_ENOUGH_RESOURCES", message: expect.stringMatching(/at most 1000 tickets, and you requested 1001/) },
  ]);
  expect((await book(1000)).status).toBe(201);
  const split = [ticket("var-adult", 600), ticket("var-adult", 600)];
  expect((await world.call("createBooking", { body: inputFor("evt-stadium", split) })).status).toBe(409);
  const input = { event_id: "evt-stadium", customer: { name: "Bo", email: "bo@example.com" } };
  expect((await world.act("bookAsHost", { ...input, items: [ticket("var-adult", 1001)] })).status).toBe(409);
  const { id } = await done(world, "bookAsHost", { ...input, items: [ticket("var-adult", 2)] });
  const grown = (quantity: number) => ({ booking_id: id, items: [ticket("var-adult", quantity)] });
  expect(await world.act("updateBooking", grown(1001))).toMatchObject({ status: 409, body: refused.body });
  await done(world, "updateBooking", grown(1000));
});
