// POST /v1/bookings and what comes of it: the booking, its tickets, its order, its entry in the journal.
import { describe, expect, it } from "vitest";
import { ANCHOR, anna, renewWorld, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { violationsOf } from "../http/http-kit.ts";
import {
  ADULT,
  addOn,
  advance,
  allPages,
  book,
  done,
  guest,
  type Item,
  inputFor,
  kroner,
  smallWorld,
  ticket,
  tour,
} from "./kit.ts";

const sandbox = shareSandbox();
const world = renewWorld(() => sandbox.world());

const code = ({ status, body }: { status: number; body: { code?: string } }) =>
  status === 201 ? "201" : `${status} ${body.code}`;

async function orderOf(world: TestWorld, booking: string) {
  const { items } = await allPages(world, "listOrders");
  return items.find(({ origin }) => origin.id === booking);
}

describe("a booking is created", () => {
  it("and the response has its id and ACTIVE", async () => {
    const { status, body } = await book(world, "evt-evening");
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), status: "ACTIVE" });
  });

  it("for a private person, with both names, all fields, and the key's name as its source", async () => {
    const metadata = { reference: "A-1", note: "" };
    const made = await book(world, "evt-evening", [ADULT], { metadata, locale: "en-GB" });
    const { status, body } = await world.call("getBooking", { path: { bookingId: made.body.id } });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: made.body.id,
      status: "ACTIVE",
      created_at: ANCHOR,
      updated_at: ANCHOR,
      company_id: "cmp-harbour-tours",
      experience_id: "exp-canal",
      event_id: "evt-evening",
      customer: { ...anna, full_name: "Anna Holm" },
      locale: "en-GB",
      source: "Integration",
      metadata,
    });
  });

  it("for a private person with full_name", async () => {
    const { name, ...rest } = anna;
    const made = await book(world, "evt-evening", [ADULT], { customer: { ...rest, full_name: name } });
    const { body } = await world.call("getBooking", { path: { bookingId: made.body.id } });
    expect(body.customer).toMatchObject({ name: "Anna Holm", full_name: "Anna Holm" });
  });

  it("for a company", async () => {
    const customer = { ...anna, customer_type: "COMPANY", company_name: "Holm ApS", vat_number: "DK12345678" };
    const made = await book(world, "evt-evening", [ADULT], { customer });
    const { body } = await world.call("getBooking", { path: { bookingId: made.body.id } });
    expect(body.customer).toEqual({ ...customer, full_name: "Anna Holm" });
  });

  it("with only the required fields", async () => {
    const { phone: _, ...customer } = anna;
    const address = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };
    expect(code(await book(world, "evt-private", [ADULT], { customer: { ...customer, address } }))).toBe("201");
  });

  it("with undocumented fields, which are ignored", async () => {
    const made = await book(world, "evt-evening", [{ ...ADULT, colour: "blue" } as Item], {
      source: "me",
      status: "CANCELLED",
      id: "mine",
      customer: { ...anna, colour: "blue", address: { ...anna.address, floor: 2 } },
    });
    const { body } = await world.call("getBooking", { path: { bookingId: made.body.id } });
    expect([body.source, body.status, "colour" in body]).toEqual(["Integration", "ACTIVE", false]);
    expect(body.customer).toEqual({ ...anna, full_name: anna.name });
    const { items } = (await world.call("listOrders", { query: { limit: 1 } })).body;
    expect(items[0].customer).toEqual(body.customer);
  });

  it("and reported in one message", async () => {
    const made = await book(world, "evt-evening");
    const { body } = await world.control("get", "messages?kind=v1.booking.created");
    const payload = {
      booking_id: made.body.id,
      event_id: "evt-evening",
      experience_id: "exp-canal",
      host_id: "cmp-harbour-tours",
    };
    expect(body.items.at(-1)?.body.payload).toEqual(payload);
  });
});

