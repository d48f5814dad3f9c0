// Every other answer of the register really is another behaviour: the same is looked at in a world that takes the usual answer
// and in one that takes the other, and the two are not the same.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import register from "../../src/contract/generated/assumptions.json" with { type: "json" };
import documentFlips from "../../src/contract/generated/flips.json" with { type: "json" };
import { Documented } from "../documented.ts";
import { ADULT, addOn, allPages, book, done, guest, inputFor, ticket } from "../engine/operations/kit.ts";
import { type Received, receive } from "../engine/webhooks/kit.ts";
import { extent } from "../extent.ts";
import { ANCHOR, type Answered, anna, type Input, openSandbox, type TestSandbox, type TestWorld } from "../sandbox.ts";

const entries = register as readonly { id: string; default: string; alternatives: { value: string }[] }[];

let sandbox: TestSandbox;
let production: TestSandbox;
beforeAll(async () => {
  [sandbox, production] = await Promise.all([openSandbox(), openSandbox({ maturity: "production" })]);
});
afterAll(() => Promise.all([sandbox.close(), production.close()]));

type Body = Answered["body"];

const call = (world: TestWorld, operation: string, input: Input = {}) =>
  world.call(operation, { ...input, undocumented: true });
const brief = ({ status, body }: Answered) => (body?.code ? `${status} ${body.code}` : `${status}`);
const outcome = async (world: TestWorld, operation: string, input?: Input) =>
  brief(await call(world, operation, input));
const outcomeOfBooking = (world: TestWorld, event = "evt-evening", more: object = {}) =>
  outcome(world, "createBooking", { body: inputFor(event, [ADULT], more) });
