// Why of what was not refused: a request with all that it caused, an act, a move of the clock, a message, a record, and what is not kept.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { book } from "../operations/kit.ts";
import { openSandbox, type TestSandbox, type TestWorld } from "../sandbox.ts";

let sandbox: TestSandbox;
let world: TestWorld;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "harbour-tours" });
});
afterAll(() => sandbox.close());

const idOf = ({ headers }: { headers: Record<string, string> }) => headers["sandbox-request-id"] ?? "";
const why = async (id: string) => (await world.control("get", `why/${encodeURIComponent(id)}`)).body;

describe("why of a request that was carried out", () => {
  test("tells facts, records, ledger and webhooks, and what its client did next", async () => {
    world = await sandbox.world();
    await world.call("createWebhookSubscription", {
      body: { url: "http://127.0.0.1:9/hook", event_types: ["v1.booking.created"], state: "ENABLED" },
    });
    const booked = await book(world, "evt-evening");
    await world.call("getBooking", { path: { bookingId: booked.body.id } });
    await world.call("getOrder", { path: { orderId: "nope" } });
    const told = await why(idOf(booked));
    expect(told).toMatchObject({ kind: "request", title: "createBooking 201", world: world.id, clock: "held" });
    expect(told.refusal).toBeUndefined();
    expect(told.facts).toContainEqual({ fact: "booking.created", id: booked.body.id });
    expect(told.changes).toContainEqual(
      expect.objectContaining({ collection: "bookings", id: booked.body.id, change: "created" }),
    );
    expect(
      told.changes
        .find(({ collection }: { collection: string }) => collection === "events")
        .members.map(({ path }: { path: string }) => path),
    ).toContain("capacity.reserved");
    const [sale] = told.entries;
    expect(sale.kind).toBe("SALE");
    const sum = (side: string) =>
      sale.postings
        .filter(({ direction }: { direction: string }) => direction === side)
        .reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
    expect(sum("DEBIT")).toBe(sum("CREDIT"));
    expect(told.messages.map(({ kind }: { kind: string }) => kind)).toContain("v1.booking.created");
    expect(told.messages.find(({ kind }: { kind: string }) => kind === "v1.booking.created").deliveries[0].url).toBe(
      "http://127.0.0.1:9/hook",
    );
    expect(told.then.map(({ title, status }: { title: string; status: number }) => `${title} ${status}`)).toEqual([
      "getBooking 200",
      "getOrder 404",
    ]);
  });

  test("the message names it as its cause, and so does the record", async () => {
    world = await sandbox.world();
    const booked = await book(world, "evt-evening");
    const { messages } = await why(idOf(booked));
    const cause = { kind: "request", id: idOf(booked), title: "createBooking 201" };
    expect(await why(messages[0].id)).toMatchObject({ kind: "message", cause });
    expect(await why(booked.body.id)).toMatchObject({
      kind: "record",
      title: `${booked.body.id} in bookings`,
      history: [{ cause, change: "created" }],
    });
  });
});

describe("why of an act, a move of the clock and a record", () => {
  test("an act is told with what it changed, and the record has both changes, newest first", async () => {
    world = await sandbox.world();
    const booked = await book(world, "evt-evening");
    const cancelled = await world.act("cancelBooking", { booking_id: booked.body.id, refund: "none" });
    const told = await why(idOf(cancelled));
    expect(told).toMatchObject({ kind: "act", title: "cancelBooking done" });
    expect(told.facts).toContainEqual({ fact: "booking.cancelled", id: booked.body.id });
    const { history } = await why(booked.body.id);
    expect(
      history.map(({ change, cause }: { change: string; cause: { title: string } }) => `${change} ${cause.title}`),
    ).toEqual(["updated cancelBooking done", "created createBooking 201"]);
    expect(history[0].members).toContainEqual({ path: "status", before: "ACTIVE", after: "CANCELLED" });
  });

  test("a receipt of the clock tells what fell due", async () => {
    world = await sandbox.world();
    const { body } = await world.control("post", "clock/advance", { by: "P7D" });
    expect(body.receipt.length).toBeGreaterThan(0);
    const { items } = (await world.control("get", "log?kinds=clock&limit=1&view=summary")).body;
    const told = await why(items[0].id);
    expect(told.kind).toBe("clock");
    expect(told.title).toContain("2030-06-08");
    expect(told.facts.map(({ fact }: { fact: string }) => fact)).toContain("event.completed");
  });

  test("a record that nothing has changed says since when", async () => {
    world = await sandbox.world();
    const told = await why("evt-evening");
    expect(told).toMatchObject({ kind: "record", title: "evt-evening in events", history: [] });
    expect(told.notes.join(" ")).toMatch(
      /The history begins at .*: the world was created\. It has not changed since then\./,
    );
  });
});

describe("what can't be told", () => {
  test("an id that nobody knows says what is kept", async () => {
    world = await sandbox.world();
    const { status, body } = await world.control("get", "why/bkg-nobody");
    expect(status).toBe(404);
    expect(body.message).toMatch(/no request, message or record bkg-nobody\. The history begins at/);
    expect((await world.control("get", "why/req-000000-1")).body.message).toMatch(/log .* has no req-000000-1/);
    expect((await world.control("get", "why")).body.message).toMatch(/Nothing was refused in world/);
  });

  test("a refusal whose moment is no longer kept has its rule all the same, and says so", async () => {
    const short = await openSandbox({ fixture: "harbour-tours", historyCommits: 2 });
    world = await short.world();
    const refused = await book(world, "evt-sold-out");
    expect(refused.status).toBe(409);
    for (let i = 0; i < 8; i++) await book(world, "evt-evening");
    const { refusal } = await why(idOf(refused));
    expect(refusal.rule).toBe("NOT_ENOUGH_RESOURCES");
    expect(refusal.note).toMatch(/is not kept/);
    expect(refusal.smallest?.tried ?? false).toBe(false);
    await short.close();
  });

  test("no secret is told", async () => {
    world = await sandbox.world();
    const made = await world.act("createKey", { name: "Other", scopes: ["booking.read"] });
    const told = JSON.stringify(await why(idOf(made)));
    expect(told).not.toContain(made.body.result.client_secret ?? made.body.result.secret);
  });

  test("trying changes leaves the world as it was", async () => {
    world = await sandbox.world();
    const refused = await book(world, "evt-sold-out");
    const before = (await world.control("get", "history")).body.kept.commits;
    expect((await why(idOf(refused))).refusal.smallest.tried).toBe(true);
    expect((await world.control("get", "history")).body.kept.commits).toBe(before);
  });
});