describe("a booking is rejected", () => {
  const { address, ...nameless } = anna;
  const without = (name: string) => Object.fromEntries(Object.entries(anna).filter(([key]) => key !== name));
  const at = (change: object) => ({ customer: { ...anna, address: { ...address, ...change } } });
  it.each<[string, object, string]>([
    ["without an event", { event_id: undefined }, "body.event_id"],
    ["without a customer", { customer: undefined }, "body.customer"],
    ["without a locale", { locale: undefined }, "body.locale"],
    ["without items", { items: undefined }, "body.items"],
    ["with an empty list of items", { items: [] }, "body.items"],
    ["with items that are none", { items: {} }, "body.items"],
    ["with a locale in capitals", { locale: "DA" }, "body.locale"],
    ["with a locale in the old style", { locale: "da_DK" }, "body.locale"],
    ["without a type of customer", { customer: without("customer_type") }, "body.customer.customer_type"],
    [
      "with an unknown type of customer",
      { customer: { ...anna, customer_type: "PET" } },
      "body.customer.customer_type",
    ],
    ["without an e-mail", { customer: without("email") }, "body.customer.email"],
    ["with an e-mail that is none", { customer: { ...anna, email: "anna" } }, "body.customer.email"],
    ["without a name", { customer: without("name") }, "body.customer.name"],
    ["with an empty name", { customer: { ...anna, name: "" } }, "body.customer.name"],
    ["without an address", { customer: nameless }, "body.customer.address"],
    ["with no line of address", at({ address_lines: [] }), "body.customer.address.address_lines"],
    ["with three lines of address", at({ address_lines: ["a", "b", "c"] }), "body.customer.address.address_lines"],
    ["without a city", at({ city: undefined }), "body.customer.address.city"],
    ["without a postal code", at({ zip_code: undefined }), "body.customer.address.zip_code"],
    ["with a postal code that is a number", at({ zip_code: 1051 }), "body.customer.address.zip_code"],
    ["without a country", at({ country: undefined }), "body.customer.address.country"],
    ["with a country in full", at({ country: "Denmark" }), "body.customer.address.country"],
    [
      "for a company without a name",
      { customer: { ...without("name"), customer_type: "COMPANY", company_name: "H" } },
      "body.customer.name",
    ],
    [
      "for a company that has only full_name",
      { customer: { ...without("name"), full_name: "A", customer_type: "COMPANY", company_name: "H" } },
      "body.customer.name",
    ],
    [
      "for a company without its own name",
      { customer: { ...anna, customer_type: "COMPANY" } },
      "body.customer.company_name",
    ],
    ["with none of an item", { items: [ticket("var-adult", 0)] }, "body.items.0.quantity"],
    ["with less than none of an item", { items: [ticket("var-adult", -1)] }, "body.items.0.quantity"],
    ["with half an item", { items: [ticket("var-adult", 0.5)] }, "body.items.0.quantity"],
    ["with a quantity in words", { items: [{ ...ADULT, quantity: "1" }] }, "body.items.0.quantity"],
    ["with an unknown type of item", { items: [{ ...ADULT, item_type: "GIFT" }] }, "body.items.0.item_type"],
    ["with a key of metadata of 41 characters", { metadata: { ["k".repeat(41)]: "v" } }, "body.metadata"],
    ["with a value of metadata of 501 characters", { metadata: { key: "v".repeat(501) } }, "body.metadata.key"],
    ["with metadata that is a number", { metadata: { key: 1 } }, "body.metadata.key"],
  ])("%s", async (_, change, index) => {
    const before = await world.control("get", "state");
    const answer = await book(world, "evt-evening", [ADULT], change);
    expect(code(answer)).toBe("400 BAD_REQUEST");
    expect(answer.body.message).toContain(index);
    const paths = JSON.parse(answer.headers["sandbox-violations"] ?? "[]").map(({ location }: { location: string[] }) =>
      location.join("."),
    );
    expect(paths).toContain(index);
    expect((await world.control("get", "state")).text).toBe(before.text);
  });

  it("but not for metadata with the key __proto__, which is an ordinary key", async () => {
    const metadata = JSON.parse('{"__proto__":"R-9","other":"b"}');
    const made = await book(world, "evt-evening", [ADULT], { metadata });
    const read = await world.call("getBooking", { path: { bookingId: made.body.id } });
    expect(Object.entries(read.body.metadata)).toEqual(Object.entries(metadata));
    const { body } = await world.control("get", `log/${made.headers["sandbox-request-id"]}`);
    expect(Object.entries(body.request.body.metadata)).toEqual(Object.entries(metadata));
  });

  it("but not for metadata at its limits", async () => {
    const metadata = { ["k".repeat(40)]: "v".repeat(500), ["ø".repeat(40)]: "🚤".repeat(500) };
    const made = await book(world, "evt-evening", [ADULT], { metadata });
    expect((await world.call("getBooking", { path: { bookingId: made.body.id } })).body.metadata).toEqual(metadata);
  });

  it.each(["evt-nowhere", "evt-deleted", "__proto__", "constructor"])(
    "on the event %s, which does not exist",
    async (event) => {
      const answer = await book(world, event);
      expect(code(answer)).toBe("400 EVENT_NOT_FOUND");
      expect(answer.body.message).toMatch(/^body\.event_id: /);
      expect(violationsOf(answer)[0]?.location).toEqual(["body", "event_id"]);
    },
  );

  it.each<[string, Item[], string]>([
    ["a variant that nobody offers", [ticket("var-nothing")], "var-nothing"],
    ["a variant of another experience", [ticket("var-dinner")], "var-dinner"],
    ["an add-on as a variant", [ticket("add-blanket")], "add-blanket"],
    ["a variant as an add-on", [ADULT, addOn("var-adult")], "var-adult"],
    ["an add-on of another experience", [ADULT, addOn("add-wine")], "add-wine"],
    ["an item of type UNKNOWN", [{ ...ADULT, item_type: "UNKNOWN" }], "UNKNOWN"],
    ["an add-on whose variant is not in the basket", [ticket("var-child"), addOn("add-museum")], "add-museum"],
    ["only add-ons", [addOn("add-blanket")], "add-ons"],
    ["a good item and a bad one", [ADULT, ticket("var-nothing")], "var-nothing"],
    ["a property that every object has", [ticket("toString")], "toString"],
  ])("for %s", async (_, items, named) => {
    const answer = await book(world, "evt-evening", items);
    expect(code(answer)).toBe("400 INVALID_ITEM");
    expect(answer.body.message).toContain(named);
  });

  it("for every unavailable item, each at its path", async () => {
    const items = [ticket("zz"), ADULT, { ...ADULT, item_type: "UNKNOWN" }, addOn("yy")];
    const answer = await book(world, "evt-evening", items);
    expect(violationsOf(answer).map(({ location, code }) => [location.join("."), code])).toEqual([
      ["body.items.0.type_id", "INVALID_ITEM"],
      ["body.items.2.item_type", "INVALID_ITEM"],
      ["body.items.3.type_id", "INVALID_ITEM"],
    ]);
    for (const { message } of violationsOf(answer)) expect(answer.body.message).toContain(message);
  });

  it("for every add-on without its variant in the basket", async () => {
    const small = await smallWorld(sandbox);
    const priced = (id: string) => ({ id, name: id, price: kroner(1000), vat_rate: "0.25" });
    const both = { ...priced("var-both"), add_on_variants: [priced("add-map"), priced("add-lunch")] };
    const experience_id = "exp-walk";
    await done(small, "createExperience", {
      id: experience_id,
      name: "Walk",
      location_ids: ["loc-pier"],
      ticket_variants: [priced("var-plain"), both],
    });
    const sessions = [{ start_time: "2030-06-02T12:00:00", end_time: "2030-06-02T14:00:00" }];
    await done(small, "createEvent", { id: "evt-walk", experience_id, sessions, capacity: 9 });
    const answer = await book(small, "evt-walk", [ticket("var-plain"), addOn("add-map"), addOn("add-lunch")]);
    expect(violationsOf(answer).map(({ message }) => message)).toEqual([
      expect.stringContaining("add-map"),
      expect.stringContaining("add-lunch"),
    ]);
  });

  it.each<[string, string, Item]>([
    ["evt-inactive", "EVENT_NOT_ACTIVE", ticket("var-rider")],
    ["evt-cancelled", "EVENT_NOT_ACTIVE", ADULT],
    ["evt-completed", "EVENT_NOT_ACTIVE", ADULT],
    ["evt-winter", "EVENT_NOT_ACTIVE", ticket("var-winter")],
    ["evt-on-the-water", "EVENT_PAST_CUTOFF", ADULT],
    ["evt-past-cutoff", "EVENT_PAST_CUTOFF", ticket("var-dinner")],
    ["evt-multi-running", "EVENT_PAST_CUTOFF", ticket("var-course")],
    ["evt-locked", "EVENT_EXCLUSIVITY_LOCKED", ticket("var-dinner")],
    ["evt-sold-out", "NOT_ENOUGH_RESOURCES", ADULT],
  ])("on %s with %s", async (event, refusal, item) => {
    expect(code(await book(world, event, [item]))).toBe(`409 ${refusal}`);
  });

  const reasons = [
    "EVENT_NOT_ACTIVE",
    "EVENT_PAST_CUTOFF",
    "EVENT_EXCLUSIVITY_LOCKED",
    "NOT_ENOUGH_RESOURCES",
  ] as const;
  const sets = Array.from({ length: 15 }, (_, index) => reasons.filter((_, bit) => (index + 1) & (1 << bit)));
  it.each(sets.map((set) => [set.join(" and "), set] as const))("for the first reason of %s", async (_, set) => {
    const small = await smallWorld(sandbox, 4);
    const { id } = await done(small, "bookAsHost", {
      event_id: "evt-noon",
      customer: guest,
      items: [ticket("var-adult", 2)],
    });
    const stands = (reason: string) => (set as readonly string[]).includes(reason);
    if (stands("EVENT_EXCLUSIVITY_LOCKED")) await done(small, "lockEvent", { event_id: "evt-noon", booking_id: id });
    if (stands("EVENT_PAST_CUTOFF")) await done(small, "updateEvent", { event_id: "evt-noon", booking_cutoff: "P2D" });
    if (stands("EVENT_NOT_ACTIVE")) await done(small, "deactivateEvent", { event_id: "evt-noon" });
    const quantity = stands("NOT_ENOUGH_RESOURCES") ? 3 : 1;
    expect(code(await book(small, "evt-noon", [ticket("var-adult", quantity)]))).toBe(`409 ${set[0]}`);
    expect(code(await book(small, "evt-noon", [ticket("var-nothing")]))).toBe("400 INVALID_ITEM");
  });

  it("from the instant of the cut-off on", async () => {
    const small = await smallWorld(sandbox);
    await done(small, "updateEvent", { event_id: "evt-noon", booking_cutoff: "PT1H" });
    await small.control("put", "clock", { now: "2030-06-02T08:59:59.999Z" });
    expect(code(await book(small, "evt-noon"))).toBe("201");
    await small.control("put", "clock", { now: "2030-06-02T09:00:00Z" });
    expect(code(await book(small, "evt-noon"))).toBe("409 EVENT_PAST_CUTOFF");
  });
});

