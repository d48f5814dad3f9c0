// The records of a world as they are kept: counted, paged newest first, searched within bounds, shown as the service answers them,
// and never with a secret.
import { describe, expect, it } from "vitest";
import { shareSandbox, shareWorld } from "../../../sandbox.ts";
import { ADULT, book, done, ticket } from "../../operations/kit.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });
const world = shareWorld(sandbox, { fixture: "harbour-tours" });

interface Row {
  id: string;
  [member: string]: unknown;
}

const get = async (path: string) => (await world.control("get", path)).body;

async function allOf(collection: string, query = "limit=7"): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor = "";
  do {
    const page = await get(`records/${collection}?${query}${cursor && `&cursor=${cursor}`}`);
    rows.push(...page.items);
    cursor = page.next ?? "";
  } while (cursor !== "");
  return rows;
}

describe("A collection", () => {
  it("is counted as in the world, and paged completely, each record once", async () => {
    const { items } = await get("records");
    const { counts } = await get("");
    expect(items.map(({ collection }: { collection: string }) => collection)).not.toContain("tokens");
    for (const { collection, count } of items) {
      if (collection in counts) expect([collection, count]).toEqual([collection, counts[collection]]);
      const rows = await allOf(collection, count > 50 ? "limit=50" : "limit=3");
      expect([collection, new Set(rows.map(({ id }) => id)).size, rows.length]).toEqual([collection, count, count]);
    }
  });

  it.each(["bookings", "orders", "events", "experiences"])("of %s has the newest first", async (collection) => {
    const made = (await allOf(collection)).map(({ created_at }) => String(created_at));
    expect(made).toEqual([...made].sort().reverse());
  });

  it("has records that the service no longer shows, without a response for them", async () => {
    const event = { id: "evt-gone", experience_id: "exp-canal", capacity: 4 };
    const sessions = [{ start_time: "2030-06-05T10:00:00", end_time: "2030-06-05T11:00:00" }];
    await done(world, "createEvent", { ...event, sessions });
    expect((await get("records/events/evt-gone")).answer.body).toEqual(
      (await world.call("getEvent", { path: { eventId: "evt-gone" } })).body,
    );
    await done(world, "deleteEvent", { event_id: "evt-gone" });
    expect((await get("records/events?limit=1")).items).toMatchObject([{ id: "evt-gone" }]);
    const view = await get("records/events/evt-gone");
    expect(view).toEqual({
      collection: "events",
      record: expect.objectContaining({ id: "evt-gone" }),
      head: expect.objectContaining({ title: "2030-06-05 10:00 · Canal tour", state: "DELETED" }),
      references: [
        { collection: "experiences", id: "exp-canal", title: "Canal tour" },
        { collection: "locations", id: expect.any(String), title: expect.any(String) },
      ],
      related: [
        {
          collection: "messages",
          count: 2,
          items: ["v1.event.deleted", "v1.event.created"].map((title) => ({
            collection: "messages",
            id: expect.stringMatching(/^msg_/),
            title,
          })),
        },
      ],
      acts: [],
    });
  });
});

describe("A record lists related records by kind, the newest ten:", () => {
  const kindsOf = async (path: string) =>
    (await get(`records/${path}`)).related.map(({ collection, count, items }: Related) => [
      ...[collection, count, items.length, items[0]?.title],
    ]);
  interface Related {
    collection: string;
    count: number;
    items: { id: string; title: string; state?: string }[];
  }

  it("a booking, its origins and results", async () => {
    const own = await sandbox.world({ fixture: "harbour-tours", webhook_url: "http://127.0.0.1:9/hooks" });
    const related = async (path: string): Promise<Related[]> =>
      (await own.control("get", `records/${path}`)).body.related;
    const { body } = await book(own, "evt-evening", [ticket("var-adult", 2)]);
    const kinds = (await related(`bookings/${body.id}`)).map(({ collection, count }) => [collection, count]);
    expect(kinds).toEqual([
      ["tickets", 2],
      ["entries", 1],
      ["messages", 1],
      ["deliveries", 1],
    ]);
    const [, entries] = await related(`bookings/${body.id}`);
    const { record } = (await own.control("get", `records/bookings/${body.id}`)).body;
    expect((await related(`orders/${record.order_id}`))[0]).toEqual(entries);
    const ofEvent = (await related("events/evt-evening"))[0];
    expect([ofEvent?.collection, ofEvent?.items[0]?.id]).toEqual(["bookings", body.id]);
  });

  it("an experience its events, and an unrelated record none", async () => {
    const [[collection, count, listed]] = await kindsOf("experiences/exp-canal");
    expect([collection, count > 10, listed]).toEqual(["events", true, 10]);
    expect(await kindsOf("company/company")).toEqual([]);
  });
});

