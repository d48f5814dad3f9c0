// Why of what was not refused: a request with all that it caused, an act, a move of the clock, a message, a record, and what is not kept.
import { describe, expect, test } from "vitest";
import { ask } from "../../ask.ts";
import { openSandbox, shareSandbox, type TestWorld, worldOf } from "../../sandbox.ts";
import { book, done, inputFor } from "../operations/kit.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });
let world: TestWorld;

const idOf = ({ headers }: { headers: Record<string, string> }) => headers["sandbox-request-id"] ?? "";
interface Changed {
  collection: string;
  id: string;
  change: string;
  kind: string;
  title: string;
}
/** Of what a booking made. */
const idsOf = ({ changes }: { changes: Changed[] }) => {
  const of = (name: string) => changes.find(({ collection }) => collection === name)?.id ?? "";
  return { order_id: of("orders"), journal_entry_id: of("entries"), ticket_id: of("tickets") };
};
const why = async (id: string) => (await world.control("get", `why/${encodeURIComponent(id)}`)).body;

describe("why of a processed request", () => {
  test("shows facts, records, ledger and webhooks, and what its client did next", async () => {
    world = await sandbox.world();
    await world.call("createWebhookSubscription", {
      body: { url: "http://127.0.0.1:9/hook", event_types: ["v1.booking.created"], state: "ENABLED" },
    });
    const booked = await book(world, "evt-evening");
    await world.call("getBooking", { path: { bookingId: booked.body.id } });
    await world.call("getOrder", { path: { orderId: "nope" } });
    const reported = await why(idOf(booked));
    const head = [reported.kind, reported.title, reported.world, reported.clock];
    expect(head).toEqual(["request", "createBooking 201", world.id, "held"]);
    expect(reported.refusal).toBeUndefined();
    const { order_id, journal_entry_id, ticket_id } = idsOf(reported);
    expect(reported.facts).toEqual([
      { fact: "order.created", id: order_id },
      { fact: "booking.created", id: booked.body.id },
      { fact: "journal_entry.created", id: journal_entry_id },
      { fact: "order.updated", id: order_id },
      { fact: "order.paid", id: order_id },
    ]);
    expect(
      reported.changes.map(({ collection, id, change }: Changed) => `${change} ${collection} ${id}`).sort(),
    ).toEqual([
      `created bookings ${booked.body.id}`,
      `created entries ${journal_entry_id}`,
      `created orders ${order_id}`,
      `created tickets ${ticket_id}`,
      "updated events evt-evening",
    ]);
    const event = reported.changes.find(({ collection }: Changed) => collection === "events");
    expect(event.members.map(({ path }: { path: string }) => path).sort()).toEqual([
      "capacity.reserved",
      "sold.var-adult",
    ]);
    expect(reported.entries).toHaveLength(1);
    const [sale] = reported.entries;
    expect(sale.kind).toBe("SALE");
    const sum = (side: string) =>
      sale.postings
        .filter(({ direction }: { direction: string }) => direction === side)
        .reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
    expect(sum("DEBIT")).toBe(sum("CREDIT"));
    expect(reported.messages.map(({ kind }: { kind: string }) => kind)).toEqual([
      "v1.booking.created",
      "v1.journal_entry.created",
    ]);
    expect(
      reported.messages.find(({ kind }: { kind: string }) => kind === "v1.booking.created").deliveries[0].url,
    ).toBe("http://127.0.0.1:9/hook");
    expect(reported.then.map(({ title, status }: { title: string; status: number }) => `${title} ${status}`)).toEqual([
      "getBooking 200",
      "getOrder 404",
    ]);
    for (let sent = 0; sent < 4; sent++) await world.call("getMe");
    const { then } = await why(idOf(booked));
    expect(then.map(({ title }: { title: string }) => title)).toEqual([
      "getBooking",
      "getOrder",
      "getMe",
      "getMe",
      "getMe",
    ]);
  });

  test("keeps the scopes of the key, and sends the request in a fork with the key of the same name", async () => {
    world = await sandbox.world();
    const { client_id, client_secret } = await done(world, "createKey", { name: "till", scopes: ["booking.read"] });
    const openTill = () => worldOf(sandbox.url, world.id, client_id, client_secret);
    const scopes = ["booking.read", "booking.write"];
    const { smallest } = (await why(idOf(await book(openTill(), "evt-evening")))).refusal;
    expect(smallest.first).toEqual([{ act: "updateKey", input: { client_id, scopes } }]);
    await done(world, "updateKey", { client_id, scopes });
    const misspelt = idOf(await book(openTill(), "evt-evenin"));
    const [{ id, ...fork }] = (await world.control("post", `worlds/${world.id}/fork`)).body.items;
    const forked = worldOf(sandbox.url, id, fork.client_id, fork.client_secret);
    const applied = (await forked.control("post", `why/${misspelt}/apply`)).body;
    const sent = (await forked.control("get", `log/${applied.id}`)).body;
    // The fork has two keys, and this is the first.
    expect([sent.status, sent.client_id === fork.client_id]).toEqual([201, false]);
  });

  test("shows the complete chain: facts, entries and messages of every cause, and of nothing else", async () => {
    world = await sandbox.world();
    await world.call("createWebhookSubscription", {
      body: { url: "http://127.0.0.1:9/hook", event_types: ["v1.booking.created"], state: "ENABLED" },
    });
    await book(world, "evt-morning");
    const booked = await book(world, "evt-evening");
    await book(world, "evt-morning");
    const request = await why(idOf(booked));
    const { order_id, journal_entry_id } = idsOf(request);
    const [{ id: message, deliveries }] = request.messages;
    const cause = { kind: "request", id: idOf(booked), title: "createBooking 201" };
    const ids = (reported: { facts: object[]; entries: Changed[]; messages: Changed[] }) => [
      reported.facts,
      reported.entries.map(({ id }) => id),
      reported.messages.map(({ id }) => id),
    ];
    for (const id of [booked.body.id, order_id, journal_entry_id, message])
      expect([id, ids(await why(id)), (await why(id)).causes]).toEqual([id, ids(request), [cause]]);
    const delivery = await why(deliveries[0].id);
    expect(ids(delivery)).toEqual(ids(request));
    expect(delivery.causes).toEqual([{ kind: "message", id: message, title: "v1.booking.created PENDING" }, cause]);
    const { orders } = (await world.control("get", "state")).body.collections;
    const { number, transactions } = orders.find(({ id }: { id: string }) => id === order_id);
    expect((await why(number)).notes[0]).toBe(`${number} belongs to ${order_id} in orders.`);
    expect(ids(await why(transactions[0].id))).toEqual(ids(request));
  });

  test("shows the fixture as the cause of each of its records, and links parts and numbers to theirs", async () => {
    world = await sandbox.world();
    const reported = await why("bkg-back-on-card");
    const cause = { kind: "fixture", id: "harbour-tours", title: "the fixture harbour-tours" };
    expect(reported.history).toMatchObject([{ seq: null, change: "created", cause }]);
    expect(reported.causes).toEqual([cause]);
    const { collections } = (await world.control("get", "state")).body;
    const some = ["bookings", "tickets", "orders", "giftCards", "entries", "events", "experiences", "locations"];
    for (const name of some) {
      const { id } = collections[name][0];
      expect([name, id, (await why(id)).history.length > 0]).toEqual([name, id, true]);
    }
    const paid = collections.orders.find(({ refunds }: { refunds: object[] }) => refunds.length > 0);
    for (const part of [paid.number, paid.transactions[0].id, paid.refunds[0].id])
      expect((await why(part)).title).toBe(`${paid.id} in orders`);
  });
});