describe("the remaining quantity is counted", () => {
  it("in seats, by the seats of each variant", async () => {
    expect(code(await book(world, "evt-last-seat", [ticket("var-family")]))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-last-seat"))).toBe("201");
    expect(code(await book(world, "evt-last-seat"))).toBe("409 NOT_ENOUGH_RESOURCES");
    const { body } = await world.call("getEvent", { path: { eventId: "evt-last-seat" } });
    expect(body.capacity).toEqual({ total: 8, reserved: 8 });
  });

  it("for the complete basket", async () => {
    const small = await smallWorld(sandbox, 5);
    const five = [ticket("var-adult", 2), ticket("var-adult", 3)];
    expect(code(await book(small, "evt-noon", [...five, ADULT]))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(small, "evt-noon", five))).toBe("201");
  });

  it("in tickets, if a variant uses no seat and has no limit", async () => {
    const small = await smallWorld(sandbox);
    const variant = { id: "var-pram", name: "Pram", price: kroner(0), vat_rate: "0", seats: 0 };
    await done(small, "createExperience", {
      id: "exp-pram",
      name: "Prams",
      location_ids: ["loc-pier"],
      ticket_variants: [variant],
    });
    const session = { start_time: "2030-06-05T10:00:00", end_time: "2030-06-05T11:00:00" };
    await done(small, "createEvent", { id: "evt-pram", experience_id: "exp-pram", capacity: 0, sessions: [session] });
    expect(code(await book(small, "evt-pram", [ticket("var-pram", 2147483647)]))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(small, "evt-pram", [ticket("var-pram", 200)]))).toBe("201");
  });

  it("in an add-on up to its maximum quantity, however many items it is split into", async () => {
    const guides = (...quantities: number[]) => [ADULT, ...quantities.map((each) => addOn("add-audio-guide", each))];
    const most = 2 ** 31 - 1;
    const made = await book(world, "evt-evening", guides(most - 1, 1));
    expect(code(made)).toBe("201");
    const split = await book(world, "evt-evening", guides(most, 1));
    expect(split.body.message).toContain("body.items.2.quantity");
    const [booked, changed] = [{ event_id: "evt-evening", customer: guest }, { booking_id: made.body.id }];
    for (const items of [guides(most + 1), guides(most, 1)]) {
      expect(code(await book(world, "evt-evening", items))).toBe("400 BAD_REQUEST");
      expect(code(await world.act("bookAsHost", { ...booked, items }))).toBe("400 BAD_REQUEST");
      expect(code(await world.act("updateBooking", { ...changed, items }))).toBe("400 BAD_REQUEST");
    }
  });

  it("by the limit of a variant, over all bookings of the event", async () => {
    await at("exp-canal", "evt-mine", "08:00", "09:00");
    expect(code(await book(world, "evt-mine", [ticket("var-child", 21)]))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-mine", [ticket("var-child", 15)]))).toBe("201");
    expect(code(await book(world, "evt-mine", [ticket("var-child", 6)]))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-mine", [ADULT, ticket("var-child", 5)]))).toBe("201");
    expect(code(await book(world, "evt-mine", [ADULT]))).toBe("201");
  });

  it("by the limit of an add-on, with any variant", async () => {
    await at("exp-canal", "evt-mine", "08:00", "09:00");
    expect(code(await book(world, "evt-mine", [ADULT, addOn("add-blanket", 11)]))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-mine", [ADULT, addOn("add-blanket", 6)]))).toBe("201");
    expect(code(await book(world, "evt-mine", [ticket("var-child"), addOn("add-blanket", 5)]))).toBe(
      "409 NOT_ENOUGH_RESOURCES",
    );
    expect(code(await book(world, "evt-mine", [ticket("var-child"), addOn("add-blanket", 4)]))).toBe("201");
    expect(code(await book(world, "evt-mine", [ADULT, addOn("add-audio-guide", 30)]))).toBe("201");
  });

  const at = (experience_id: string, id: string, from: string, to: string) =>
    done(world, "createEvent", {
      id,
      experience_id,
      sessions: [{ start_time: `2030-06-20T${from}:00`, end_time: `2030-06-20T${to}:00` }],
      capacity: 50,
    });
  const kayaks = (count: number) => [ticket("var-kayak", count)];

  it("in shared resources of events that overlap: twelve kayaks, ten bikes", async () => {
    await at("exp-kayak", "evt-k", "08:00", "10:00");
    await at("exp-paddle-pedal", "evt-p", "09:00", "11:00");
    await at("exp-bike", "evt-b", "10:30", "12:00");
    expect(code(await book(world, "evt-k", kayaks(13)))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-k", kayaks(7)))).toBe("201");
    expect(code(await book(world, "evt-p", [ticket("var-duo-sport", 6)]))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-p", [ticket("var-duo-sport", 5)]))).toBe("201");
    expect(code(await book(world, "evt-k", kayaks(1)))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-b", [ticket("var-rider", 6)]))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-b", [ticket("var-rider", 5), ticket("var-own-bike", 3)]))).toBe("201");
    expect(code(await book(world, "evt-b", [ticket("var-own-bike", 3)]))).toBe("201");
  });

  it("but not of consecutive events", async () => {
    await at("exp-kayak", "evt-1", "08:00", "10:00");
    await at("exp-kayak", "evt-2", "10:00", "12:00");
    for (const event of ["evt-1", "evt-2"]) expect(code(await book(world, event, kayaks(12)))).toBe("201");
  });

  it("by the maximum in use at one time, not by the sum over the day", async () => {
    await at("exp-kayak", "evt-1", "08:00", "10:00");
    await at("exp-kayak", "evt-2", "10:00", "12:00");
    await at("exp-kayak", "evt-long", "08:00", "12:00");
    expect(code(await book(world, "evt-1", kayaks(8)))).toBe("201");
    expect(code(await book(world, "evt-2", kayaks(8)))).toBe("201");
    expect(code(await book(world, "evt-long", kayaks(5)))).toBe("409 NOT_ENOUGH_RESOURCES");
    expect(code(await book(world, "evt-long", kayaks(4)))).toBe("201");
  });

  it("and increased when a booking is cancelled", async () => {
    await at("exp-kayak", "evt-1", "08:00", "10:00");
    await at("exp-paddle-pedal", "evt-2", "09:00", "11:00");
    const { body } = await book(world, "evt-1", kayaks(12));
    const duo = [ticket("var-duo-sport", 10)];
    expect(code(await book(world, "evt-2", duo))).toBe("409 NOT_ENOUGH_RESOURCES");
    await done(world, "cancelBooking", { booking_id: body.id });
    expect(code(await book(world, "evt-2", duo))).toBe("201");
    expect((await world.call("getEvent", { path: { eventId: "evt-1" } })).body.capacity.reserved).toBe(0);
  });

  it("for a checkout too, until it is completed, abandoned or expired", async () => {
    const small = await smallWorld(sandbox, 1);
    const start = (id: string) =>
      done(small, "startCheckout", { id, event_id: "evt-noon", customer: guest, items: [ADULT] });
    await start("one");
    expect(code(await book(small, "evt-noon"))).toBe("409 NOT_ENOUGH_RESOURCES");
    await done(small, "abandonCheckout", { booking_id: "one" });
    await start("two");
    await advance(small, "PT14M59S");
    expect(code(await book(small, "evt-noon"))).toBe("409 NOT_ENOUGH_RESOURCES");
    await advance(small, "PT1S");
    expect(code(await book(small, "evt-noon"))).toBe("201");
  });
});

describe("the order of a booking", () => {
  const basket = [ticket("var-adult", 2), ticket("var-child"), addOn("add-audio-guide", 2), addOn("add-museum")];
  const gross = 2 * 25000 + 12500 + 2 * 820 + 9500;
  const vat = 5000 + 5000 + 2500 + 2 * 164;

  it("is completed and paid by the integration, without the fee of guests", async () => {
    const made = await book(world, "evt-evening", basket, { metadata: { reference: "A-1" } });
    const order = await orderOf(world, made.body.id);
    expect(order).toMatchObject({
      status: "COMPLETED",
      payment_status: "PAID",
      origin: { type: "BOOKING", id: made.body.id },
      customer: { ...anna, full_name: "Anna Holm" },
      metadata: { reference: "A-1" },
      totals: { discount: kroner(0), vat_amount: kroner(vat), amount: kroner(gross) },
    });
    const { body } = await world.call("listOrderTransactions", { path: { orderId: order.id } });
    expect(body.items).toEqual([
      {
        id: expect.any(String),
        status: "COMPLETED",
        provider: "INTEGRATION",
        amount: kroner(gross),
        created_at: ANCHOR,
      },
    ]);
    expect((await world.call("listOrderRefunds", { path: { orderId: order.id } })).body).toEqual({ items: [] });
  });

  it("has a line for the items of each ticket, with price and VAT of one", async () => {
    const made = await book(world, "evt-evening", basket);
    const order = await orderOf(world, made.body.id);
    const { items: tickets } = (await world.call("listBookingTickets", { path: { bookingId: made.body.id } })).body;
    const { items: lines } = (await world.call("listOrderLineItems", { path: { orderId: order.id } })).body;
    const onTickets = tickets.flatMap(({ id, items }: { id: string; items: Item[] }) =>
      items.map(({ type_id, quantity }) => `${id} ${quantity} ${type_id}`),
    );
    // biome-ignore lint/suspicious/noExplicitAny: an answer
    expect(lines.map((line: any) => `${line.details.ticket_id} ${line.quantity} ${line.product_id}`)).toEqual(
      onTickets,
    );
    const audio = lines.find((line: Record<string, unknown>) => line.product_id === "add-audio-guide");
    expect(audio).toMatchObject({
      product_type: "TICKET_ADDON",
      unit_price: kroner(820),
      unit_vat_amount: kroner(164),
      discounts: [],
      details: { experience_id: "exp-canal" },
    });
    expect(lines.some((line: Record<string, unknown>) => line.product_type === "BOOKING_FEE")).toBe(false);
  });

  it("is one SALE in the journal, gross, split by VAT rate", async () => {
    const made = await book(world, "evt-evening", basket);
    const { items } = await allPages(world, "listJournalEntries", { query: { from: ANCHOR } });
    const sales = items.filter(({ booking_id }) => booking_id === made.body.id);
    expect(sales).toHaveLength(1);
    const booking = { experience_id: "exp-canal", location_ids: ["loc-nyhavn"] };
    expect(sales[0]).toMatchObject({
      kind: "SALE",
      currency: "DKK",
      occurred_at: ANCHOR,
      documents: [],
      activities: [],
    });
    expect(sales[0].postings).toHaveLength(3);
    expect(sales[0].postings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "PAYMENT", direction: "DEBIT", amount: kroner(gross) }),
        { type: "BOOKING_PREPAYMENT", direction: "CREDIT", amount: kroner(gross - 9500), vat_rate: "0.25", booking },
        { type: "BOOKING_PREPAYMENT", direction: "CREDIT", amount: kroner(9500), vat_rate: "0", booking },
      ]),
    );
    expect(sales[0].postings.find(({ type }: { type: string }) => type === "PAYMENT")).not.toHaveProperty("vat_rate");
  });

  it.each<[string, Item[], object]>([
    [
      "evt-tea",
      [ticket("var-tea", 2), addOn("add-kimono")],
      {
        vat_amount: { currency: "JPY", value: 1100 + 1100 + 500, exponent: 0 },
        amount: { currency: "JPY", value: 29700, exponent: 0 },
      },
    ],
    [
      "evt-charter",
      [ticket("var-charter-guest", 2)],
      {
        vat_amount: { currency: "KWD", value: 2 * 2036, exponent: 3 },
        amount: { currency: "KWD", value: 85510, exponent: 3 },
      },
    ],
    [
      "evt-hudson",
      [ticket("var-rower", 2)],
      {
        vat_amount: { currency: "USD", value: 0, exponent: 2 },
        amount: { currency: "USD", value: 13800, exponent: 2 },
      },
    ],
  ])("on %s has its own currency", async (event, items, totals) => {
    const made = await book(world, event, items);
    expect((await orderOf(world, made.body.id)).totals).toMatchObject(totals);
  });

  it("of zero is paid without a transaction", async () => {
    const small = await smallWorld(sandbox);
    await done(small, "createExperience", {
      id: "exp-free",
      name: "Free",
      location_ids: ["loc-pier"],
      ticket_variants: [{ id: "var-free", name: "Free", price: kroner(0), vat_rate: "0.25" }],
    });
    await done(small, "createEvent", {
      id: "evt-free",
      experience_id: "exp-free",
      capacity: 9,
      sessions: [{ start_time: "2030-06-05T10:00:00", end_time: "2030-06-05T11:00:00" }],
    });
    const made = await book(small, "evt-free", [ticket("var-free", 2)]);
    const order = await orderOf(small, made.body.id);
    expect([order.status, order.payment_status, order.totals.amount.value]).toEqual(["COMPLETED", "PAID", 0]);
    expect((await small.call("listOrderTransactions", { path: { orderId: order.id } })).body.items).toEqual([]);
  });

  it("has the next number", async () => {
    const small = await smallWorld(sandbox);
    const numbers: string[] = [];
    for (let i = 0; i < 3; i++) numbers.push((await orderOf(small, (await book(small, "evt-noon")).body.id)).number);
    expect(numbers).toEqual(["1001", "1002", "1003"]);
  });
});