describe("A record offers the acts that its state allows, with their input:", () => {
  const namesOf = async (collection: string, id: string) =>
    (await get(`records/${collection}/${id}`)).acts.map(({ act }: { act: string }) => act);
  const booked = async (more: object = {}) =>
    done(world, "bookAsHost", { event_id: "evt-evening", customer: { name: "Anna" }, items: [ADULT], ...more });

  it("a booking, until it is cancelled", async () => {
    const { id } = await booked();
    expect(await namesOf("bookings", id)).toEqual(["updateBooking", "cancelBooking", "moveBooking"]);
    const { acts } = await get(`records/bookings/${id}`);
    expect(acts[1]).toEqual({ act: "cancelBooking", summary: expect.any(String), input: { booking_id: id } });
    expect((await get(`records/bookings/${id}`)).record.status).toBe("ACTIVE");
    await done(world, "cancelBooking", acts[1].input);
    expect(await namesOf("bookings", id)).toEqual([]);
  });

  it("a ticket before and after its check-in", async () => {
    const { tickets } = await booked();
    const ticket_id = tickets[0].id;
    expect(await namesOf("tickets", ticket_id)).toEqual(["checkInTicket", "voidTicket"]);
    await done(world, "checkInTicket", { ticket_id });
    expect(await namesOf("tickets", ticket_id)).toEqual(["undoCheckIn"]);
  });

  it("an order that is unpaid, paid and refunded", async () => {
    const { order_id } = await booked();
    expect(await namesOf("orders", order_id)).toEqual(["payOrder"]);
    await done(world, "payOrder", { order_id });
    expect(await namesOf("orders", order_id)).toEqual(["refundOrder"]);
    await done(world, "refundOrder", { order_id });
    expect(await namesOf("orders", order_id)).toEqual([]);
  });

  it("an event that is on sale, locked, disabled and cancelled", async () => {
    const sessions = [{ start_time: "2030-06-06T10:00:00", end_time: "2030-06-06T11:00:00" }];
    await done(world, "createEvent", { id: "evt-acts", experience_id: "exp-canal", capacity: 4, sessions });
    const on = "updateEvent deactivateEvent cancelEvent deleteEvent lockEvent startCheckout bookAsHost".split(" ");
    expect(await namesOf("events", "evt-acts")).toEqual(on);
    const { id } = await booked({ event_id: "evt-acts" });
    await done(world, "lockEvent", { event_id: "evt-acts", booking_id: id });
    expect(await namesOf("events", "evt-acts")).toEqual([
      ...["updateEvent", "deactivateEvent", "cancelEvent", "unlockEvent", "startCheckout", "bookAsHost"],
    ]);
    await done(world, "unlockEvent", { event_id: "evt-acts" });
    await done(world, "deactivateEvent", { event_id: "evt-acts" });
    expect(await namesOf("events", "evt-acts")).toEqual(["updateEvent", "activateEvent"]);
    await done(world, "activateEvent", { event_id: "evt-acts" });
    await done(world, "cancelEvent", { event_id: "evt-acts" });
    expect(await namesOf("events", "evt-acts")).toEqual(["deleteEvent"]);
  });

  it("a gift card, until it is voided, and a key, until it is revoked", async () => {
    const card = await done(world, "issueGiftCard", { initial_value: { value: 10_000, currency: "DKK" } });
    expect(await namesOf("giftCards", card.id)).toEqual(["adjustGiftCard", "spendGiftCard", "voidGiftCard"]);
    await done(world, "voidGiftCard", { gift_card_id: card.id });
    expect(await namesOf("giftCards", card.id)).toEqual([]);
    const { client_id } = await done(world, "createKey", { name: "One", scopes: ["booking.read"] });
    expect(await namesOf("keys", client_id)).toEqual(["updateKey", "revokeKey"]);
    await done(world, "revokeKey", { client_id });
    expect(await namesOf("keys", client_id)).toEqual([]);
  });
});