const token = (world: TestWorld, change: Record<string, string>) => {
  const form = {
    grant_type: "client_credentials",
    audience: sandbox.url,
    client_id: world.clientId,
    client_secret: world.clientSecret,
    ...change,
  };
  return fetch(`${sandbox.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
};

/** Receives one webhook of a booking, with a response 204. Returns it with the outcome of the delivery. */
async function delivered(world: TestWorld) {
  const receiver = await receive();
  const made = await call(world, "createWebhookSubscription", {
    body: { url: receiver.url, event_types: ["v1.booking.created"], state: "ENABLED" },
  });
  await book(world, "evt-evening");
  await receiver.until(1);
  const outcome = await vi.waitUntil(async () => {
    const { body } = await world.control("get", "messages?kind=v1.booking.created");
    return body.items.at(-1)?.deliveries[0]?.attempts[0]?.outcome as string | undefined;
  }, 30_000);
  await receiver.close();
  return { ...(receiver.got[0] as Received), secret: made.body.secret as string, outcome };
}

const signed = async (world: TestWorld) => {
  const { headers, body, secret } = await delivered(world);
  const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const by = (key: Buffer | string) => createHmac("sha256", key).update(text).digest("base64");
  const [decoded, whole] = [by(Buffer.from(secret.slice(6), "base64")), by(secret)];
  return String(headers["webhook-signature"]).replace(decoded, "{decoded}").replace(whole, "{whole}");
};

/** An assumption and its other value: what to look at, what is usually seen, and what otherwise. */
interface Flip {
  look(world: TestWorld): Promise<unknown>;
  byDefault: unknown;
  otherwise: unknown;
  sandbox?: () => TestSandbox;
}

const paidBooking = (world: TestWorld, more: object = {}): Promise<Body> =>
  done(world, "bookAsHost", { event_id: "evt-evening", customer: guest, items: [ADULT], payments: [{}], ...more });

/** Three tickets whose price the VAT does not divide. */
const THIRDS = { event_id: "evt-bike-03", items: [ticket("var-third", 3)], skip_answers: true };

/** The order of a booking, with what it is made of. */
async function moneyOf(world: TestWorld, bookingId: string): Promise<Body> {
  const order = (await allPages(world, "listOrders")).items.find(({ origin }) => origin.id === bookingId);
  const part = async (operation: string) => (await call(world, operation, { path: { orderId: order.id } })).body.items;
  const [lines, transactions, refunds] = await Promise.all(
    ["listOrderLineItems", "listOrderTransactions", "listOrderRefunds"].map(part),
  );
  return { ...order, lines, transactions, refunds };
}

const entriesOn = async (world: TestWorld, orderId: string): Promise<Body[]> =>
  (await allPages(world, "listJournalEntries")).items.filter(({ order_id }) => order_id === orderId);
const kindsOn = async (world: TestWorld, orderId: string) => (await entriesOn(world, orderId)).map(({ kind }) => kind);

async function ratesOf(world: TestWorld) {
  const { order_id } = await paidBooking(world);
  const [sale] = await entriesOn(world, order_id);
  return sale.postings.flatMap(({ vat_rate = [] }: Body) => vat_rate);
}

/** The documents of a sale as it is booked, and two minutes later. */
async function documentsOf(world: TestWorld) {
  const { order_id } = await paidBooking(world);
  const types = async () => (await entriesOn(world, order_id))[0].documents.map(({ type }: Body) => type);
  const before = await types();
  await world.control("post", "clock/advance", { by: "PT2M" });
  return [before, await types()];
}

const flips: Record<string, Flip> = {
  "ids=uuid": {
    look: async (world) => {
      const sessions = [{ start_time: "2030-06-20T08:00:00", end_time: "2030-06-20T09:00:00" }];
      const event = await done(world, "createEvent", { experience_id: "exp-canal", sessions, capacity: 5 });
      const ids = [(await book(world, event.id)).body.id, event.id, event.sessions[0].id];
      return ids.map((id) => id.replace(/[0-9a-f]/g, "x"));
    },
    byDefault: Array(3).fill("x".repeat(32)),
    otherwise: Array(3).fill("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
  },
  "timestamps=second": {
    look: async (world) => {
      await book(world, "evt-evening", [ADULT], { metadata: { note: ANCHOR } });
      const { created_at, updated_at, metadata } = (await call(world, "listBookings", { query: { limit: 1 } })).body
        .items[0];
      return [created_at, updated_at, metadata.note];
    },
    byDefault: [ANCHOR, ANCHOR, ANCHOR],
    otherwise: ["2030-06-01T09:00:00Z", "2030-06-01T09:00:00Z", ANCHOR],
  },
  "unknown-query=refuse": {
    look: (world) => outcome(world, "listBookings", { query: { colour: "blue" } }),
    byDefault: "200",
    otherwise: "400 BAD_REQUEST",
  },
  "unknown-body-field=refuse": {
    look: (world) => outcomeOfBooking(world, "evt-evening", { colour: "blue" }),
    byDefault: "201",
    otherwise: "400 BAD_REQUEST",
  },
  "token-audience=any": {
    look: async (world) => [
      (await token(world, { audience: "https://api.example" })).status,
      (await token(world, { audience: "" })).status,
    ],
    byDefault: [400, 400],
    otherwise: [200, 200],
  },
  "token-scope-unknown=grant-rest": {
    look: async (world) => {
      const answer = await token(world, { scope: "booking.read everything" });
      return [answer.status, ((await answer.json()) as Body).scope];
    },
    byDefault: [400, undefined],
    otherwise: [200, "booking.read"],
  },
  "scope-missing=FORBIDDEN": {
    look: async (world) => outcome(world, "listOrders", { token: await world.token(["booking.read"]) }),
    byDefault: "403 UNAUTHORIZED",
    otherwise: "403 FORBIDDEN",
  },
  "other-company=403": {
    look: async (world) => {
      const other = await sandbox.world({ seed: 77 });
      const { order_id } = await done(other, "bookAsHost", {
        event_id: "evt-evening",
        customer: guest,
        items: [ADULT],
      });
      const foreign = await call(world, "getOrder", { path: { orderId: order_id } });
      await other.control("delete", `worlds/${other.id}`);
      return [
        foreign.status,
        (await call(world, "getOrder", { path: { orderId: "nowhere" } })).status,
        (await call(world, "getEvent", { path: { eventId: "evt-deleted" } })).status,
      ];
    },
    byDefault: [404, 404, 404],
    otherwise: [403, 404, 404],
  },
  "language-mismatch=400": {
    look: (world) => outcome(world, "listExperiences", { headers: { "accept-language": "fr" } }),
    byDefault: "406 LANGUAGE_NOT_AVAILABLE",
    otherwise: "400 LANGUAGE_NOT_AVAILABLE",
  },
  "limit-range=clamp": {
    look: async (world) => {
      const ask = async (operation: string, input: Input) => (await call(world, operation, input)).body.items?.length;
      return [
        await ask("listBookings", { query: { limit: 0 } }),
        await ask("listOrders", { query: { limit: 1000 } }),
        await ask("listBookings", { query: "limit=7.9" }),
        await outcome(world, "listBookings", { query: { limit: "abc" } }),
        await ask("listAvailabilities", { path: { experienceId: "exp-canal" }, body: { limit: -5 } }),
        await ask("listAvailabilities", { path: { experienceId: "exp-canal" }, body: { limit: 500 } }),
      ];
    },
    byDefault: [undefined, undefined, undefined, "400 BAD_REQUEST", undefined, undefined],
    otherwise: [1, 100, 7, "400 BAD_REQUEST", 1, expect.any(Number)],
  },
  "booking-create-status=200": {
    look: (world) => outcomeOfBooking(world),
    byDefault: "201",
    otherwise: "200",
  },
  "booking-customer-required=phone-required": {
    look: async (world) => {
      const { phone: _, ...customer } = anna;
      const silent = await call(world, "createBooking", { body: inputFor("evt-evening", [ADULT], { customer }) });
      return [
        brief(silent),
        silent.body.message?.includes("body.customer.phone") ?? false,
        await outcomeOfBooking(world),
      ];
    },
    byDefault: ["201", false, "201"],
    otherwise: ["400 BAD_REQUEST", true, "201"],
  },
  "booking-event-unknown=404": {
    look: (world) => outcomeOfBooking(world, "evt-nowhere"),
    byDefault: "400 EVENT_NOT_FOUND",
    otherwise: "404 EVENT_NOT_FOUND",
  },
  "booking-sort-sign=refuse": {
    look: async (world) => {
      const both = ["listBookings", "listOrders"].map((id) => call(world, id, { query: { sort: "created_at" } }));
      const [bookings, orders] = await Promise.all(both);
      const times = bookings?.body.items?.map(({ created_at }: { created_at: string }) => created_at) ?? [];
      const signed = await outcome(world, "listBookings", { query: { sort: "+created_at" } });
      return [brief(bookings as Answered), times.join() === times.toSorted().join(), brief(orders as Answered), signed];
    },
    byDefault: ["200", true, "200", "200"],
    otherwise: ["400 BAD_REQUEST", true, "400 BAD_REQUEST", "200"],
  },
  "booking-list-window=from-inclusive": {
    look: async (world) => {
      await book(world, "evt-evening");
      const from = async (operation: string, sort: string, instant: string) =>
        (await call(world, operation, { query: { from: instant, sort } })).body.items.length;
      const counts = ["listBookings", "listOrders"].flatMap((operation) =>
        ["-created_at", "-updated_at"].map(async (sort) => [
          await from(operation, sort, ANCHOR),
          await from(operation, sort, "2030-06-01T08:59:59.999Z"),
        ]),
      );
      return Promise.all(counts);
    },
    byDefault: Array(4).fill([0, 1]),
    otherwise: Array(4).fill([1, 1]),
  },
  "event-availability-shape=any-constraint": {
    look: async (world) => {
      const bikes = async () => {
        const { body } = await call(world, "getEventAvailability", { path: { eventId: "evt-bike-noon" } });
        return body.constraints.find(({ type }: Body) => type === "RESOURCE_LIMIT").remaining;
      };
      for (let left = await bikes(); left > 0; left = await bikes())
        await book(world, "evt-bike-noon", [ticket("var-rider")]);
      const { body } = await call(world, "getEventAvailability", { path: { eventId: "evt-bike-noon" } });
      const evening = await call(world, "getEventAvailability", { path: { eventId: "evt-evening" } });
      return [
        evening.body.available,
        body.available,
        (await book(world, "evt-bike-noon", [ticket("var-own-bike")])).status,
      ];
    },
    byDefault: [true, true, 201],
    otherwise: [true, false, 201],
  },
  "event-sessions=overlap-allowed": {
    look: async (world) => {
      const session = (from: string, to: string) => ({
        start_time: `2030-06-20T${from}`,
        end_time: `2030-06-20T${to}`,
      });
      const sessions = [session("10:00:00", "14:00:00"), session("11:00:00", "13:00:00")];
      const made = await world.act("createEvent", { id: "evt-two", experience_id: "exp-bike", sessions, capacity: 20 });
      return [brief(made), brief(await book(world, "evt-two", [ticket("var-rider", 10)]))];
    },
    byDefault: ["400 BAD_REQUEST", "400 EVENT_NOT_FOUND"],
    otherwise: ["200", "201"],
  },
  "tickets=per-booking": {
    look: async (world) => {
      const { body } = await book(world, "evt-evening", [
        ticket("var-adult", 2),
        ticket("var-child"),
        addOn("add-blanket", 2),
      ]);
      return (await call(world, "listBookingTickets", { path: { bookingId: body.id } })).body.items.map((each: Body) =>
        each.items.map(({ quantity }: Body) => quantity).join("+"),
      );
    },
    byDefault: ["1+1", "1+1", "1"],
    otherwise: ["2+1+2"],
  },
  "step-image=string": {
    look: async (world) => {
      const { body } = await call(world, "listContentBlocks", { path: { experienceId: "exp-canal" } });
      return JSON.parse(JSON.stringify(body.items[1].steps[0].image).replace(/http[^"]*\/media/, "media"));
    },
    byDefault: { url: "media/nyhavn.png", mime_type: "image/png" },
    otherwise: "media/nyhavn.png",
  },
  "event-query=100": {
    look: async (world) => [
      await outcome(world, "listEvents", { query: { limit: 101 } }),
      await outcome(world, "listEvents", { query: { limit: 100 } }),
    ],
    byDefault: ["200", "200"],
    otherwise: ["400 BAD_REQUEST", "200"],
  },
  "event-window-format=offset-accepted": {
    look: async (world) => {
      const path = { experienceId: "exp-sailing" };
      const from = "2030-06-01T11:00:00+02:00";
      return [
        await outcome(world, "listEvents", { query: { from } }),
        await outcome(world, "listEventAvailabilities", { query: { experienceId: "exp-canal", from } }),
        await outcome(world, "listAvailabilities", { path, body: { from } }),
        await outcome(world, "listEvents", { query: { from: "2030-06-01T09:00:00Z" } }),
        await outcome(world, "listEvents", { query: { from: "2030-06-01T11:00:00+0200" } }),
      ];
    },
    byDefault: ["400 BAD_REQUEST", "400 BAD_REQUEST", "400 BAD_REQUEST", "200", "400 BAD_REQUEST"],
    otherwise: ["200", "200", "200", "200", "400 BAD_REQUEST"],
  },
  "parameter-brackets=ignore": {
    look: async (world) => {
      const ask = (query: string) => call(world, "listBookings", { query });
      return [brief(await ask("status[]=CANCELLED")), brief(await ask("filter[status]=CANCELLED"))];
    },
    byDefault: ["400 BAD_REQUEST", "400 BAD_REQUEST"],
    otherwise: ["200", "200"],
  },
  "list-parameter-repeated=union": {
    look: async (world) => {
      await book(world, "evt-evening");
      const ask = (query: string) => call(world, "listBookings", { query });
      const both = await ask("status=ACTIVE&status=CANCELLED,MOVED&limit=1");
      return [
        both.status,
        both.body.items?.length,
        brief(await ask("status=PROCESSING&status=MOVED")),
        brief(await ask("status=MOVED&status=NONSENSE")),
        brief(await ask("limit=1&limit=2")),
      ];
    },
    byDefault: [400, undefined, "400 BAD_REQUEST", "400 BAD_REQUEST", "400 BAD_REQUEST"],
    otherwise: [200, 1, "400 BAD_REQUEST", "400 BAD_REQUEST", "400 BAD_REQUEST"],
  },
  "null-member=null-is-absent": {
    look: async (world) => {
      const customer = { ...anna, phone: null, address: { ...anna.address, region: null } };
      const more = { customer, metadata: { note: null, crm: "A-1" } };
      const { body } = await call(world, "createBooking", { body: inputFor("evt-evening", [ADULT], more) });
      const retained = (await call(world, "getBooking", { path: { bookingId: body.id ?? "none" } })).body;
      return [body.status, retained.metadata, await outcomeOfBooking(world, "evt-evening", { locale: null })];
    },
    byDefault: [undefined, undefined, "400 BAD_REQUEST"],
    otherwise: ["ACTIVE", { crm: "A-1" }, "400 BAD_REQUEST"],
  },
  "empty-text=refuse": {
    look: async (world) => {
      const customer = {
        ...anna,
        phone: "",
        vat_number: "",
        company_name: "",
        address: { ...anna.address, region: "" },
      };
      const made = await call(world, "createBooking", { body: inputFor("evt-evening", [ADULT], { customer }) });
      const nameless = { ...anna, customer_type: "COMPANY", company_name: "" };
      return [
        brief(made),
        made.body.message?.match(/body\.customer\.[a-z_.]+/g),
        await outcomeOfBooking(world, "evt-evening", { customer: nameless }),
      ];
    },
    byDefault: ["201", undefined, "400 BAD_REQUEST"],
    otherwise: [
      "400 BAD_REQUEST",
      ["company_name", "vat_number", "phone", "address.region"].map((name) => `body.customer.${name}`),
      "400 BAD_REQUEST",
    ],
  },
  "event-window-format=local-only": {
    look: async (world) => {
      const path = { experienceId: "exp-sailing" };
      return [
        await outcome(world, "listEvents", { query: { from: "2030-06-01T09:00:00Z" } }),
        brief(
          await call(world, "listEventAvailabilities", {
            query: { experienceId: "exp-canal", to: "2030-06-01T09:00:00Z" },
          }),
        ),
        await outcome(world, "listAvailabilities", { path, body: { from: "2030-06-01T09:00:00Z" } }),
        await outcome(world, "listEvents", { query: { from: "2030-06-01T09:00:00" } }),
        (await call(world, "listAvailabilities", { path })).body.items.length,
      ];
    },
    byDefault: ["200", "200", "200", "200", 5],
    otherwise: ["400 BAD_REQUEST", "400 BAD_REQUEST", "400 BAD_REQUEST", "200", 5],
  },
  "availability-shape=string": {
    look: async (world) => {
      const path = { experienceId: "exp-sailing" };
      const [{ id, subject, event_id }] = (
        await call(world, "listAvailabilities", { path, body: { filter: { event_ids: ["evt-multi"] } } })
      ).body.items;
      const single = (await call(world, "getAvailability", { path: { ...path, availabilityId: id } })).body;
      return [subject, event_id, single.subject];
    },
    byDefault: [
      { type: "EVENT", event_id: "evt-multi", session_id: "ses-multi-1" },
      undefined,
      { type: "EVENT", event_id: "evt-multi", session_id: "ses-multi-1" },
    ],
    otherwise: ["EVENT", "evt-multi", "EVENT"],
  },
  "refund-of-integration=none": {
    look: async (world) => {
      const { body } = await book(world, "evt-evening");
      await done(world, "cancelBooking", { booking_id: body.id });
      const order = (await allPages(world, "listOrders")).items.find(({ origin }) => origin.id === body.id);
      const refunds = (await call(world, "listOrderRefunds", { path: { orderId: order.id } })).body.items;
      return [order.status, order.payment_status, refunds.map(({ provider }: Body) => provider)];
    },
    byDefault: ["CANCELLED", "REFUNDED", ["UNKNOWN"]],
    otherwise: ["CANCELLED", "PAID", []],
  },
  "gift-card-extend-body=expiry_date": {
    look: async (world) => {
      const extend = async (body: object) => {
        const answer = await call(world, "extendGiftCardExpiry", { path: { giftCardId: "gc-active" }, body });
        return answer.status === 200 ? answer.body.expires_at : brief(answer);
      };
      return [
        await extend({ expiry_date: "2034-12-31" }),
        await extend({ expires_at: "2035-01-01T00:00:00Z" }),
        await extend({ expiry_date: "2034-02-30" }),
      ];
    },
    byDefault: ["400 BAD_REQUEST", "2035-01-01T00:00:00.000Z", "400 BAD_REQUEST"],
    otherwise: ["2034-12-31T22:59:59.000Z", "400 BAD_REQUEST", "400 BAD_REQUEST"],
  },
  "posting-fields=signed": {
    look: async (world) => {
      const [entry] = (await call(world, "listJournalEntries", { query: { limit: 1 } })).body.items;
      const single = (await call(world, "getJournalEntry", { path: { journalEntryId: entry.id } })).body;
      return single.postings.map(({ direction, amount }: Body) => [direction, amount.value]);
    },
    byDefault: [
      ["DEBIT", 100000],
      ["CREDIT", 100000],
    ],
    otherwise: [
      [undefined, 100000],
      [undefined, -100000],
    ],
  },
  "subscription-conflict=never": {
    look: async (world) => {
      const create = async () =>
        brief(
          await call(world, "createWebhookSubscription", {
            body: { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "ENABLED" },
          }),
        );
      return [await create(), await create()];
    },
    byDefault: ["201", "409 SUBSCRIPTION_EXISTS"],
    otherwise: ["201", "201"],
  },
  "signature-text=v1": { look: signed, byDefault: "{decoded}", otherwise: "v1,{decoded}" },
  "signature-key=text": { look: signed, byDefault: "{decoded}", otherwise: "{whole}" },
  "delivery-success=200": {
    look: async (world) => (await delivered(world)).outcome,
    byDefault: "ACCEPTED",
    otherwise: "REFUSED",
  },
  "webhook-timestamp=world": {
    look: async (world) => Number((await delivered(world)).headers["webhook-timestamp"]) === Date.parse(ANCHOR) / 1000,
    byDefault: false,
    otherwise: true,
  },
  "capacity-kind=event-updated": {
    look: async (world) => {
      await book(world, "evt-evening");
      const kinds = (await world.control("get", "messages")).body.items.map(({ kind }: Body) => kind);
      return kinds.includes("v1.event.updated");
    },
    byDefault: false,
    otherwise: true,
  },
  "no-op-update=told": {
    look: async (world) => {
      const { body } = await call(world, "getEvent", { path: { eventId: "evt-evening" } });
      const { facts } = (await world.act("updateEvent", { event_id: "evt-evening", visibility: body.visibility })).body;
      return facts.map(({ fact }: Body) => fact);
    },
    byDefault: [],
    otherwise: ["event.updated"],
  },
  "booking-money=unpaid": {
    look: async (world) => {
      const { status, payment_status, transactions } = await moneyOf(world, (await book(world, "evt-evening")).body.id);
      return [status, payment_status, transactions.map(({ provider }: Body) => provider)];
    },
    byDefault: ["COMPLETED", "PAID", ["INTEGRATION"]],
    otherwise: ["COMPLETED", "UNPAID", []],
  },
  "booking-fee=charged-on-integrations": {
    look: async (world) =>
      (await moneyOf(world, (await book(world, "evt-evening")).body.id)).lines.map(
        ({ product_type }: Body) => product_type,
      ),
    byDefault: ["TICKET"],
    otherwise: ["TICKET", "BOOKING_FEE"],
  },
  "booking-fee=never-refunded": {
    look: async (world) => {
      const { id } = await paidBooking(world, { booking_fee: true });
      await done(world, "cancelBooking", { booking_id: id });
      const { payment_status, refunds } = await moneyOf(world, id);
      return [payment_status, refunds.map(({ amount }: Body) => amount.value)];
    },
    byDefault: ["REFUNDED", [26_500]],
    otherwise: ["PARTIALLY_REFUNDED", [25_000]],
  },
  "booking-move=same-booking": {
    look: async (world) => {
      const { id, tickets } = await paidBooking(world);
      const moved = await done(world, "moveBooking", { booking_id: id, event_id: "evt-tomorrow-evening" });
      const { status, event_id } = (await call(world, "getBooking", { path: { bookingId: id } })).body;
      return [moved.id === id, status, event_id, moved.tickets[0].id === tickets[0].id];
    },
    byDefault: [false, "MOVED", "evt-evening", false],
    otherwise: [true, "ACTIVE", "evt-tomorrow-evening", true],
  },
  "move-kinds=cancelled-and-created": {
    look: async (world) => {
      const { id } = await paidBooking(world);
      await done(world, "moveBooking", { booking_id: id, event_id: "evt-tomorrow-evening" });
      const { items } = (await world.control("get", "messages")).body;
      return items.slice(-2).map(({ kind }: Body) => kind);
    },
    byDefault: ["v1.booking.updated", "v1.booking.created"],
    otherwise: ["v1.booking.cancelled", "v1.booking.created"],
  },
  "event-transitions=inactive-stays": {
    look: async (world) => {
      const { id, order_id } = await paidBooking(world);
      await done(world, "deactivateEvent", { event_id: "evt-evening" });
      await world.control("post", "clock/advance", { by: "P1D" });
      const { state } = (await call(world, "getEvent", { path: { eventId: "evt-evening" } })).body;
      return [state, await kindsOn(world, order_id), (await moneyOf(world, id)).status];
    },
    byDefault: ["COMPLETED", ["SALE", "REVENUE_RECOGNITION"], "COMPLETED"],
    otherwise: ["INACTIVE", ["SALE"], "COMPLETED"],
  },
  "cancel-keeps-money=at-event-end": {
    look: async (world) => {
      const { id, order_id } = await paidBooking(world);
      await done(world, "cancelBooking", { booking_id: id, refund: "none" });
      const before = await kindsOn(world, order_id);
      await world.control("post", "clock/advance", { by: "P1D" });
      return [before, await kindsOn(world, order_id)];
    },
    byDefault: [
      ["SALE", "REVENUE_RECOGNITION"],
      ["SALE", "REVENUE_RECOGNITION"],
    ],
    otherwise: [["SALE"], ["SALE", "REVENUE_RECOGNITION"]],
  },
  "money-rounding=per-order": {
    look: async (world) => {
      const { totals } = await moneyOf(world, (await paidBooking(world, THIRDS)).id);
      return [totals.amount.value, totals.vat_amount.value];
    },
    byDefault: [99_999, 20_001],
    otherwise: [99_999, 20_000],
  },
  "money-rounding=half-even": {
    look: async (world) => {
      const discounts = [{ code: "HALF", percent: 0.5 }];
      const items = [ticket("var-child")];
      const { totals } = await moneyOf(world, (await paidBooking(world, { items, discounts })).id);
      return totals.discount.value;
    },
    byDefault: 63,
    otherwise: 62,
  },
  "line-item=per-variant": {
    look: async (world) => {
      const { lines, totals } = await moneyOf(world, (await paidBooking(world, THIRDS)).id);
      const view = lines.map(({ quantity, details }: Body) => [quantity, "ticket_id" in details]);
      return [view, totals.vat_amount.value];
    },
    byDefault: [Array(3).fill([1, true]), 20_001],
    otherwise: [[[3, false]], 20_000],
  },
  "order-origin=GIFT_CARD": {
    look: async (world) => {
      const { order_id } = await done(world, "buyGiftCard", { initial_value: 100 });
      const listed = (await call(world, "listOrders", { query: { limit: 1 } })).body.items[0];
      return [(await call(world, "getOrder", { path: { orderId: order_id } })).body.origin.type, listed.origin.type];
    },
    byDefault: ["GIFTCARD", "GIFTCARD"],
    otherwise: ["GIFT_CARD", "GIFT_CARD"],
  },
  "refund-to-card=card-reactivated": {
    look: async (world) => {
      const { id: gift_card_id } = await done(world, "buyGiftCard", { initial_value: 25_000 });
      const { order_id } = await paidBooking(world, { payments: [{ gift_card_id }] });
      const [{ provider }] = (await done(world, "refundOrder", { order_id })).refunds;
      const { status, balance } = (await call(world, "getGiftCard", { path: { giftCardId: gift_card_id } })).body;
      return [provider, status, balance.value];
    },
    byDefault: ["SETTLEMENT", "SPENT", 0],
    otherwise: ["GIFTCARD", "ACTIVE", 25_000],
  },
  "gift-card-expired=balance-zero": {
    look: async (world) => {
      await world.control("post", "clock/advance", { by: "P5D" });
      const { status, balance } = (await call(world, "getGiftCard", { path: { giftCardId: "gc-soon" } })).body;
      return [status, balance.value];
    },
    byDefault: ["EXPIRED", 35_000],
    otherwise: ["EXPIRED", 0],
  },
  "gift-card-given=breakage": {
    look: async (world) => {
      const input = { id: "gc-given", initial_value: 100, expires_at: "2030-06-02T00:00:00Z" };
      await done(world, "issueGiftCard", input);
      await world.control("post", "clock/advance", { by: "P5D" });
      return (await allPages(world, "listJournalEntries")).items
        .filter(({ gift_card_id }) => gift_card_id === "gc-given")
        .map(({ kind }) => kind);
    },
    byDefault: ["ADJUSTMENT", "ADJUSTMENT"],
    otherwise: ["ADJUSTMENT", "BREAKAGE"],
  },
  "posting-vat-rate=number": { look: ratesOf, byDefault: ["0.25"], otherwise: [0.25] },
  "posting-vat-rate=percent": { look: ratesOf, byDefault: ["0.25"], otherwise: ["25"] },
  "journal-documents=at-once": {
    look: documentsOf,
    byDefault: [[], ["RECEIPT"]],
    otherwise: [["RECEIPT"], ["RECEIPT"]],
  },
  "journal-documents=never": { look: documentsOf, byDefault: [[], ["RECEIPT"]], otherwise: [[], []] },
  "preview-production=403": {
    look: (world) => outcome(world, "listEvents"),
    byDefault: "404 NOT_AVAILABLE_IN_PRODUCTION",
    otherwise: "403 NOT_AVAILABLE_IN_PRODUCTION",
    sandbox: () => production,
  },
};

it("covers every alternative of every assumption, and nothing else", () => {
  const registered = entries.flatMap(({ id, alternatives }) => alternatives.map(({ value }) => `${id}=${value}`));
  expect(Object.keys(flips).sort()).toEqual(registered.sort());
});

/** The document as a world serves it, with what the answers of this and of all examples are that it does not promise. */
async function promised(world: TestWorld, fresh: TestWorld, at: TestSandbox, look: Flip["look"]) {
  const document = new Documented(
    (await (await fetch(`${at.url}/openapi.json?world=${world.id}`)).json()) as object as never,
  );
  const problems: string[] = [];
  const heard = async (operation: string, input?: Input) => {
    const answer = await world.call(operation, input);
    const body = answer.text === "" ? undefined : answer.body;
    problems.push(...document.problemsOf(operation, { status: answer.status, body }));
    return answer;
  };
  await look({ ...world, call: heard });
  const own = { client_id: fresh.clientId, client_secret: fresh.clientSecret };
  const played = await document.play(at.url, await fresh.token(), own);
  problems.push(...played.flatMap((each) => document.problemsOf(each.operationId, each)));
  return { document: document.document, problems, refused: played.filter(({ status }) => status >= 400) };
}

/** What takes long is looked at for one of so many flips: whether a sandbox starts with it, and the document that it serves. */
const [EACH_START, EACH_DOCUMENT] = [extent(14, 3, 1), extent(13, 3, 1)];
const inTurn = Object.entries(flips).map(([input, flip], index) => [input, { ...flip, place: index }] as const);

describe.each(inTurn)("with %s", (input, { look, byDefault, otherwise, sandbox: where = () => sandbox, place }) => {
  const [id = "", value = ""] = input.split("=");
  it("changes the behaviour of a world", async () => {
    const [plain, flipped] = [await where().world(), await where().world()];
    const set = await flipped.control("put", "assumptions", { [id]: value });
    expect(set.status, set.text).toBe(200);
    expect(await look(plain)).toEqual(byDefault);
    expect(await look(flipped)).toEqual(otherwise);
  });

  it.skipIf(place % EACH_START !== 0)("is in force after a start and after a reset of the world", async () => {
    const { maturity } = where().running.application.settings;
    const started = await openSandbox({ maturity, fixture: "empty", assume: { [id]: value } });
    expect((await (await started.world()).control("post", "state/reset")).status).toBe(200);
    await started.close();
    const world = await where().world();
    await world.control("put", "assumptions", { [id]: value });
    const reset = await world.control("post", "state/reset");
    expect(reset.status, reset.text).toBe(200);
    expect(await look(world)).toEqual(otherwise);
  });

  // What changes nothing but prose in the document is looked at only when there is time.
  const changesDocument = documentFlips[input]?.operations !== undefined;
  it.skipIf(place % EACH_DOCUMENT !== 0 || (!changesDocument && !process.env.SANDBOX_LONG))(
    "serves a document that fits its responses and whose examples work",
    async () => {
      const [world, fresh] = [await where().world(), await where().world()];
      for (const each of [world, fresh]) await each.control("put", "assumptions", { [id]: value });
      const { document, problems, refused } = await promised(world, fresh, where(), look);
      expect(problems).toEqual([]);
      expect((document.info as { description: string }).description).toContain(`\n- \`${input}\`: `);
      if (where() === sandbox) expect(refused).toEqual([]);
    },
  );

  it("is shown as overridden, and can be reset to the default", async () => {
    const world = await where().world();
    const inForce = async () =>
      (await world.control("get", "assumptions")).body.items.find((entry: { id: string }) => entry.id === id).value;
    const usually = entries.find((entry) => entry.id === id)?.default;
    expect(await inForce()).toBe(usually);
    await world.control("put", "assumptions", { [id]: value });
    expect(await inForce()).toBe(value);
    await world.control("put", "assumptions", { [id]: usually });
    expect(await inForce()).toBe(usually);
  });
});