it("a change keeps the omitted fields of a customer, unless it changes the customer type", async () => {
  const company = {
    customer_type: "COMPANY",
    company_name: "Holm ApS",
    vat_number: "DK12345678",
    email: "anna@holm.example",
    name: "Anna",
    full_name: "Anna",
    address: { address_lines: ["Nyhavn 1"], city: "København", zip_code: "1051", country: "DK" },
  };
  const { id } = await done(world, "bookAsHost", { event_id: "evt-evening", items: [ADULT], customer: company });
  const changedTo = async (customer: object) => {
    await done(world, "updateBooking", { booking_id: id, customer });
    const { body } = await world.call("getBooking", { path: { bookingId: id } });
    expect((await orderOf(world, id)).customer).toEqual(body.customer);
    return body.customer;
  };
  expect(await changedTo({ phone: "+45 1" })).toEqual({ ...company, phone: "+45 1" });
  expect(await changedTo({ full_name: "Bo", phone: "" })).toEqual({ ...company, name: "Bo", full_name: "Bo" });
  const bo = { name: "Bo", full_name: "Bo", email: "bo@example.com" };
  expect(await changedTo({ customer_type: "PRIVATE", ...bo })).toEqual({ customer_type: "PRIVATE", ...bo });
});

describe("the tickets of a booking", () => {
  const itemsOn = async (items: Item[]) => {
    const made = await book(world, "evt-evening", items);
    const { status, body } = await world.call("listBookingTickets", { path: { bookingId: made.body.id } });
    expect(status).toBe(200);
    return body.items.map((each: { items: Item[] }) =>
      each.items.map(({ type_id, quantity }) => `${quantity} ${type_id}`).join(", "),
    );
  };

  it("are one for each unit of a variant", async () => {
    expect(await itemsOn([ticket("var-adult", 2), ticket("var-child")])).toEqual([
      "1 var-adult",
      "1 var-adult",
      "1 var-child",
    ]);
  });

  it("share the add-ons in order, as evenly as possible", async () => {
    const items = [ticket("var-adult", 2), ticket("var-child"), addOn("add-blanket", 4)];
    expect(await itemsOn(items)).toEqual([
      "1 var-adult, 2 add-blanket",
      "1 var-adult, 1 add-blanket",
      "1 var-child, 1 add-blanket",
    ]);
  });

  it("have an add-on only if their variant offers it", async () => {
    expect(await itemsOn([ticket("var-child"), ADULT, addOn("add-museum", 2)])).toEqual([
      "1 var-child",
      "1 var-adult, 2 add-museum",
    ]);
  });

  it("are ACTIVE, and each has a PDF that needs no token", async () => {
    const made = await book(world, "evt-evening", [ticket("var-adult", 2)]);
    const { body } = await world.call("listBookingTickets", { path: { bookingId: made.body.id } });
    expect(new Set(body.items.map(({ id }: { id: string }) => id)).size).toBe(2);
    for (const { status, urls, check_in } of body.items) {
      expect([status, check_in, urls.length, urls[0].type]).toEqual(["ACTIVE", undefined, 1, "PDF"]);
      const file = await fetch(urls[0].url);
      expect([file.status, file.headers.get("content-type")]).toEqual([200, "application/pdf"]);
      expect((await file.text()).slice(0, 5)).toBe("%PDF-");
    }
  });

  it("show when, by whom and how they were checked in", async () => {
    const { body } = await world.call("listBookingTickets", { path: { bookingId: "bkg-half-arrived" } });
    const arrived = body.items.filter(({ status }: { status: string }) => status === "CHECKED_IN");
    expect(arrived).toHaveLength(1);
    expect(arrived[0].check_in).toEqual({
      check_in_time: expect.stringMatching(/Z$/),
      checked_in_by: expect.any(String),
      method: expect.stringMatching(/^(MANUAL|QR_CODE_SCAN)$/),
    });
  });

  it("of a cancelled or moved booking are VOIDED", async () => {
    for (const bookingId of ["bkg-refunded", "bkg-moved"]) {
      const { body } = await world.call("listBookingTickets", { path: { bookingId } });
      expect(body.items.map(({ status }: { status: string }) => status)).toEqual(body.items.map(() => "VOIDED"));
      expect(body.items.length).toBeGreaterThan(0);
    }
  });

  it("of a checkout do not exist yet", async () => {
    expect((await world.call("listBookingTickets", { path: { bookingId: "bkg-processing" } })).body).toEqual({
      items: [],
    });
  });
});