it("A record has a title with its name and its parent", async () => {
  const of = async (collection: string, id: string) => (await get(`records/${collection}/${id}`)).head.title;
  const { items, heads } = await get("records/bookings?limit=1");
  const [{ id, event_id, customer, order_id, created_at, status }] = items;
  const { experience_id, sessions } = (await get(`records/events/${event_id}`)).record;
  const start = sessions[0].start_time.slice(0, 16).replace("T", " ");
  const event = `${start} · ${await of("experiences", experience_id)}`;
  const { timezone } = sessions[0];
  expect(heads).toEqual({
    [id]: { title: `${customer.name} · ${event}`, timezone, state: status, made_at: created_at },
  });
  expect(await of("events", event_id)).toBe(event);
  const { references } = await get(`records/bookings/${id}`);
  expect(references).toContainEqual({ collection: "events", id: event_id, title: event, timezone });
  expect(references).toContainEqual({ collection: "orders", id: order_id, title: await of("orders", order_id) });
  const { number, totals } = (await get(`records/orders/${order_id}`)).record;
  expect(await of("orders", order_id)).toBe(`${number} · DKK ${(totals.amount.value / 100).toFixed(2)}`);
  const [message] = (await get("records/messages?limit=1")).items;
  if (message) expect((await get(`records/messages/${message.id}`)).references).not.toEqual([]);
});

describe("A record is shown as in a service response:", () => {
  it.each([
    ["bookings", "getBooking", "bookingId"],
    ["entries", "getJournalEntry", "journalEntryId"],
    ["events", "getEvent", "eventId"],
    ["experiences", "getExperience", "experienceId"],
    ["locations", "getLocation", "locationId"],
    ["orders", "getOrder", "orderId"],
  ])("of %s as %s does", async (collection, operation, parameter) => {
    const { id } = (await allOf(collection)).at(-1) as Row;
    const { answer } = await get(`records/${collection}/${id}`);
    const { body } = await world.call(operation, { path: { [parameter]: id } });
    expect(answer).toEqual({ operation, body });
  });

  it("a ticket as an item of its booking", async () => {
    const { id } = (await book(world, "evt-evening", [ticket("var-adult", 2)])).body;
    const { body } = await world.call("listBookingTickets", { path: { bookingId: id } });
    const answers = body.items.map(async (each: Row) => (await get(`records/tickets/${each.id}`)).answer.body);
    expect([body.items.length, await Promise.all(answers)]).toEqual([2, body.items]);
  });

  it("in the form of the active assumptions", async () => {
    const other = await sandbox.world({ fixture: "harbour-tours" });
    await other.control("put", "assumptions", { timestamps: "second" });
    const [{ id }] = (await other.control("get", "records/bookings?limit=1")).body.items;
    const { answer } = (await other.control("get", `records/bookings/${id}`)).body;
    expect(answer.body).toEqual((await other.call("getBooking", { path: { bookingId: id } })).body);
    expect(answer.body.created_at).toMatch(/:\d\dZ$/);
  });

  it("and not at all if there is no response", async () => {
    const { status, body } = await world.control("get", "records/bookings/nobody");
    expect([status, body.list]).toEqual([404, "GET /_sandbox/records/{collection}"]);
    expect((await world.control("get", "records/tokens")).status).toBe(400);
    expect((await world.control("get", "records/__proto__")).status).toBe(400);
  });
});

