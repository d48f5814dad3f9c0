// What one request can cost: however much is wrong with it, a bounded part is looked at. Counted in errors and lookups, since seconds
// are the machine's.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boundedLoops, errorsOf, MOST_COUNTED } from "../../../src/engine/http/request-validators.ts";
import { anna, openSandbox, routes, type TestSandbox, type TestWorld } from "../../sandbox.ts";
import { done, inputFor, smallWorld, ticket, tour } from "../operations/kit.ts";
import { violationsOf } from "./http-kit.ts";

let sandbox: TestSandbox;
let world: TestWorld;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "empty" });
  world = await smallWorld(sandbox);
});
afterAll(() => sandbox.close());

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const good = { event_id: "evt-noon", customer: anna, locale: "da", items: [ticket("var-adult")] };
const badKeys = (count: number) => Object.fromEntries(many(count, (index) => ["k".repeat(41) + index, "x"]));

describe("Of a body that is wrong in very many places a hundred are named, and the rest is counted:", () => {
  it.each([
    ["keys that are too long", { ...good, metadata: badKeys(9000) }, "And 8900 more."],
    [
      "metadata that is no text",
      { ...good, metadata: Object.fromEntries(many(300, (at) => [`k${at}`, at])) },
      "And 200 more.",
    ],
    ["empty items", { ...good, items: many(60_000, () => ({})) }, /And at least (19|20)\d{3} more\.$/],
    ["items that are none", { ...good, items: many(200_000, () => 1) }, `And at least ${MOST_COUNTED - 100} more.`],
    ["items that nobody offers", { ...good, items: many(9000, (at) => ticket(`x${at}`)) }, "And 8900 more."],
  ])("%s", async (_, body, end) => {
    const answer = await world.call("createBooking", { body });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(typeof end === "string" ? new RegExp(`${end.replaceAll(".", "\\.")}$`) : end);
    expect(answer.body.message.length).toBeLessThan(20_000);
    expect(violationsOf(answer).length).toBeLessThanOrEqual(100);
  });

  it("and no more errors are made than are counted", () => {
    const { operation } = routes.get("createBooking")!;
    const errors = errorsOf(operation, "body", { ...good, items: many(300_000, () => ({})) });
    expect(errors.length).toBeGreaterThanOrEqual(MOST_COUNTED);
    expect(errors.length).toBeLessThan(MOST_COUNTED + 10);
  });

  it("while what AJV makes of a schema has the loops that are bounded", () => {
    const bound = `if(errors>=${MOST_COUNTED})break;`;
    expect(boundedLoops("for(let i0=0; i0<len0; i0++){let x;}")).toBe(`for(let i0=0; i0<len0; i0++){${bound}let x;}`);
    expect(boundedLoops("for(const key0 in data6){a}")).toBe(`for(const key0 in data6){${bound}a}`);
    expect(boundedLoops("if(a){for(;i1--;){b}}")).toBe("if(a){for(;i1--;){b}}");
  });
});

it("A booking has at most a thousand tickets, wherever it is made", async () => {
  await tour(world, "evt-stadium", "2030-06-03T12:00:00", "2030-06-03T14:00:00", 1_000_000);
  const book = (quantity: number) =>
    world.call("createBooking", { body: inputFor("evt-stadium", [ticket("var-adult", quantity)]) });
  const refused = await book(1001);
  expect([refused.status, refused.body]).toEqual([
    409,
    { code: "NOT_ENOUGH_RESOURCES", message: expect.stringMatching(/at most 1000 tickets, and 1001 were asked for/) },
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