describe("the answers of a booking", () => {
  it("have the question in the booking's language, and the ticket if it was a question per ticket", async () => {
    await done(world, "bookAsHost", {
      id: "bkg-asked",
      event_id: "evt-evening",
      customer: guest,
      locale: "de",
      items: [ticket("var-adult", 2)],
      answers: [
        { information_request_id: "irq-hotel", answer: "Nyhavn 71" },
        { information_request_id: "irq-allergies", answer: "Nuts", ticket: 1 },
      ],
    });
    const { body: tickets } = await world.call("listBookingTickets", { path: { bookingId: "bkg-asked" } });
    const { status, body } = await world.call("listBookingInformationRequestAnswers", {
      path: { bookingId: "bkg-asked" },
    });
    expect(status).toBe(200);
    expect(body.items).toEqual([
      { information_request_id: "irq-hotel", label: "In welchem Hotel wohnen Sie?", answer: "Nyhavn 71" },
      {
        information_request_id: "irq-allergies",
        label: "Any allergies?",
        answer: "Nuts",
        ticket_id: tickets.items[1].id,
      },
    ]);
  });

  it.each([
    ["reworded", [{ id: "irq-pace", type: "TEXT", required: false, scope: "BOOKING", label: { en: "How fast?" } }]],
    ["removed", []],
  ])("have the question at the time of the answer, even if it is %s later", async (_, information_requests) => {
    const question = { id: "irq-pace", type: "TEXT", required: false, scope: "BOOKING", label: { en: "Which pace?" } };
    await done(world, "updateExperience", { experience_id: "exp-canal", information_requests: [question] });
    const answers = [{ information_request_id: "irq-pace", answer: "Slow" }];
    const items = [ticket("var-adult", 1)];
    await done(world, "bookAsHost", { id: "bkg-asked", event_id: "evt-evening", customer: guest, items, answers });
    await done(world, "updateExperience", { experience_id: "exp-canal", information_requests });
    const { body } = await world.call("listBookingInformationRequestAnswers", { path: { bookingId: "bkg-asked" } });
    expect(body.items).toEqual([{ ...answers[0], label: "Which pace?" }]);
  });

  it("after a move are those about its own tickets, and about none, and the old booking keeps all", async () => {
    const { id, tickets } = await done(world, "bookAsHost", {
      event_id: "evt-evening",
      customer: guest,
      items: [ticket("var-adult", 2)],
      answers: [
        { information_request_id: "irq-hotel", answer: "Nyhavn 71" },
        { information_request_id: "irq-allergies", answer: "Nuts", ticket: 0 },
        { information_request_id: "irq-allergies", answer: "Milk", ticket: 1 },
      ],
    });
    await done(world, "voidTicket", { ticket_id: tickets[0].id });
    const moved = await done(world, "moveBooking", { booking_id: id, event_id: "evt-canal-11" });
    const answersOf = async (bookingId: string) => {
      const { body } = await world.call("listBookingInformationRequestAnswers", { path: { bookingId } });
      return body.items.map(({ answer, ticket_id }: Record<string, string>) => [answer, ticket_id]);
    };
    expect(await answersOf(moved.id)).toEqual([
      ["Nyhavn 71", undefined],
      ["Milk", moved.tickets[0].id],
    ]);
    expect(await answersOf(id)).toEqual([
      ["Nyhavn 71", undefined],
      ["Nuts", tickets[0].id],
      ["Milk", tickets[1].id],
    ]);
  });

  it("are empty if there are no questions", async () => {
    const { body } = await book(world, "evt-evening");
    expect((await world.call("listBookingInformationRequestAnswers", { path: { bookingId: body.id } })).body).toEqual({
      items: [],
    });
  });
});