it("No secret is shown or can be searched for", async () => {
  const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
  const made = (await world.call("createWebhookSubscription", { body })).body;
  await world.control("post", `webhook-subscriptions/${made.id}/rotate-secret`, { overlap: "P1D" });
  const subscription = await get(`records/subscriptions/${made.id}`);
  expect(subscription.record).toMatchObject({
    secret: "[redacted]",
    previous_secret: { secret: "[redacted]", valid_until: expect.any(String) },
  });
  const key = (await get("records/keys")).items.find(({ id }: { id: string }) => id === world.clientId);
  expect(key).toMatchObject({ id: world.clientId, secret: "[redacted]" });
  expect((await get("records/identity/identity")).record.cursor_key).toBe("[redacted]");
  expect((await get(`records/keys?q=${encodeURIComponent(world.clientSecret)}`)).items).toEqual([]);
  expect((await get(`records/subscriptions?q=${encodeURIComponent(made.secret)}`)).items).toEqual([]);
});

describe("A search", () => {
  it("for a complete id finds only that record, and for a part or a text of a field all that contain it", async () => {
    const [{ id }] = (await get("records/bookings?limit=1")).items;
    expect((await get(`records/bookings?q=${id}`)).items.map((row: Row) => row.id)).toEqual([id]);
    const all = await allOf("experiences");
    const parts = await allOf("experiences", "q=EXP-");
    expect(parts).toEqual(all.filter((row) => row.id.startsWith("exp-")));
    const named = all.find(({ name }) => JSON.stringify(name).includes("anal"));
    expect((await allOf("experiences", "q=anal")).map((row) => row.id)).toContain(named?.id);
  });

  it("for fields finds the records that match all values, also in lists", async () => {
    const all = await allOf("bookings");
    const active = await allOf("bookings", "where=status%3DACTIVE");
    expect(active).toEqual(all.filter(({ status }) => status === "ACTIVE"));
    const event = String(active[0]?.event_id);
    expect(await allOf("bookings", `where=status%3DACTIVE,event_id%3D${event}`)).toEqual(
      active.filter(({ event_id }) => event_id === event),
    );
    const type = ((active[0] as Row).items as { type_id: string }[])[0]?.type_id;
    expect((await allOf("bookings", `where=items.type_id%3D${type}`)).length).toBeGreaterThan(0);
    expect(await allOf("bookings", "where=__proto__.x%3D1")).toEqual([]);
  });

  it("that finds nothing in many records reports where it stopped, and continues from there", async () => {
    const big = await sandbox.world({ fixture: "empty" });
    const populated = await big.control("post", "state/populate", { bookings: 1500 });
    const { tickets } = populated.body.added;
    const first = (await big.control("get", "records/tickets?q=no-such-text")).body;
    expect(first).toEqual({
      items: [],
      heads: {},
      next: expect.any(String),
      stopped: { looked_at: 1000, of: tickets },
    });
    let [looked, next] = [1000, first.next];
    while (next) {
      const page = (await big.control("get", `records/tickets?q=no-such-text&cursor=${next}`)).body;
      looked += page.stopped?.looked_at ?? tickets - looked;
      next = page.next;
    }
    expect(looked).toBe(tickets);
    // Also where a page ends because it is full.
    const full = (await big.control("get", "records/tickets?q=tkt&where=state%3DVALID&limit=2")).body;
    expect(full.stopped).toEqual({ looked_at: expect.any(Number), of: tickets });
  });

  it.each([
    ["where=status", /query\.where\.0: status is not path=value/],
    ["cursor=nonsense", /query\.cursor: this is not a cursor of this list/],
    ["limit=0", /limit/],
    ["limit=501", /limit/],
  ])("for %s is rejected in one sentence", async (query, sentence) => {
    const { status, body } = await world.control("get", `records/bookings?${query}`);
    expect([status, body.message]).toEqual([400, expect.stringMatching(sentence)]);
  });
});
