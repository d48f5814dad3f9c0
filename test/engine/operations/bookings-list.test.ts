// GET /v1/bookings: its window, its orders, its filter and its pages.
import { beforeAll, describe, expect, it } from "vitest";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";
import { ADULT, advance, allPages, done, guest, idsOf, smallWorld, ticket, tour } from "./kit.ts";

const sandbox = shareSandbox();
let world: TestWorld;

/** Six bookings: two at 9:00:00, one each at :01, :02, :03 and :04; then changed, in an order of its own. */
beforeAll(async () => {
  world = await smallWorld(sandbox);
  await tour(world, "evt-other", "2030-06-03T12:00:00", "2030-06-03T14:00:00");
  const make = (id: string) => done(world, "bookAsHost", { id, event_id: "evt-noon", customer: guest, items: [ADULT] });
  const second = () => advance(world, "PT1S");
  await make("b");
  await make("a");
  await second();
  await make("c");
  await second();
  const { tickets } = await make("d");
  await second();
  await make("e");
  await second();
  await done(world, "startCheckout", { id: "f", event_id: "evt-noon", customer: guest, items: [ADULT] });
  await second();
  await done(world, "cancelBooking", { booking_id: "c" });
  await second();
  await done(world, "checkInTicket", { ticket_id: tickets[0].id });
  await second();
  await done(world, "updateBooking", { booking_id: "a", internal_note: "Late." });
  await done(world, "updateBooking", { booking_id: "b", internal_note: "Late too." });
});

const T = (second: string) => `2030-06-01T09:00:0${second}Z`;
const listed = async (query: Record<string, string | number> | string) => {
  const { status, body, text } = await world.call("listBookings", { query });
  expect(status, text).toBe(200);
  return idsOf(body.items).join("");
};

describe("bookings are listed", () => {
  it.each<[string, Record<string, string>, string]>([
    ["newest first when nothing is said, equals by id", {}, "fedcba"],
    ["oldest first", { sort: "+created_at" }, "abcdef"],
    ["oldest first without a sign", { sort: "created_at" }, "abcdef"],
    ["newest first", { sort: "-created_at" }, "fedcba"],
    ["least recently changed first", { sort: "+updated_at" }, "efcdab"],
    ["most recently changed first", { sort: "-updated_at" }, "badcfe"],
    ["after an instant, which is excluded", { from: T("1.000") }, "fed"],
    ["from the millisecond before", { from: T("0.999") }, "fedc"],
    ["up to within a millisecond, which is after it", { to: T("1.0000000000001") }, "cba"],
    ["from the millisecond after", { from: T("1.001") }, "fed"],
    ["up to an instant, which is not included", { to: T("3.000") }, "dcba"],
    ["up to the millisecond after", { to: T("3.001") }, "edcba"],
    ["between two", { from: T("1"), to: T("3") }, "d"],
    ["between two with an offset", { from: "2030-06-01T11:00:01+02:00", to: "2030-06-01T04:00:03-05:00" }, "d"],
    ["between two in order of their change", { from: T("0.999"), to: T("3"), sort: "+updated_at" }, "cd"],
    ["not at all in an empty window", { from: T("3"), to: T("3") }, ""],
    ["not at all in a window turned round", { from: T("3"), to: T("1") }, ""],
    ["by one status", { status: "CANCELLED" }, "c"],
    ["by another", { status: "CHECKED_IN" }, "d"],
    ["by several", { status: "CANCELLED,ACTIVE" }, "ecba"],
    ["by a status named twice", { status: "ACTIVE,ACTIVE" }, "eba"],
    ["by one that nothing has", { status: "MOVED" }, ""],
    [
      "by status, window and order",
      { status: "ACTIVE,CHECKED_IN", from: "2030-06-01T08:59:59Z", to: T("3"), sort: "+updated_at" },
      "dab",
    ],
    ["all, with an empty cursor", { cursor: "" }, "fedcba"],
    ["all, whatever else is asked", { colour: "blue" }, "fedcba"],
  ])("%s", async (_, query, ids) => {
    expect(await listed(query)).toBe(ids);
  });

  it("by id if everything else is equal, regardless of status", async () => {
    const own = await smallWorld(sandbox);
    for (const id of ["a", "b", "c"])
      await done(own, "bookAsHost", { id, event_id: "evt-noon", customer: guest, items: [ADULT] });
    await done(own, "cancelBooking", { booking_id: "b" });
    for (const [sign, ids] of Object.entries({ "+": "abc", "-": "cba" }))
      for (const field of ["created_at", "updated_at"])
        for (const limit of [1, 2, 100]) {
          const query = { sort: sign + field, status: "ACTIVE,CANCELLED", limit };
          expect(idsOf((await allPages(own, "listBookings", { query })).items).join("")).toBe(ids);
        }
  });

  it("with the plus of a sort written as %2B", async () => {
    expect(await listed("sort=%2Bupdated_at")).toBe("efcdab");
  });
});