describe("an unknown booking", () => {
  const reads = ["getBooking", "listBookingTickets", "listBookingInformationRequestAnswers"];
  it.each(reads)("returns 404 for %s", async (operation) => {
    for (const bookingId of ["bkg-nothing", "__proto__", "evt-evening", "a/b", "æ"]) {
      const { status, body } = await world.call(operation, { path: { bookingId } });
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
    }
  });

  it.each(reads)("returns 404 for %s if it is another company's", async (operation) => {
    const made = await book(world, "evt-evening");
    const other = await sandbox.world({ seed: 8 });
    expect((await other.call(operation, { path: { bookingId: made.body.id } })).status).toBe(404);
  });
});

it("the same requests in two worlds of one seed create the same ids", async () => {
  const [one, two, three] = [
    await sandbox.world({ seed: 1 }),
    await sandbox.world({ seed: 1 }),
    await sandbox.world({ seed: 2 }),
  ];
  const ids = await Promise.all(
    [one, two, three].map(
      async (world) => (await world.call("createBooking", { body: inputFor("evt-evening") })).body.id,
    ),
  );
  expect([ids[0] === ids[1], ids[0] === ids[2]]).toEqual([true, false]);
});

it("an event over two dates has one booking for both", async () => {
  const small = await smallWorld(sandbox);
  await done(small, "createEvent", {
    id: "evt-two",
    experience_id: "exp-tour",
    capacity: 2,
    sessions: [
      { start_time: "2030-06-05T10:00:00", end_time: "2030-06-05T11:00:00" },
      { start_time: "2030-06-06T10:00:00", end_time: "2030-06-06T11:00:00" },
    ],
  });
  await tour(small, "evt-one", "2030-06-07T10:00:00", "2030-06-07T11:00:00");
  await book(small, "evt-two", [ticket("var-adult", 2)]);
  expect(code(await book(small, "evt-two"))).toBe("409 NOT_ENOUGH_RESOURCES");
  expect(code(await book(small, "evt-one"))).toBe("201");
});
