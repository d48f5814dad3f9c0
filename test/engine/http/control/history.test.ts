// The past of a world over HTTP: its commits, the versions of a record, what differs between two moments, and rewinding.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ANCHOR, type Answered, openSandbox, renewWorld, shareSandbox, type TestWorld } from "../../../sandbox.ts";
import { advance, book, done, inputFor, smallWorld, ticket } from "../../operations/kit.ts";

const sandbox = shareSandbox();
const world = renewWorld(() => smallWorld(sandbox));

const got = async (path: string, of = world): Promise<Answered["body"]> => {
  const { status, body, text } = await of.control("get", path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return body;
};
const rewind = (to: string | number, of = world) => of.control("post", "rewind", { to });
const message = ({ status, body }: Answered) => `${status} ${body.code} ${body.message}`;
/** As it stands, however often it went back. */
const exported = async (of = world) => stood((await of.control("get", "state")).body.collections);
const stood = (collections: Answered["body"]) => {
  for (const counters of collections.counters ?? []) delete counters.went_back;
  return collections;
};
interface StreamedCommit {
  collection: string;
  id: string;
  change: string;
}
/** As `created bookings bkg-1`; a name in the place of an id that nobody chose. */
const reported = (changes: readonly StreamedCommit[], names: Record<string, string> = {}) =>
  changes.map(({ change, collection, id }) => `${change} ${collection} ${names[id] ?? id}`.replace(/ [\w-]{32,}$/, ""));
const pointOf = ({ seq, at, wall_at }: Answered["body"]) => ({ seq, at, wall_at });
const latest = async (of = world) => (await got("history?limit=1", of)).items[0];

describe("GET /_sandbox/history", () => {
  it("lists each change with its cause, in both times, with its facts and the records it changed", async () => {
    const booked = await book(world, "evt-noon", [ticket("var-adult", 2)]);
    const act = await world.act("cancelBooking", { booking_id: booked.body.id });
    expect(act.status).toBe(200);
    await advance(world, "PT1H");
    const { items, kept } = await got("history");
    const of = (fact: string) =>
      items.find(({ facts }: Answered["body"]) => facts.some((each: { fact: string }) => each.fact === fact));
    const [create, cancel] = [of("booking.created"), of("booking.cancelled")];
    expect(create.cause).toEqual({ kind: "request", id: booked.headers["sandbox-request-id"] });
    const names = { [booked.body.id]: "it", [create.facts[0].id]: "its order", [create.facts[2].id]: "its sale" };
    const facts = (of: Answered["body"]) =>
      of.facts.map(
        ({ fact, id }: { fact: string; id: string }) =>
          `${fact} of ${(names as Record<string, string>)[id] ?? "another"}`,
      );
    expect(facts(create)).toEqual([
      ...["order.created of its order", "booking.created of it", "journal_entry.created of its sale"],
      ...["order.updated of its order", "order.paid of its order"],
    ]);
    expect(reported(create.changes, names)).toEqual([
      ...["updated events evt-noon", "created bookings it", "created tickets", "created tickets"],
      ...["created orders its order", "created entries its sale"],
      ...["created messages", "created messages", "updated counters counters"],
    ]);
    expect(facts(cancel)).toEqual([
      ...["booking.cancelled of it", "order.updated of its order", "order.cancelled of its order"],
      ...["journal_entry.created of another", "order.updated of its order", "order.refunded of its order"],
    ]);
    expect(reported(cancel.changes, names)).toEqual([
      ...["updated bookings it", "updated tickets", "updated tickets", "updated events evt-noon"],
      ...["updated orders its order", "created entries", "created messages", "created messages"],
      "updated counters counters",
    ]);
    expect(cancel.cause).toEqual({ kind: "act", id: expect.stringMatching(/^act-[0-9a-f]{6}-\d+$/) });
    expect(items.at(-1).cause).toEqual({ kind: "clock", id: expect.stringMatching(/^clk-/) });
    expect(items.map(({ seq }: { seq: number }) => seq)).toEqual(
      items.map(({ seq }: { seq: number }) => seq).toSorted((a: number, b: number) => a - b),
    );
    expect(Math.abs(Date.parse(create.wall_at) - Date.now())).toBeLessThan(60_000);
    expect(kept).toEqual({
      commits: items.length,
      dropped: 0,
      bytes: expect.any(Number),
      from: kept.from,
      began: { ...kept.from, why: "created" },
    });
    expect([Object.keys(kept.from).sort(), kept.from.at]).toEqual([["at", "seq", "wall_at"], ANCHOR]);
    expect(kept.bytes).toBeGreaterThan(0);
  });

  it("pages by number, and finds what touched a record or had a cause", async () => {
    const booked = await book(world, "evt-noon");
    await book(world, "evt-noon");
    const { items } = await got("history");
    const seqs = items.map(({ seq }: { seq: number }) => seq);
    const [last, one] = [seqs.at(-1), seqs.at(-2)];
    const found = async (query: string) => (await got(`history?${query}`)).items.map(({ seq }: { seq: number }) => seq);
    expect(await found(`since=${one}`)).toEqual([last]);
    expect(await found(`before=${last}&limit=1`)).toEqual([one]);
    expect(await found("touches=evt-noon")).toHaveLength(3);
    expect(await found(`caused_by=${booked.headers["sandbox-request-id"]}`)).toEqual([one]);
    expect(await found("touches=nobody")).toEqual([]);
    const [token] = sandbox.running.application.worlds.get(world.id)?.copy().tokens.all() ?? [];
    expect(await found(`touches=${token?.id}`)).toEqual([]);
  });

  it("redacts tokens, and is separate for each world", async () => {
    await world.token();
    const { items } = await got("history");
    expect(reported(items.at(-1).changes)).toEqual(["created tokens [redacted]"]);
    const other = await sandbox.world({ fixture: "empty" });
    expect((await got("history", other)).items).toEqual([]);
  });

  it.each<[string, (of: TestWorld) => Promise<unknown>]>([
    ["reset", (of) => of.control("post", "state/reset")],
    ["import", async (of) => of.control("put", "state", (await of.control("get", "state")).body)],
    [
      "restore",
      async (of) => {
        await of.control("put", "snapshots/one");
        return of.control("post", "snapshots/one/restore");
      },
    ],
  ])("starts again with a %s, and reports it", async (why, replace) => {
    const { kept: before } = await got("history");
    await replace(world);
    const { items, kept } = await got("history");
    expect(items).toEqual([]);
    expect(kept.began).toEqual({ ...kept.from, why });
    expect(kept.began.seq).toBeGreaterThan(before.from.seq);
    const refused = await rewind(before.from.seq);
    expect(refused.body.code).toBe("MOMENT_NOT_KEPT");
  });
});

describe("GET /_sandbox/history/{id}", () => {
  it("lists the versions of a record field by field", async () => {
    const { body } = await book(world, "evt-noon");
    await done(world, "cancelBooking", { booking_id: body.id });
    const { id, collection, items } = await got(`history/${body.id}`);
    expect([id, collection]).toEqual([body.id, "bookings"]);
    expect(items.map(({ change }: { change: string }) => change)).toEqual(["created", "updated"]);
    expect(items[0].members).toEqual([{ path: "", after: items[0].members[0].after }]);
    const { status, event_id } = items[0].members[0].after;
    expect([status, event_id]).toEqual(["ACTIVE", "evt-noon"]);
    expect(items[1].members).toEqual([{ path: "status", before: "ACTIVE", after: "CANCELLED" }]);
    const sold = (await got("history/evt-noon")).items.slice(1);
    expect(sold.map(({ members }: { members: object[] }) => members)).toEqual([
      [
        { path: "capacity.reserved", before: 0, after: 1 },
        { path: "sold.var-adult", after: 1 },
      ],
      [
        { path: "capacity.reserved", before: 1, after: 0 },
        { path: "sold.var-adult", before: 1, after: 0 },
      ],
    ]);
  });

  it("shows no secret", async () => {
    const url = "http://127.0.0.1:9/hook";
    const made = await world.call("createWebhookSubscription", {
      body: { url, event_types: ["v1.booking.created"], state: "DISABLED", description: "x" },
    });
    expect(made.status).toBeLessThan(300);
    await world.control("post", `webhook-subscriptions/${made.body.id}/rotate-secret`, { overlap: "P1D" });
    await done(world, "createKey", { name: "k", scopes: [] }).catch(() => undefined);
    const text = JSON.stringify([
      await got(`history/${made.body.id}`),
      await got(`diff?from=${(await got("history")).kept.from.seq}`),
      await got("history?limit=1000"),
    ]);
    expect(text).not.toContain("whsec_");
    expect(text).toContain("[redacted]");
  });

  it("shows that an unchanged record exists, and that an unknown id does not", async () => {
    const other = await sandbox.world();
    const { kept } = await got("history", other);
    expect(await got("history/company", other)).toEqual({ id: "company", collection: "company", items: [], kept });
    expect(message(await world.control("get", "history/bkg-none"))).toMatch(
      /^404 NOT_FOUND Neither world w-.* has a record/,
    );
    expect(message(await world.control("get", "history/req-x-1"))).toMatch(/^404 .*is not a record/);
  });
});

describe("GET /_sandbox/diff", () => {
  it("compares two points in time in both directions, and omits records that are equal again", async () => {
    const from = await latest();
    const { body } = await book(world, "evt-noon");
    const to = await latest();
    const there = await got(`diff?from=${from.seq}&to=${to.seq}`);
    const { seq, at, wall_at } = from;
    expect(there.from).toEqual({ seq, at, wall_at, named: String(seq) });
    const made = [
      ...["updated events evt-noon", "created bookings it", "created tickets", "created orders", "created entries"],
      ...["created messages", "created messages", "updated counters counters"],
    ];
    const names = { [body.id]: "it" };
    expect(reported(there.changes, names)).toEqual(["created tokens [redacted]", ...made]);
    const back = await got(`diff?from=${to.seq}&to=${from.seq}`);
    expect(reported(back.changes, names)).toEqual(
      ["created tokens [redacted]", ...made].map((each) => each.replace("created", "removed")),
    );
    // What has a title has it also where it is gone.
    const titles = ({ changes }: Answered["body"]) =>
      changes.flatMap(({ title, timezone }: { title?: string; timezone?: string }) =>
        title === undefined ? [] : [[title, timezone]],
      );
    const ofBooking = ["Anna Holm · 2030-06-02 12:00 · Tour", "Europe/Copenhagen"];
    expect(titles(there)).toEqual([
      ...[["2030-06-02 12:00 · Tour", "Europe/Copenhagen"], ofBooking, ofBooking],
      ...[["1001 · DKK 250.00"], ["1 · SALE"], ["v1.booking.created"], ["v1.journal_entry.created"]].map((each) => [
        ...each,
        undefined,
      ]),
    ]);
    expect(titles(back)).toEqual(titles(there));
    // Up to the first of the two, and no further.
    const until = await got(`diff?from=${from.seq}&to=${from.seq}`);
    expect(until.changes).toEqual([]);
    await rewind(from.seq);
    expect((await got(`diff?from=${from.seq}`)).changes.map(({ id }: { id: string }) => id)).toEqual(["[redacted]"]);
  });
});

describe("Points in time", () => {
  it("have many names", async () => {
    const { body, headers } = await book(world, "evt-noon");
    const { seq } = (await got(`history?caused_by=${headers["sandbox-request-id"]}`)).items[0];
    await world.control("put", "snapshots/booked");
    const now = await advance(world, "PT1H");
    const named = async (text: string) => (await got(`diff?from=${encodeURIComponent(text)}`)).from.seq;
    expect(await named(headers["sandbox-request-id"] ?? "")).toBe(seq);
    expect(await named("booked")).toBe(seq);
    expect(await named("2030-06-01T09:00:00Z")).toBe(seq);
    expect(await named("2030-06-01T11:00:01+02:00")).toBe(seq);
    expect(await named("now")).toBe((await latest()).seq);
    expect(await named(now.now)).toBe((await latest()).seq);
    expect(body.id).toBeDefined();
  });

  it("named by a cause of several changes are after the last of them", async () => {
    const before = await latest();
    await advance(world, "P2D");
    const { id } = (await latest()).cause;
    const moved = (await got(`history?caused_by=${id}`)).items;
    expect([id.slice(0, 4), moved.length > 1]).toEqual(["clk-", true]);
    const { from, changes } = await got(`diff?from=${id}`);
    expect([from.seq > before.seq, from.seq, changes]).toEqual([true, moved.at(-1).seq, []]);
  });

  it("of a snapshot are deleted with it", async () => {
    await world.control("put", "snapshots/lunch");
    expect((await world.control("get", "diff?from=lunch")).status).toBe(200);
    await world.control("delete", "snapshots/lunch");
    expect(message(await world.control("get", "diff?from=lunch"))).toMatch(
      /^404 MOMENT_UNKNOWN lunch is not a point in time/,
    );
  });

  it.each(["now", "42", "req-a1b2c3-1", "act-a1b2c3-1", "clk-a1b2c3-1", "dlv_1"])(
    "are not hidden by a snapshot with the name %s",
    async (name) => {
      const refused = await world.control("put", `snapshots/${name}`);
      expect([refused.status, refused.body.message]).toEqual([
        400,
        expect.stringContaining(`${name} already names a point in time`),
      ]);
      expect((await world.control("get", `snapshots/${name}`)).status).toBe(404);
    },
  );

  it.each([
    [
      "5",
      /^409 MOMENT_NOT_KEPT 5 is not kept: the history of world .* begins with \d+, at 2030-06-01T09:00:00.000Z, since the world was created then\.$/,
    ],
    ["999999999", /^404 MOMENT_UNKNOWN 999999999 is not used yet/],
    ["2031-01-01T00:00:00Z", /^404 MOMENT_UNKNOWN It is 2030-06-01T09:00:00.000Z now, and .* is in the future\.$/],
    ["2029-01-01T00:00:00Z", /^409 MOMENT_NOT_KEPT/],
    ["req-abc-7", /^404 MOMENT_UNKNOWN req-abc-7 is not a point in time/],
    [
      "before-lunhc",
      /^404 MOMENT_UNKNOWN before-lunhc is not a point in time of world .* Did you mean before-lunch\? .*or now\.$/,
    ],
  ])("that are not retained are rejected with the retained ones: %s", async (to, words) => {
    await world.control("put", "snapshots/before-lunch");
    expect(message(await rewind(to))).toMatch(words);
    expect(message(await world.control("get", `diff?from=${encodeURIComponent(to)}`))).toMatch(words);
    expect(message(await world.control("post", `worlds/${world.id}/fork`, { at: to }))).toMatch(words);
  });

  it("that were dropped are rejected, with the option that retains more", async () => {
    const small = await openSandbox({ logBytes: 20_000 });
    const of = await smallWorld(small);
    for (let count = 0; count < 8; count++) await book(of, "evt-noon");
    const { items, kept } = await got("history", of);
    expect([items.length, items.length < 8, kept.bytes < 20_000]).toEqual([kept.commits, true, true]);
    expect([kept.dropped > 0, kept.from.seq < items[0].seq, kept.from.at]).toEqual([true, true, items[0].at]);
    expect(message(await rewind(kept.from.seq - 1, of))).toMatch(/no longer kept; raise the option `log-bytes`/);
    expect(message(await rewind("2030-06-01T08:00:00Z", of))).toMatch(/^409 MOMENT_NOT_KEPT/);
    await small.close();
  });

  it("are still available after the maximum number of changes", async () => {
    const small = await openSandbox({ logBytes: 120_000 });
    const of = await smallWorld(small);
    for (let count = 0; count < 4; count++) await book(of, "evt-noon");
    const { kept } = await got("history", of);
    const { undone } = (await rewind(kept.from.seq, of)).body;
    const { changes } = await got(`diff?from=${kept.from.seq}`, of);
    const collections = changes.map(({ collection }: { collection: string }) => collection);
    expect([undone, collections]).toEqual([kept.commits, ["counters", "tokens"]]);
    await small.close();
  });
});

describe("POST /_sandbox/rewind", () => {
  it("restores every record, and can be undone and redone", async () => {
    const before = await exported();
    const { seq, at, wall_at } = await latest();
    await book(world, "evt-noon", [ticket("var-adult", 3)]);
    await done(world, "cancelEvent", { event_id: "evt-noon" });
    await advance(world, "P2D");
    const after = await exported();
    const last = await latest();
    const undoneNow = (await got(`history?since=${seq}&limit=1000`)).items.length;
    const { changes } = await got(`diff?from=${seq}`);
    const isMessage = ({ collection }: StreamedCommit) => collection === "messages";
    const { body } = await rewind(seq);
    expect(body).toEqual({
      to: { seq, at, wall_at, named: String(seq) },
      now: ANCHOR,
      snapshot: "before-rewind",
      undone: undoneNow,
      undid: ["req", "act", "clk"].map((kind) => expect.stringMatching(`^${kind}-`)),
      records: changes.filter(({ collection }: StreamedCommit) => !["clock", "tokens"].includes(collection)).length,
      messages: changes.filter(isMessage).length,
      went_back: 1,
      undo: { to: last.seq },
    });
    expect([undoneNow, body.messages]).toEqual([6, 7]);
    expect(await exported()).toEqual(before);
    expect((await latest()).cause).toEqual({ kind: "world", id: "rewind" });
    const undone = await rewind(body.undo.to);
    expect(await exported()).toEqual(after);
    expect(undone.body.now).toBe("2030-06-03T09:00:00.000Z");
    // It brings messages back, and takes none.
    expect([undone.body.undone, undone.body.messages]).toEqual([1, 0]);
    await rewind(undone.body.undo.to);
    expect(await exported()).toEqual(before);
    await rewind(body.undo.to);
    await world.control("post", "snapshots/before-rewind/restore");
    expect(await exported()).toEqual(before);
  });

  it("changes nothing when it is repeated: the snapshot and its undo are those of the first", async () => {
    const { seq } = await latest();
    const { body: booked } = await book(world, "evt-noon");
    const first = await rewind(seq);
    const { items } = await got("history");
    const again = await rewind(seq);
    expect(again.body).toEqual({ ...first.body, undone: 0, undid: [], records: 0, messages: 0 });
    expect((await got("history")).items).toEqual(items);
    await world.control("post", "snapshots/before-rewind/restore");
    expect((await got(`records/bookings/${booked.id}`)).record.id).toBe(booked.id);
  });

  it("undoes no act that only created a key, adds no version of an unchanged record, and works again after a change", async () => {
    const { seq } = await latest();
    await done(world, "createKey", { name: "till", scopes: ["booking.read"] });
    const act = (await latest()).cause.id;
    const made = await book(world, "evt-noon");
    const forth = await latest();
    expect((await rewind(seq)).body.undid).not.toContain(act);
    await book(world, "evt-noon");
    await rewind(forth.seq);
    const { items } = await got(`history/${made.body.id}`);
    expect(items.filter(({ members }: { members: object[] }) => members.length === 0)).toEqual([]);
    await book(world, "evt-noon");
    expect((await rewind(forth.seq)).body.records).toBeGreaterThan(0);
  });

  it("keeps keys and tokens, so that a client can continue", async () => {
    const { seq } = await latest();
    const token = await world.token();
    const booked = await world.call("listBookings", { token });
    await rewind(seq);
    expect((await world.call("listBookings", { token })).status).toBe(booked.status);
    expect((await book(world, "evt-noon")).status).toBe(201);
  });

  it("keeps the subscription of the start, and counts only deleted messages", async () => {
    const subscribe = async (url: string) => {
      const body = { url, event_types: ["v1.booking.created"], state: "ENABLED", description: "x" };
      return (await world.call("createWebhookSubscription", { body })).body.id as string;
    };
    const urls = async () =>
      (await got("records/subscriptions")).items.map(({ record, url }: Answered["body"]) => url ?? record.url);
    const { seq } = await latest();
    const own = await subscribe("http://127.0.0.1:9/own");
    await world.control("post", `webhook-subscriptions/${own}/pin`);
    await subscribe("http://127.0.0.1:9/other");
    await rewind(seq);
    expect(await urls()).toEqual(["http://127.0.0.1:9/own"]);
  });

  it("lets a running clock continue from that instant", async () => {
    await world.control("put", "clock", { mode: "running" });
    const { seq, at } = await latest();
    await advance(world, "P1D");
    await pause(50);
    const began = performance.now();
    const { body } = await rewind(seq);
    // The time since that point has not passed in the world.
    expect(Date.parse(body.now) - Date.parse(at)).toBeLessThan(performance.now() - began + 20);
    expect((await got("clock")).mode).toBe("running");
    await world.control("put", "clock", { mode: "held" });
  });

  it("runs between 50 requests: each is before it or after it, and none is lost", async () => {
    const { seq } = await latest();
    const token = await world.token();
    const body = inputFor("evt-noon");
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, nth) =>
        nth === 20 ? rewind(seq) : world.call("createBooking", { token, body: { ...body } }),
      ),
    );
    expect(all.filter(({ status }) => status === 201).length).toBe(49);
    const { items } = await got("history?limit=1000");
    const at = items.findIndex(({ cause }: { cause: { id: string } }) => cause.id === "rewind");
    const isBooked = ({ facts }: Answered["body"]) =>
      facts.some(({ fact }: { fact: string }) => fact === "booking.created");
    const later = items.slice(at + 1).filter(isBooked);
    const { body: list } = await world.call("listBookings", { query: { limit: 100 } });
    expect(list.items).toHaveLength(later.length);
    expect((await exported()).events[0].sold["var-adult"] ?? 0).toBe(later.length);
  });
});