describe("why of a lost response", () => {
  test("shows that the request was processed, and the booking of the repeated request", async () => {
    world = await sandbox.world();
    const fault = { operation: "createBooking", connection: "reset", when: "after", times: 1 };
    await world.control("put", "faults", { faults: [fault] });
    await expect(book(world, "evt-evening")).rejects.toThrow();
    const again = await book(world, "evt-evening");
    const { items } = (await world.control("get", "log?kinds=request&failed=true&limit=1&view=summary")).body;
    const { refusal, facts, notes } = await why(items[0].id);
    const { id } = facts.find(({ fact }: { fact: string }) => fact === "booking.created");
    expect(refusal.message).toBe(
      `It was carried out and created booking ${id}; only its response was lost. The same client sent createBooking again, and ${idOf(again)} also created booking ${again.body.id}.`,
    );
    expect(refusal.smallest).toEqual({
      text: "Search for the record by your own reference before you send the request again.",
      tried: false,
    });
    expect(notes).toBeUndefined();
  });
});

describe("why of an act, a clock move and a record", () => {
  test("an act is shown with its changes, and the record has both changes, newest first", async () => {
    world = await sandbox.world();
    const booked = await book(world, "evt-evening");
    const cancelled = await world.act("cancelBooking", { booking_id: booked.body.id, refund: "none" });
    const reported = await why(idOf(cancelled));
    expect([reported.kind, reported.title]).toEqual(["act", "cancelBooking done"]);
    expect(reported.facts.filter(({ id }: { id: string }) => id === booked.body.id)).toEqual([
      { fact: "booking.cancelled", id: booked.body.id },
    ]);
    const { history } = await why(booked.body.id);
    expect(
      history.map(({ change, cause }: { change: string; cause: { title: string } }) => `${change} ${cause.title}`),
    ).toEqual(["updated cancelBooking done", "created createBooking 201"]);
    expect(history[0].members.filter(({ path }: { path: string }) => path !== "updated_at")).toEqual([
      { path: "status", before: "ACTIVE", after: "CANCELLED" },
    ]);
  });

  test("a clock summary shows the due work", async () => {
    world = await sandbox.world();
    const { body } = await world.control("post", "clock/advance", { by: "P7D" });
    expect(body.receipt.length).toBeGreaterThan(0);
    const { items } = (await world.control("get", "log?kinds=clock&limit=1&view=summary")).body;
    const reported = await why(items[0].id);
    expect(reported.kind).toBe("clock");
    expect(reported.title).toBe("from 2030-06-01T09:00:00.000Z to 2030-06-08T09:00:00.000Z");
    expect(reported.cause).toMatchObject({ kind: "request", title: "of the control API, or no longer in the log" });
    expect(reported.facts).toEqual(body.receipt.flatMap(({ facts }: { facts: object[] }) => facts));
  });

  test("an entry that only got its document is not shown as created by that", async () => {
    world = await sandbox.world();
    const booked = await book(world, "evt-evening");
    const { journal_entry_id } = idsOf(await why(idOf(booked)));
    await world.control("post", "clock/advance", { by: "PT5M" });
    const { items } = (await world.control("get", "log?kinds=clock&limit=1&view=summary")).body;
    const { facts, changes, entries } = await why(items[0].id);
    expect([facts, entries]).toEqual([[{ fact: "journal_entry.document_attached", id: journal_entry_id }], []]);
    expect(changes.map(({ collection, id, change }: Changed) => `${change} ${collection} ${id}`)).toEqual([
      `updated entries ${journal_entry_id}`,
    ]);
    const { entries: all } = (await world.control("get", "state")).body.collections;
    const { number } = all.find(({ id }: { id: string }) => id === journal_entry_id);
    expect((await why(String(number))).title).toMatch(/^\S+ in (orders|entries)$/);
  });

  test("a record of the fixture shows the fixture before later changes, until another beginning hides it", async () => {
    world = await sandbox.world();
    await world.act("cancelBooking", { booking_id: "bkg-evening", refund: "none" });
    const reported = async () =>
      (await why("bkg-evening")).history.map(
        ({ change, cause }: Changed & { cause: Changed }) => `${change} ${cause.title}`,
      );
    expect(await reported()).toEqual(["updated cancelBooking done", "created the fixture harbour-tours"]);
    await world.control("put", "snapshots/cancelled");
    await world.control("post", "snapshots/cancelled/restore");
    expect(await reported()).toEqual([]);
  });

  test("a token is not explained as a record", async () => {
    world = await sandbox.world();
    await world.token();
    const [token] = sandbox.running.application.worlds.get(world.id)?.copy().tokens.all() ?? [];
    expect((await world.control("get", `why/${token?.id}`)).status).toBe(404);
  });

  test("an unchanged record shows since when", async () => {
    world = await sandbox.world();
    const reported = await why("evt-morning");
    expect([reported.kind, reported.title]).toEqual(["record", "evt-morning in events"]);
    expect(reported.history.filter(({ seq }: { seq: number | null }) => seq !== null)).toEqual([]);
    expect(reported.notes.join(" ")).toMatch(
      /The history begins at .*: the world was created\. The record has not changed since then\./,
    );
  });
});