describe("an assumption", () => {
  it("can be overridden for the complete sandbox at the start", async () => {
    const otherwise = await openSandbox({ assume: { "booking-create-status": "200", ids: "uuid" } });
    const world = await otherwise.world();
    const { status, body } = await call(world, "createBooking", { body: inputFor("evt-evening") });
    expect([status, /^[0-9a-f]{8}-/.test(body.id)]).toEqual([200, true]);
    await otherwise.close();
  });

  it("about the name of a body field applies where unknown fields are rejected, and no note calls the field ignored", async () => {
    const world = await sandbox.world();
    await world.control("put", "assumptions", {
      "gift-card-extend-body": "expiry_date",
      "unknown-body-field": "refuse",
    });
    const path = { giftCardId: "gc-active" };
    const extend = async (body: object) => {
      const { status, body: message } = await call(world, "extendGiftCardExpiry", { path, body });
      return [status, message.expires_at ?? message.message];
    };
    const refusal = expect.stringContaining("body.expires_at is not documented");
    expect(await extend({ expiry_date: "2034-12-31" })).toEqual([200, "2034-12-31T22:59:59.000Z"]);
    expect(await extend({ expiry_date: "2035-12-31", expires_at: "2035-12-31T00:00:00Z" })).toEqual([400, refusal]);
    expect(await extend({ expires_at: "2035-12-31T00:00:00Z" })).toEqual([400, refusal]);
    const { items } = (await world.control("get", "requests?operation=extendGiftCardExpiry")).body;
    expect(items.map(({ notes }: Body) => notes)).toEqual([[], [], []]);
  });

  it("that an expiry is a date uses the end of the day in the company's zone, and does not change the card's date", async () => {
    const world = await sandbox.world();
    await world.control("put", "assumptions", { "gift-card-extend-body": "expiry_date" });
    const path = { giftCardId: "gc-active" };
    const extend = async (date: string) =>
      (await call(world, "extendGiftCardExpiry", { path, body: { expiry_date: date } })).body;
    const { expires_at } = (await call(world, "getGiftCard", { path })).body;
    expect(expires_at).toBe("2032-05-31T22:00:00.000Z");
    expect((await extend("2032-06-01")).expires_at).toBe(expires_at);
    expect((await extend("2032-05-31")).code).toBe("EXPIRY_NOT_LATER");
    const later = await extend("2032-07-01");
    expect(later.expires_at).toBe("2032-07-01T21:59:59.000Z");
    expect(await extend("2032-07-01")).toEqual(later);
  });

  it("survives a reset and is copied to a fork", async () => {
    const world = await sandbox.world();
    await world.control("put", "assumptions", { "booking-create-status": "200" });
    await world.control("post", "state/reset");
    expect((await call(world, "createBooking", { body: inputFor("evt-evening") })).status).toBe(200);
  });

  it.each<[object, string]>([
    [{ tickets: "one-per-seat" }, "per-booking"],
    [{ tikets: "per-booking" }, "tickets"],
    [{ naming: "camel-case" }, "no alternative"],
    [{ tickets: 1 }, "tickets"],
    [{ "booking-create-status": "200", tickets: "none" }, "per-booking"],
  ])("can't be %j", async (input, telling) => {
    const world = await sandbox.world();
    const answer = await world.control("put", "assumptions", input);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(telling);
    expect((await call(world, "createBooking", { body: inputFor("evt-evening") })).status).toBe(201);
  });
});
