// What the company has besides its sales: places, consents, its journal, its webhook subscriptions, and who is asking.
import { describe, expect, it } from "vitest";
import { EVENT_KINDS } from "../../../src/engine/domain/kernel/kinds.ts";
import { ANCHOR, type Answered, renewWorld, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { ADULT, advance, allPages, book, done, guest, idsOf, smallWorld } from "./kit.ts";

const sandbox = shareSandbox();
const world = renewWorld(() => sandbox.world());

type Body = Answered["body"];

async function mustPage(world: TestWorld, operation: string): Promise<Body[]> {
  const { items } = await allPages(world, operation);
  for (const limit of [1, 3]) expect((await allPages(world, operation, { query: { limit } })).items).toEqual(items);
  for (const limit of [0, 101, "many"]) expect((await world.call(operation, { query: { limit } })).status).toBe(400);
  expect((await world.call(operation, { query: { cursor: "invented" } })).status).toBe(400);
  return items;
}

describe("locations", () => {
  it("are listed with zone, address and coordinates, in Copenhagen's zone by default", async () => {
    const items = await mustPage(world, "listLocations");
    expect(Object.fromEntries(items.map(({ id, timezone }) => [id, timezone]))).toEqual({
      "loc-nyhavn": "Europe/Copenhagen",
      "loc-harbour": "Europe/Copenhagen",
      "loc-new-york": "America/New_York",
    });
    for (const item of items)
      expect((await world.call("getLocation", { path: { locationId: item.id } })).body).toEqual(item);
    expect(items.find(({ id }) => id === "loc-nyhavn")).toMatchObject({
      address: { address_lines: ["Nyhavn 43"], country: "DK" },
      coordinates: { latitude: 55.6798, longitude: 12.5914 },
    });
  });

  it("have no coordinates unless both are known", async () => {
    await done(world, "addLocation", { id: "loc-plain" });
    const { body } = await world.call("getLocation", { path: { locationId: "loc-plain" } });
    expect(body).toEqual({ id: "loc-plain", timezone: "Europe/Copenhagen", created_at: ANCHOR, updated_at: ANCHOR });
    expect((await world.act("addLocation", { coordinates: { latitude: 1 } })).status).toBe(400);
  });

  it("that were deleted return 404", async () => {
    for (const locationId of ["loc-malmo", "loc-nothing"])
      expect((await world.call("getLocation", { path: { locationId } })).body.code).toBe("NOT_FOUND");
    await done(world, "removeLocation", { location_id: "loc-new-york" });
    expect((await world.call("getLocation", { path: { locationId: "loc-new-york" } })).status).toBe(404);
    expect(idsOf((await allPages(world, "listLocations")).items)).not.toContain("loc-new-york");
  });
});

describe("consents", () => {
  it("are listed and read, in pages", async () => {
    const items = await mustPage(world, "listMarketingConsents");
    expect(items.length).toBeGreaterThan(2);
    for (const item of items)
      expect((await world.call("getMarketingConsent", { path: { consentId: item.id } })).body).toEqual(item);
    expect(items.find(({ id }) => id === "con-magnus")).toEqual({
      id: "con-magnus",
      company_id: "cmp-harbour-tours",
      full_name: "Magnus Dahl",
      email: "magnus.dahl@example.com",
      source: "CHECKOUT",
      references: [{ type: "BOOKING", id: "bkg-evening" }],
    });
    expect((await world.call("getMarketingConsent", { path: { consentId: "con-nothing" } })).status).toBe(404);
  });

  it("send a webhook at every submission, also for a known address", async () => {
    const empty = await sandbox.world({ fixture: "empty" });
    for (const full_name of ["Anna", "Anna Holm"])
      await done(empty, "submitConsent", { email: "Anna@example.com", full_name });
    const { items } = await allPages(empty, "listMarketingConsents");
    expect(items.map(({ full_name }) => full_name)).toEqual(["Anna Holm"]);
    const { body } = await empty.control("get", "messages?kind=v1.marketing_consent.created");
    expect(body.items.map((message: Body) => message.body.payload)).toEqual(
      Array(2).fill({ consent_id: items[0].id, host_id: "cmp-empty" }),
    );
  });
});

describe("the journal", () => {
  it("is listed by the instant of the entry, in a time window", async () => {
    const items = await mustPage(world, "listJournalEntries");
    const instants = items.map(({ occurred_at }) => occurred_at);
    expect(instants).toEqual([...instants].sort());
    expect(new Set(items.map(({ kind }) => kind))).toEqual(
      new Set(["SALE", "REFUND", "REVENUE_RECOGNITION", "REVENUE_RECOGNITION_REVERSAL", "BREAKAGE", "ADJUSTMENT"]),
    );
    expect(new Set(items.map(({ number }) => number)).size).toBe(items.length);
    const [from, to] = [instants[20], instants[60]];
    const inside = (await allPages(world, "listJournalEntries", { query: { from, to, limit: 9 } })).items;
    expect(inside).toEqual(items.filter(({ occurred_at }) => occurred_at >= from && occurred_at < to));
    for (const query of ["from=now", "to=2030-06-01"])
      expect((await world.call("listJournalEntries", { query })).status).toBe(400);
  });

  it("balances in every entry, and shows VAT only if there is any", async () => {
    const { items } = await allPages(world, "listJournalEntries");
    for (const { postings, currency, kind } of items) {
      const side = (direction: string) =>
        postings
          .filter((each: Body) => each.direction === direction)
          .reduce((total: number, { amount }: Body) => total + amount.value, 0);
      expect(side("DEBIT")).toBe(side("CREDIT"));
      for (const posting of postings) {
        expect([posting.amount.currency, posting.amount.value > 0]).toEqual([currency, true]);
        if (/^BOOKING_(PREPAYMENT|REVENUE|FEE_REVENUE)$/.test(posting.type))
          expect([posting.type, typeof posting.vat_rate]).toEqual([posting.type, "string"]);
        if (posting.type === "PAYMENT" || kind === "BREAKAGE" || kind === "ADJUSTMENT")
          expect(posting).not.toHaveProperty("vat_rate");
      }
    }
  });

  it("returns one entry, and no unknown one", async () => {
    const [entry] = (await world.call("listJournalEntries", { query: { limit: 1 } })).body.items;
    expect((await world.call("getJournalEntry", { path: { journalEntryId: entry.id } })).body).toEqual(entry);
    expect((await world.call("getJournalEntry", { path: { journalEntryId: "nothing" } })).status).toBe(404);
  });

  it("gets a receipt a minute after a sale, and a credit note a minute after a refund", async () => {
    const made = await book(world, "evt-evening");
    await done(world, "cancelBooking", { booking_id: made.body.id });
    const ofBooking = async (): Promise<Body[]> =>
      (await allPages(world, "listJournalEntries", { query: { from: ANCHOR } })).items.filter(
        ({ booking_id }) => booking_id === made.body.id,
      );
    await advance(world, "PT59S");
    expect((await ofBooking()).map(({ kind, documents }) => `${kind} ${documents.length}`)).toEqual([
      "SALE 0",
      "REFUND 0",
    ]);
    await advance(world, "PT1S");
    for (const { kind, documents } of await ofBooking()) {
      const type = kind === "SALE" ? "RECEIPT" : "CREDIT_NOTE";
      expect(documents).toEqual([
        {
          id: expect.any(String),
          type,
          url: expect.stringContaining(sandbox.url),
          created_at: "2030-06-01T09:01:00.000Z",
        },
      ]);
      const file = await fetch(documents[0].url);
      expect([file.status, file.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    }
  });

  const detail = "Voucher 20312 created";
  const record = async (world: TestWorld, body: object) => {
    const [entry] = (await world.call("listJournalEntries", { query: { limit: 1 } })).body.items;
    return {
      id: entry.id,
      answer: await world.call("recordJournalEntryActivity", { path: { journalEntryId: entry.id }, body }),
    };
  };

  it.each<[string, object, object]>([
    ["a start", { status: "STARTED", detail }, {}],
    ["a success", { status: "SUCCEEDED", detail }, {}],
    ["a success, whose code is dropped", { status: "SUCCEEDED", detail, detail_code: "ACCESS_DENIED" }, {}],
    ["a failure without a code", { status: "FAILED", detail }, {}],
    ...[
      "CONFIGURATION_INCOMPLETE",
      "CONFIGURATION_INVALID",
      "CONNECTION_REJECTED",
      "ACCESS_DENIED",
      "SALES_DOCUMENT_MISSING",
      "FINANCIAL_YEAR_MISSING",
      "PROVIDER_REJECTED",
      "UNKNOWN",
    ].map((code): [string, object, object] => [
      `a failure for ${code}`,
      { status: "FAILED", detail, detail_code: code },
      { detail_code: code },
    ]),
    [
      "a failure for a reason of the future",
      { status: "FAILED", detail, detail_code: "SHORT_AND_STOUT" },
      { detail_code: "UNKNOWN" },
    ],
  ])("stores %s", async (_, input, code) => {
    const { id, answer } = await record(world, input);
    const { status } = input as { status: string };
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ id: expect.any(String), status, detail, ...code, created_at: ANCHOR });
    expect((await world.call("getJournalEntry", { path: { journalEntryId: id } })).body.activities.at(-1)).toEqual(
      answer.body,
    );
  });

  it.each([
    [{ detail }, "status"],
    [{ status: "FAILED" }, "detail"],
    [{ status: "DONE", detail }, "status"],
    [{ status: "FAILED", detail: 7 }, "detail"],
    [{ status: "FAILED", detail, detail_code: 7 }, "detail_code"],
  ])("rejects the activity %j", async (input, index) => {
    const { answer } = await record(world, input);
    expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(answer.body.message).toContain(`body.${index}`);
  });

  it("has no activity on an unknown entry", async () => {
    const answer = await world.call("recordJournalEntryActivity", {
      path: { journalEntryId: "nothing" },
      body: { status: "FAILED", detail },
    });
    expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
  });
});

describe("webhook subscriptions", () => {
  const small = renewWorld(() => smallWorld(sandbox));
  const URL = "http://127.0.0.1:9/hook";
  const input = { url: URL, event_types: ["v1.booking.created"], state: "ENABLED" };
  const create = (world: TestWorld, body: object = input) => world.call("createWebhookSubscription", { body });
  const path = (subscriptionId: string) => ({ path: { subscriptionId } });

  it("are created with a secret that is shown once, read, replaced completely and deleted", async () => {
    const made = await create(small, { ...input, description: "CRM", metadata: { team: "a" } });
    const { secret, ...shown } = made.body;
    expect(made.status).toBe(201);
    expect(Buffer.from(/^whsec_(.+)$/.exec(secret)?.[1] ?? "", "base64")).toHaveLength(32);
    expect(shown).toEqual({
      id: expect.any(String),
      ...input,
      description: "CRM",
      metadata: { team: "a" },
      created_at: ANCHOR,
      updated_at: ANCHOR,
    });
    expect((await small.call("getWebhookSubscription", path(shown.id))).body).toEqual(shown);
    expect((await small.call("listWebhookSubscriptions")).body.items).toEqual([shown]);
    await advance(small, "PT1S");
    const put = await small.call("replaceWebhookSubscription", {
      ...path(shown.id),
      body: { url: `${URL}/2`, event_types: ["v1.event.created", "v1.event.updated"], state: "DISABLED" },
    });
    expect(put.status).toBe(200);
    expect(put.body).toEqual({
      id: shown.id,
      url: `${URL}/2`,
      event_types: ["v1.event.created", "v1.event.updated"],
      state: "DISABLED",
      created_at: ANCHOR,
      updated_at: "2030-06-01T09:00:01.000Z",
    });
    expect((await small.call("deleteWebhookSubscription", path(shown.id))).status).toBe(204);
    for (const operation of ["getWebhookSubscription", "deleteWebhookSubscription"])
      expect((await small.call(operation, path(shown.id))).body.code).toBe("NOT_FOUND");
    expect((await small.call("replaceWebhookSubscription", { ...path(shown.id), body: input })).status).toBe(404);
    expect((await small.call("listWebhookSubscriptions")).body).toEqual({ items: [] });
  });

  it("accept all fourteen kinds, each once", async () => {
    const { body } = await create(small, {
      ...input,
      event_types: [...EVENT_KINDS, ...EVENT_KINDS],
    });
    expect(body.event_types).toEqual([...EVENT_KINDS]);
    expect(EVENT_KINDS).toHaveLength(14);
  });

  it.each<[string, object, string]>([
    ["no address", { url: undefined }, "body.url"],
    ["an address that is none", { url: "here" }, "body.url"],
    ["an address of a file", { url: "file:///etc/passwd" }, "body.url"],
    ["an address of a script", { url: "javascript:alert(1)" }, "body.url"],
    ["an address with credentials", { url: "http://me:secret@127.0.0.1/" }, "body.url"],
    ["a port that nobody can listen on", { url: "http://127.0.0.1:0/" }, "body.url"],
    ["a link-local address", { url: "http://169.254.169.254/latest" }, "body.url"],
    ["a link-local address of the new kind", { url: "http://[fe80::1]/" }, "body.url"],
    ["a link-local address in decimal", { url: "http://2852039166/" }, "body.url"],
    ["a metadata service by name", { url: "http://metadata.google.internal/" }, "body.url"],
    ["a number for an address", { url: 7 }, "body.url"],
    ["no kinds", { event_types: undefined }, "body.event_types"],
    ["an empty list of kinds", { event_types: [] }, "body.event_types"],
    ["an unknown kind", { event_types: ["v1.booking.eaten"] }, "body.event_types.0"],
    ["one kind that is no list", { event_types: "v1.booking.created" }, "body.event_types"],
    ["no state", { state: undefined }, "body.state"],
    ["an unknown state", { state: "ON" }, "body.state"],
    ["metadata of numbers", { metadata: { a: 1 } }, "body.metadata.a"],
    ["a description that is none", { description: {} }, "body.description"],
  ])("are rejected with %s", async (_, change, index) => {
    const good = (await create(small, { ...input, state: "DISABLED" })).body.id;
    for (const answer of [
      await create(small, { ...input, ...change }),
      await small.call("replaceWebhookSubscription", { ...path(good), body: { ...input, ...change } }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
      expect(answer.body.message).toContain(index);
    }
    expect((await small.call("listWebhookSubscriptions")).body.items).toHaveLength(1);
  });

  it("can't send one kind to one address twice", async () => {
    const first = (await create(small)).body.id;
    const twin = await create(small, { ...input, event_types: ["v1.event.created", "v1.booking.created"] });
    expect([twin.status, twin.body.code]).toEqual([409, "SUBSCRIPTION_EXISTS"]);
    for (const other of [{ state: "DISABLED" }, { event_types: ["v1.event.created"] }, { url: `${URL}/other` }])
      expect((await create(small, { ...input, ...other })).status).toBe(201);
    const disabled = (await small.call("listWebhookSubscriptions")).body.items.find(
      ({ state }: Body) => state === "DISABLED",
    );
    expect((await small.call("replaceWebhookSubscription", { ...path(disabled.id), body: input })).body.code).toBe(
      "SUBSCRIPTION_EXISTS",
    );
    expect((await small.call("replaceWebhookSubscription", { ...path(first), body: input })).status).toBe(200);
    await small.call("deleteWebhookSubscription", path(first));
    expect((await small.call("replaceWebhookSubscription", { ...path(disabled.id), body: input })).status).toBe(200);
  });

  it("can't do so with another spelling of the address", async () => {
    await create(small, { ...input, url: "http://127.0.0.1:1" });
    for (const url of ["http://127.0.0.1:1/", "HTTP://127.0.0.1:1", "http://127.0.0.1:1/#x"])
      expect((await create(small, { ...input, url })).body.code, url).toBe("SUBSCRIPTION_EXISTS");
    expect((await create(small, { ...input, url: "http://127.0.0.1:1/?x" })).status).toBe(201);
  });

  it("keep their position in a list after the last one of a page was deleted", async () => {
    for (let i = 0; i < 6; i++) {
      await create(small, { ...input, url: `${URL}/${i}` });
      await advance(small, "PT1S");
    }
    const whole = (await small.call("listWebhookSubscriptions")).body.items;
    const page = (await small.call("listWebhookSubscriptions", { query: { limit: 2 } })).body;
    await small.call("deleteWebhookSubscription", path(page.items[1].id));
    const rest = (await small.call("listWebhookSubscriptions", { query: { cursor: page.next } })).body.items;
    expect(idsOf(rest)).toEqual(idsOf(whole.slice(2)));
    await mustPage(small, "listWebhookSubscriptions");
  });
});

describe("the caller", () => {
  it("is shown to any token", async () => {
    const me = {
      company_id: "cmp-harbour-tours",
      company_name: "Harbour Tours ApS",
      user_id: "usr-mette",
      email: "mette@harbour-tours.example",
    };
    for (const scopes of [["openid"], ["webhook.read"], undefined])
      expect((await world.call("getMe", { token: await world.token(scopes) })).body).toEqual(me);
    expect((await world.call("getMe", { token: null })).status).toBe(401);
  });
});

it("another company's consents, bookings and orders are not accessible", async () => {
  const other = await smallWorld(sandbox);
  const made = await done(world, "bookAsHost", { event_id: "evt-evening", customer: guest, items: [ADULT] });
  expect((await other.call("getOrder", { path: { orderId: made.order_id } })).status).toBe(404);
  expect((await other.call("getMarketingConsent", { path: { consentId: "con-magnus" } })).status).toBe(404);
});