test("the suggestion for a rejected request has a token of the same key, or of the first that is not revoked", async () => {
  world = await sandbox.world();
  const key = (await world.act("createKey", { name: "Other", scopes: ["booking.read", "booking.write"] })).body.result;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    audience: sandbox.url,
    client_id: key.client_id,
    client_secret: key.client_secret,
  });
  const { body } = await ask("post", `${sandbox.url}/oauth2/token`, {}, form.toString());
  const input = { body: inputFor("evt-sold-out"), token: body.access_token };
  const refused = await world.call("createBooking", input);
  expect(refused.status, refused.text).toBe(409);
  const sender = async () => {
    expect((await world.control("post", `why/${idOf(refused)}/apply`)).body.status).toBe(201);
    const { items } = (await world.control("get", "log?kinds=request&limit=1&view=summary")).body;
    return items[0].client_id;
  };
  expect(await sender()).toBe(key.client_id);
  await world.act("revokeKey", { client_id: key.client_id });
  expect(await sender()).toBe(world.clientId);
});

describe("the latest rejection", () => {
  const latest = async () => (await world.control("get", "why")).body;
  const byHand = (input: object) => {
    const headers = { "sandbox-world": world.id, "sandbox-by-hand": "console" };
    return ask("post", `${sandbox.url}/_sandbox/acts/cancelBooking`, headers, input);
  };

  test("is the program's own, and a later rejection of a person is marked as such", async () => {
    world = await sandbox.world();
    const first = await byHand({ booking_id: "bkg-nobody", refund: "none" });
    expect(first.status).toBe(404);
    const hand = { id: idOf(first), notes: ["A person sent it from the console or the terminal."] };
    const { id, notes } = await latest();
    expect({ id, notes }).toEqual(hand);
    const refused = await world.act("cancelBooking", { booking_id: "bkg-none", refund: "none" });
    const misspelt = await byHand({ booking_id: "bkg-tea", refnd: "none" });
    expect(misspelt.status).toBe(400);
    const { access_token: token } = (await world.control("post", "token", { sent_by: "person" })).body;
    const typed = await world.call("getBooking", { path: { bookingId: "bkg-typed" }, token });
    expect(typed.status).toBe(404);
    const own = await latest();
    expect([own.id, own.notes]).toEqual([idOf(refused), [`${idOf(typed)}, which a person sent, was rejected later.`]]);
    for (const each of [misspelt, typed]) expect((await why(idOf(each))).notes).toEqual(hand.notes);
  });
});

