// Facts are a contract: acts answer them, the journal of requests, the stream and the receipt of a clock hold them. What happens, and
// exactly the facts that are told of it, in their order; each is about a record that is there.
import { describe, expect, it } from "vitest";
import { acts } from "../../../src/engine/acts/index.ts";
import type { FactName } from "../../../src/engine/domain/kernel/facts.ts";
import { valuesOf } from "../../control-enum.ts";
import { type Answered, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { book, smallWorld } from "../operations/kit.ts";
import {
  actRows,
  card,
  entry,
  type Input,
  inputFor,
  lateCheckout,
  placed,
  started,
  startedAndPaid,
} from "./act-rows.ts";

const sandbox = shareSandbox();

type Body = Answered["body"];
interface Fact {
  fact: FactName;
  id: string;
}

const SUBSCRIPTION = { url: "http://127.0.0.1:1/", event_types: ["v1.event.created"], state: "ENABLED" };
const subscribed = (world: TestWorld) => world.call("createWebhookSubscription", { body: SUBSCRIPTION });
/** Replaces a new subscription, or deletes it without a body. */
const change = (body?: object) => async (world: TestWorld) => {
  const { id } = (await subscribed(world)).body;
  const operation = body ? "replaceWebhookSubscription" : "deleteWebhookSubscription";
  return world.call(operation, { path: { subscriptionId: id }, ...(body && { body }) });
};

/** Requests of integrations, each once. */
const requestRows: [operation: string, request: (world: TestWorld) => Promise<Answered>, facts: string][] = [
  [
    "createBooking",
    (world) => book(world, "evt-noon"),
    "order.created booking.created journal_entry.created order.updated order.paid",
  ],
  [
    "extendGiftCardExpiry",
    async (world) => {
      await card()(world);
      return world.call("extendGiftCardExpiry", {
        path: { giftCardId: "gc" },
        body: { expires_at: "2040-01-01T00:00:00Z" },
      });
    },
    "gift_card.extended",
  ],
  [
    "recordJournalEntryActivity",
    async (world) => {
      const { journal_entry_id } = await entry(world);
      return world.call("recordJournalEntryActivity", {
        path: { journalEntryId: journal_entry_id },
        body: { status: "STARTED", detail: "ok" },
      });
    },
    "journal_entry.activity_recorded",
  ],
  ["createWebhookSubscription", subscribed, "webhook_subscription.created"],
  ["replaceWebhookSubscription", change({ ...SUBSCRIPTION, state: "DISABLED" }), "webhook_subscription.updated"],
  ["replaceWebhookSubscription", change(SUBSCRIPTION), ""],
  ["deleteWebhookSubscription", change(), "webhook_subscription.deleted"],
  ["createToken", (world) => world.call("getMe"), "token.issued"],
  ["getMe", (world) => world.call("getMe"), ""],
];

/** What the clock does, when it is moved by so much. */
const clockRows: [what: string, before: Input, by: string, facts: string][] = [
  ["eventCompleted", placed, "P2D", "event.completed journal_entry.created order.updated"],
  ["eventCompleted", lateCheckout, "PT5M", "event.completed order.updated order.cancelled booking.lapsed"],
  ["documentAttached", placed, "PT1M", "journal_entry.document_attached"],
  ["checkoutLapsed", started, "PT15M", "order.updated order.cancelled booking.lapsed"],
  [
    "checkoutLapsed",
    startedAndPaid,
    "PT15M",
    "order.updated order.cancelled journal_entry.created order.updated order.refunded booking.lapsed",
  ],
  ["giftCardExpired", card(), "P3Y", "gift_card.expired journal_entry.created"],
];

/** Where the record stands that a fact is about. */
const COLLECTIONS: Record<string, string> = {
  experience: "experiences",
  event: "events",
  booking: "bookings",
  ticket: "tickets",
  order: "orders",
  gift_card: "giftCards",
  marketing_consent: "consents",
  location: "locations",
  journal_entry: "entries",
  webhook_subscription: "subscriptions",
  key: "keys",
  token: "keys",
};

/** The names, each about a record that is there. */
function reported(world: TestWorld, facts: readonly Fact[]): string {
  const collections = sandbox.running.application.worlds.get(world.id)!.copy() as unknown as Record<
    string,
    Map<string, 1>
  >;
  for (const { fact, id } of facts) {
    if (fact === "webhook_subscription.deleted") continue;
    expect(collections[COLLECTIONS[fact.split(".")[0]!]!]!.get(id), `${fact} ${id}`).toBeDefined();
  }
  return facts.map(({ fact }) => fact).join(" ");
}

describe("An act reports its facts:", () => {
  it.each(actRows)("%s", async (act, input, facts) => {
    const world = await smallWorld(sandbox);
    const answer = await world.act(act, await inputFor(world, input));
    expect(answer.status, answer.text).toBe(200);
    expect(reported(world, answer.body.facts)).toBe(facts);
  });
});

describe("A request reports its facts:", () => {
  it.each(requestRows)("%s", async (operation, request, facts) => {
    const world = await smallWorld(sandbox);
    expect((await request(world)).status).toBeLessThan(300);
    const { body } = await world.control("get", `requests?operation=${operation}`);
    expect(reported(world, body.items.at(-1).facts)).toBe(facts);
  });
});

describe("The clock reports its facts:", () => {
  it.each(clockRows)("%s", async (what, before, by, facts) => {
    const world = await smallWorld(sandbox);
    await inputFor(world, before);
    const { body } = await world.control("post", "clock/advance", { by });
    const line = body.receipt.find((each: Body) => each.what === what);
    expect(reported(world, line.facts)).toBe(facts);
  });
});

it("every act is in the table, and every fact is emitted by an act", () => {
  expect(new Set(actRows.map(([act]) => act))).toEqual(new Set(acts.map(({ id }) => id as string)));
  const all = [
    ...actRows.map(([, , facts]) => facts),
    ...requestRows.map(([, , facts]) => facts),
    ...clockRows.map((row) => row[3]),
  ];
  expect([...new Set(all.flatMap((facts) => facts.split(" ")))].filter((fact) => fact !== "").sort()).toEqual(
    [...valuesOf("FactName")].sort(),
  );
});