/** Subscribes a receiver to new bookings. `stop` closes it. */
async function subscribe(handle: RequestListener): Promise<{ stop(): void }> {
  const receiver = createServer(handle);
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const event_types = ["v1.booking.created"];
  await world.call("createWebhookSubscription", { body: { url, event_types, state: "ENABLED" } });
  return {
    stop() {
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}

it("Deliveries are counted under the changes that caused them, and a page is full without them", async () => {
  const receiver = await subscribe((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  const booked = [await book(world, "evt-noon"), await book(world, "evt-noon"), await book(world, "evt-noon")];
  const list = (query: string) => got(`history?${query}`);
  const kinds = ({ items }: Answered["body"]) => items.map(({ cause }: Answered["body"]) => cause.kind);
  await expect
    .poll(async () => kinds(await list("limit=100")).filter((kind: string) => kind === "delivery").length)
    .toBe(3);
  const { items } = await list("fold=true&limit=3");
  expect(items.map(({ cause, deliveries }: Answered["body"]) => [cause.id, deliveries])).toEqual(
    booked.map(({ headers }) => [headers["sandbox-request-id"], 1]),
  );
  expect(items[2].until).toEqual(pointOf(await latest()));
  const older = await list(`fold=true&limit=2&before=${items[1].seq}`);
  expect(older.items.at(-1)).toEqual(items[0]);
  receiver.stop();
});

describe("Deliveries in flight", () => {
  it("are dropped, and deliveries pending at that time are sent again with the same webhook-id", async () => {
    const received: string[] = [];
    const held: (() => void)[] = [];
    const receiver = await subscribe((request, response) => {
      received.push(String(request.headers["webhook-id"]));
      request.resume();
      held.push(() => response.writeHead(204).end());
    });
    await book(world, "evt-noon");
    const { seq } = await latest();
    await expect.poll(() => received.length).toBe(1);
    await book(world, "evt-noon");
    await expect.poll(() => received.length).toBe(2);
    await rewind(seq);
    await expect.poll(() => received.length).toBe(3);
    for (const answer of held) answer();
    const deliveries = async () => (await exported()).deliveries;
    await expect.poll(async () => (await deliveries())[0].state).toBe("DELIVERED");
    expect(received[2]).toBe(received[0]);
    expect((await deliveries()).map(({ attempts }: Answered["body"]) => attempts.length)).toEqual([1]);
    receiver.stop();
  });

  it("and a clock move that waits for one end before a rewind begins", async () => {
    const { seq } = await latest();
    const answers = await Promise.all([
      world.control("post", "clock/advance", { by: "P3D" }),
      rewind(seq),
      world.control("post", "clock/advance", { by: "PT1H" }),
    ]);
    expect(answers.map(({ status, body }) => `${status} ${body.now}`)).toEqual([
      "200 2030-06-04T09:00:00.000Z",
      "200 2030-06-01T09:00:00.000Z",
      "200 2030-06-01T10:00:00.000Z",
    ]);
  });
});

describe("POST /_sandbox/worlds/{worldId}/fork with a point in time", () => {
  it("copies the world at that time, and the history of the fork begins with the fork", async () => {
    const { seq } = await latest();
    await book(world, "evt-noon");
    await advance(world, "PT1H");
    const { status, body } = await world.control("post", `worlds/${world.id}/fork`, { count: 2, at: seq });
    expect(status).toBe(201);
    expect((await got("log")).items.at(-1).detail.at).toBe(ANCHOR);
    const [forked] = body.items;
    const history = await world.control("get", `history?world=${forked.id}`);
    expect(history.status).toBe(400);
    const there = (await (
      await fetch(`${sandbox.url}/_sandbox/history?world=${forked.id}`)
    ).json()) as Answered["body"];
    const { commits, dropped, began, from } = there.kept;
    expect([there.items, commits, dropped, began]).toEqual([[], 0, 0, { ...from, why: "fork" }]);
    const state = (await (await fetch(`${sandbox.url}/_sandbox/state?world=${forked.id}`)).json()) as Answered["body"];
    await rewind(seq);
    const own = await exported();
    const { identity, ...rest } = stood(state.collections);
    expect(rest).toEqual({ ...own, identity: undefined });
    expect(identity[0].seed).toMatch(/^7\/w-/);
  });
});