describe("limits", () => {
  test("an unknown id reports which ids are retained", async () => {
    world = await sandbox.world();
    const { status, body } = await world.control("get", "why/bkg-nobody");
    expect(status).toBe(404);
    expect(body.message).toMatch(/no request, message, record, payment or number bkg-nobody\. The history begins at/);
    expect((await world.control("get", "why/req-000000-1")).body.message).toMatch(/log .* has no req-000000-1/);
    expect((await world.control("get", "why")).body.message).toMatch(/has no rejected request/);
  });

  test("a rejected request that the log has dropped", async () => {
    const short = await openSandbox({ fixture: "harbour-tours", logBytes: 20_000 });
    world = await short.world();
    const refused = await book(world, "evt-sold-out");
    expect(refused.status).toBe(409);
    for (let i = 0; i < 8; i++) await book(world, "evt-evening");
    const { status, body } = await world.control("get", `why/${idOf(refused)}`);
    expect([status, body.message]).toEqual([404, expect.stringMatching(/It keeps the latest entries/)]);
    await short.close();
  });

  test("no secret is shown", async () => {
    world = await sandbox.world();
    const made = await world.act("createKey", { name: "Other", scopes: ["booking.read"] });
    const reported = JSON.stringify(await why(idOf(made)));
    expect(reported).not.toContain(made.body.result.client_secret ?? made.body.result.secret);
  });

  test("trying changes does not change the world", async () => {
    world = await sandbox.world();
    const refused = await book(world, "evt-sold-out");
    const before = (await world.control("get", "history")).body.kept.commits;
    const { tried, set } = (await why(idOf(refused))).refusal.smallest;
    const { events } = (await world.control("get", "state")).body.collections;
    const begins = (event: { sessions: { starts_at: string }[] }) => String(event.sessions[0]?.starts_at);
    const { experience_id } = events.find(({ id }: { id: string }) => id === "evt-sold-out");
    const open = events
      .filter((each: Record<string, string>) => each.experience_id === experience_id && each.state === "ACTIVE")
      .filter(
        (each: { cutoff_at: string; id: string }) => each.cutoff_at > "2030-06-01T09:00" && each.id !== "evt-sold-out",
      )
      .sort((a: never, b: never) => (begins(a) < begins(b) ? -1 : 1));
    expect([tried, set]).toEqual([true, { "body.event_id": open[0]?.id }]);
    expect((await world.control("get", "history")).body.kept.commits).toBe(before);
  });
});