describe("a list is rejected", () => {
  it.each<[string, string, string]>([
    ["a limit of nothing", "limit=0", "query.limit"],
    ["a limit beyond a hundred", "limit=101", "query.limit"],
    ["a limit below nothing", "limit=-1", "query.limit"],
    ["a limit with decimals", "limit=1.5", "query.limit"],
    ["a limit in scientific notation", "limit=1e1", "query.limit"],
    ["a limit in words", "limit=ten", "query.limit"],
    ["an enormous limit", "limit=99999999999999999999", "query.limit"],
    ["a status that can't be filtered on", "status=PROCESSING", "query.status"],
    ["the unknown status", "status=UNKNOWN", "query.status"],
    ["a status in small letters", "status=active", "query.status"],
    ["a good and a bad status", "status=ACTIVE,GONE", "query.status"],
    ["a field that is not sorted by", "sort=-id", "query.sort"],
    ["two fields to sort by", "sort=-created_at,updated_at", "query.sort"],
    ["a plus that became a space", "sort=+created_at", "query.sort"],
    ["a date without time", "from=2030-06-01", "query.from"],
    ["a time without offset", "to=2030-06-01T09:00:00", "query.to"],
    ["a day that there is not", "from=2030-02-30T09:00:00Z", "query.from"],
    ["words for a time", "from=yesterday", "query.from"],
    ["an invented cursor", "cursor=abc", "query.cursor"],
    ["an invented cursor of the right length", `cursor=${"A".repeat(60)}`, "query.cursor"],
    ["an absurdly long cursor", `cursor=${"x".repeat(5000)}`, "query.cursor"],
  ])("for %s", async (_, query, index) => {
    const { status, body, headers } = await world.call("listBookings", { query });
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.message).toContain(index);
    const [violation] = JSON.parse(headers["sandbox-violations"] ?? "[]");
    expect(violation.location.slice(0, 2).join(".")).toBe(index);
  });

  it("with every wrong parameter", async () => {
    const { body } = await world.call("listBookings", { query: "limit=0&sort=id&status=GONE&from=now&to=then" });
    for (const name of ["limit", "sort", "status", "from", "to"]) expect(body.message).toContain(`query.${name}`);
  });
});

describe("the pages of a list", () => {
  const sorts = ["+created_at", "-created_at", "+updated_at", "-updated_at"];
  const statuses = [undefined, "ACTIVE", "ACTIVE,CHECKED_IN,CANCELLED"];
  it.each(sorts.flatMap((sort) => statuses.map((status) => [sort, status] as const)))(
    "sorted by %s with status %s are the whole list",
    async (sort, status) => {
      const query = { sort, ...(status ? { status } : {}) };
      const whole = await listed(query);
      for (const limit of [1, 2, 3, 5, 6, 100]) {
        const { items, pages } = await allPages(world, "listBookings", { query: { ...query, limit } });
        expect(idsOf(items).join("")).toBe(whole);
        expect(pages).toBe(Math.max(1, Math.ceil(whole.length / limit)));
      }
    },
  );

  const nextOf = async (query: object) =>
    (await world.call("listBookings", { query: { limit: 2, ...query } })).body.next as string;

  it("continue with other filters", async () => {
    const cursor = await nextOf({});
    expect(await listed({ cursor, status: "ACTIVE" })).toBe("ba");
    expect(await listed({ cursor, to: T("1") })).toBe("ba");
  });

  it("continue when they are requested again", async () => {
    const cursor = await nextOf({});
    expect(await listed({ cursor })).toBe("dcba");
    expect(await listed({ cursor, limit: 1 })).toBe("d");
  });

  it("reject a cursor with any changed character", async () => {
    const cursor = await nextOf({});
    for (const index of [0, 8, 15, 16, 30, cursor.length - 2]) {
      const changed = cursor.slice(0, index) + (cursor[index] === "A" ? "B" : "A") + cursor.slice(index + 1);
      expect((await world.call("listBookings", { query: { cursor: changed } })).status).toBe(400);
    }
    expect((await world.call("listBookings", { query: { cursor: `${cursor}A` } })).status).toBe(400);
    expect((await world.call("listBookings", { query: { cursor: cursor.slice(0, -1) } })).status).toBe(400);
  });

  it.each(["listOrders", "listGiftCards", "listEvents", "listJournalEntries", "listLocations"])(
    "are not those of %s",
    async (other) => {
      const { status, body } = await world.call(other, { query: { cursor: await nextOf({}) } });
      expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    },
  );

  it("include new bookings, and lose no existing one", async () => {
    const own = await smallWorld(sandbox);
    const make = (id: string) =>
      done(own, "bookAsHost", { id, event_id: "evt-noon", customer: guest, items: [ticket("var-adult")] });
    for (const id of ["a", "b", "c", "d"]) await make(id);
    const first = await own.call("listBookings", { query: { limit: 2 } });
    await advance(own, "PT2H");
    await make("e");
    const rest = await own.call("listBookings", { query: { cursor: first.body.next } });
    expect(idsOf([...first.body.items, ...rest.body.items]).join("")).toBe("dcba");
    expect(rest.body.next ?? "").toBe("");
  });
});
