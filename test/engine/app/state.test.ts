// A whole world at once: out, in, back to its beginning, and kept under a name. What is damaged or foreign is refused.
import { describe, expect, it } from "vitest";
import type { World } from "../../../src/engine/world/state/world.ts";
import { ANCHOR, type Answered, shareSandbox, type TestWorld, worldOf } from "../../sandbox.ts";
import { ADULT, advance, allPages, book, done, guest, smallWorld } from "../operations/kit.ts";
import { receive } from "../webhooks/kit.ts";

const sandbox = shareSandbox();

type Body = Answered["body"];
const exported = async (world: TestWorld): Promise<Body> => (await world.control("get", "state")).body;
const put = (world: TestWorld, document: unknown) => world.control("put", "state", document as object);
const fact = (id: string) => ({ event_id: "evt-evening", id, customer: guest, items: [ADULT] });
const status = async (world: TestWorld, bookingId: string) =>
  (await world.call("getBooking", { path: { bookingId } })).status;
/** Everything but the name of the world. */
const contents = async (world: TestWorld) => JSON.stringify((await exported(world)).collections);
const withoutCauses = (text: string) => text.replaceAll(/"caused_by":"[^"]*"/g, '"caused_by":""');

describe("an exported world", () => {
  it("is one document with its records, and without credentials", async () => {
    const world = await sandbox.world();
    await world.token();
    const document = await exported(world);
    expect(document).toMatchObject({
      format: "experience-sandbox world",
      version: 1,
      world: world.id,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(Object.keys(document.collections)).not.toEqual(expect.arrayContaining(["keys"]));
    expect(Object.keys(document.collections)).not.toEqual(expect.arrayContaining(["tokens"]));
    expect(JSON.stringify(document)).not.toContain(world.clientSecret);
    expect(document.collections.bookings.length).toBeGreaterThan(80);
  });

  it("can be imported unchanged, into another world too", async () => {
    const [from, to] = [await sandbox.world(), await smallWorld(sandbox)];
    await book(from, "evt-evening");
    await advance(from, "P3D");
    const document = await exported(from);
    const answer = await put(to, document);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ id: to.id, now: "2030-06-04T09:00:00.000Z", fixture: "harbour-tours" });
    expect(await contents(to)).toBe(JSON.stringify(document.collections));
    expect((await exported(to)).checksum).toBe(document.checksum);
  });

  it("continues like the original: the same acts have the same results", async () => {
    const [one, two] = [await sandbox.world(), await smallWorld(sandbox)];
    await put(two, await exported(one));
    for (const world of [one, two]) {
      await done(world, "bookAsHost", fact("bkg-new"));
      await advance(world, "P5D");
    }
    expect(withoutCauses(await contents(two))).toBe(withoutCauses(await contents(one)));
  });

  it("keeps the credentials and tokens of the target world", async () => {
    const world = await sandbox.world();
    const token = await world.token();
    await put(world, await exported(await smallWorld(sandbox)));
    expect((await world.call("getMe", { token })).body.company_id).toBe("cmp-empty");
    expect((await world.call("getMe", { token: await world.token() })).status).toBe(200);
  });

  it("activates no subscription with a public host", async () => {
    const from = await smallWorld(sandbox);
    const create = (url: string) =>
      from.call("createWebhookSubscription", { body: { url, event_types: ["v1.booking.created"], state: "ENABLED" } });
    const [near, far] = [
      (await create("http://127.0.0.1:9/")).body,
      (await create("https://hooks.production.com/")).body,
    ];
    const to = await smallWorld(sandbox);
    const { body } = await put(to, await exported(from));
    expect(body.warnings).toHaveLength(1);
    expect(body.warnings[0]).toContain(far.id);
    const { items } = (await to.call("listWebhookSubscriptions")).body;
    expect(Object.fromEntries(items.map(({ id, state }: Body) => [id, state]))).toEqual({
      [near.id]: "ENABLED",
      [far.id]: "DISABLED",
    });
  });
});

describe("an imported world", () => {
  it("does not report a subscription with a public host that is already disabled", async () => {
    const from = await smallWorld(sandbox);
    const body = { url: "https://hooks.production.com/", event_types: ["v1.booking.created"], state: "DISABLED" };
    await from.call("createWebhookSubscription", { body });
    const answer = await put(await smallWorld(sandbox), await exported(from));
    expect([answer.status, answer.body.warnings]).toEqual([200, undefined]);
  });

  it.each<[string, (world: TestWorld) => Promise<unknown>]>([
    ["is reset", (world) => world.control("post", "state/reset")],
    ["is imported", async (world) => put(world, await exported(world))],
    [
      "is restored",
      async (world) => {
        await world.control("put", "snapshots/here");
        return world.control("post", "snapshots/here/restore");
      },
    ],
  ])("has the keys that it had, and no others, when it %s", async (_, replace) => {
    const world = await sandbox.world();
    const credentials = async () => (await world.control("get", `worlds/${world.id}/credentials`)).body.items;
    const before = await credentials();
    await replace(world);
    expect(await credentials()).toEqual(before);
  });
});

describe("a document with a duplicate field is rejected", () => {
  it.each([
    ["in its head", /^\{/, '{"world":"other",', "body.world"],
    ["as a collection", /"collections":\{/, '$&"locations":[],', "body.collections.locations"],
    ["in a record", /"bookings":\[\{/, '$&"status":"ACTIVE",', "body.collections.bookings.0.status"],
    ["within a record", /"mode":"held"/, '$&,"mode":"held"', "body.collections.clock.0.mode"],
    [
      "after a long text",
      /"mode":"held"/,
      `$&,"a":"${"\\n".repeat(5e6)}","mode":"held"`,
      "body.collections.clock.0.mode",
    ],
  ])("%s", async (_, pattern, replacement, path) => {
    const world = await sandbox.world();
    const { checksum: __, ...before } = await exported(world);
    const text = JSON.stringify(before).replace(pattern, replacement);
    const response = await fetch(`${sandbox.url}/_sandbox/state?world=${world.id}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: text,
    });
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      400,
      expect.stringContaining(`${path}: the document has it twice.`),
    ]);
    expect(await exported(world)).toMatchObject(before);
  });
});

describe("a document is rejected", () => {
  const { parse, stringify } = JSON;
  const edit =
    (collections: object) =>
    ({ checksum: _, ...document }: Body) => ({
      ...document,
      collections: { ...document.collections, ...collections },
    });
  const changes: [string, (document: Body) => unknown, string][] = [
    ["that is empty", () => ({}), "body"],
    ["of another program", (d) => ({ ...d, format: "localstack" }), "body.format"],
    ["of another version", (d) => ({ ...d, version: 2 }), "body.version"],
    ["without collections", ({ collections: _, ...d }) => d, "collections"],
    ["with collections that are none", (d) => ({ ...d, collections: 7 }), "collections"],
    [
      "with a booking changed",
      (d) => ({ ...d, collections: { ...d.collections, bookings: d.collections.bookings.slice(1) } }),
      "body.checksum",
    ],
    ["with a wrong checksum", (d) => ({ ...d, checksum: "0".repeat(64) }), "body.checksum"],
    ["without a company", edit({ company: undefined }), "company"],
    ["without a clock", edit({ clock: [] }), "clock"],
    ["with an unknown collection", edit({ pirates: [] }), "pirates"],
    ["with keys of its own", edit({ keys: [{ id: "mine", secret: "known", scopes: ["openid"] }] }), "keys"],
    ["with tokens of its own", edit({ tokens: [] }), "tokens"],
    ["with a record without an id", edit({ orders: [{}] }), "orders.0"],
    ["with a booking that is not whole", edit({ bookings: [{ id: "bkg-half" }] }), "bookings.0"],
  ];
  it.each(changes)("%s", async (_, change, telling) => {
    const world = await sandbox.world();
    const before = await exported(world);
    const answer = await put(world, change(parse(stringify(before))));
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.message).toContain(telling);
    expect(await exported(world)).toEqual(before);
    expect((await book(world, "evt-evening")).status).toBe(201);
  });

  it("that was truncated, or is not JSON", async () => {
    const world = await sandbox.world();
    const text = stringify(await exported(world));
    for (const body of [text.slice(0, -100), text.slice(100), "not json", ""]) {
      const answer = await fetch(`${sandbox.url}/_sandbox/state`, {
        method: "PUT",
        headers: { "content-type": "application/json", "sandbox-world": world.id },
        body,
      });
      expect(answer.status).toBe(400);
    }
    expect(stringify(await exported(world)) === text).toBe(true);
  });
});

describe("a world", () => {
  it("is reset to its beginning, and keeps its id, its keys and its tokens", async () => {
    const world = await sandbox.world({ seed: 9 });
    const [beginning, token] = [await contents(world), await world.token()];
    const made = await book(world, "evt-evening");
    await advance(world, "P1M");
    const answer = await world.control("post", "state/reset");
    expect([answer.status, answer.body.id, answer.body.now]).toEqual([200, world.id, ANCHOR]);
    // But for the number that gives the next messages other ids than those of before.
    expect((await contents(world)).replace(',"went_back":1}', "}")).toBe(beginning);
    expect((await world.call("getMe", { token })).status).toBe(200);
    expect(await status(world, made.body.id)).toBe(404);
    expect((await book(world, "evt-evening")).body.id).toBe(made.body.id);
  });

  it("is saved under names, listed, and restored", async () => {
    const world = await sandbox.world();
    const save = (name: string) => world.control("put", `snapshots/${name}`);
    await save("before");
    await done(world, "bookAsHost", fact("bkg-new"));
    await advance(world, "P1D");
    expect((await save("after")).body).toMatchObject({
      name: "after",
      now: "2030-06-02T09:00:00.000Z",
      counts: { bookings: expect.any(Number) },
    });
    expect((await world.control("get", "snapshots")).body.items.map(({ name }: Body) => name).sort()).toEqual([
      "after",
      "before",
    ]);
    expect((await world.control("post", "snapshots/before/restore")).body.now).toBe(ANCHOR);
    expect(await status(world, "bkg-new")).toBe(404);
    const [identity] = (await world.control("get", "state")).body.collections.identity;
    expect(identity, "when it was saved in real time is no part of the world").not.toHaveProperty("saved");
    await world.control("post", "snapshots/after/restore");
    expect(await status(world, "bkg-new")).toBe(200);
    expect((await world.control("delete", "snapshots/before")).status).toBe(204);
    for (const [method, path] of [
      ["get", "snapshots/before"],
      ["delete", "snapshots/before"],
      ["post", "snapshots/before/restore"],
    ] as const)
      expect((await world.control(method, path)).status).toBe(404);
  });

  it("can be restored repeatedly with the same result", async () => {
    const world = await smallWorld(sandbox);
    await world.control("put", "snapshots/here");
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      await world.control("post", "snapshots/here/restore");
      ids.push((await book(world, "evt-noon")).body.id);
    }
    expect(new Set(ids).size).toBe(1);
  });

  it("is forked into independent worlds with keys of their own and disabled subscriptions", async () => {
    const world = await smallWorld(sandbox);
    await world.call("createWebhookSubscription", {
      body: { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "ENABLED" },
    });
    const { status: made, body } = await world.control("post", `worlds/${world.id}/fork`, { count: 3 });
    expect([made, body.items.length]).toEqual([201, 3]);
    const forks = body.items.map((each: Body) =>
      worldOf(sandbox.url, each.id, each.client_id, each.client_secret),
    ) as TestWorld[];
    const ids = await Promise.all([world, ...forks].map(async (each) => (await book(each, "evt-noon")).body.id));
    expect(new Set(ids).size).toBe(4);
    for (const each of [world, ...forks]) expect((await allPages(each, "listBookings")).items).toHaveLength(1);
    for (const each of forks)
      expect((await each.call("listWebhookSubscriptions")).body.items[0].state).toBe("DISABLED");
    expect((await world.call("getMe", { token: (await forks[0]?.token()) ?? null })).body.company_id).toBe("cmp-empty");
  });

  it("is forked without revoked keys and without pending deliveries", async () => {
    const world = await smallWorld(sandbox);
    await world.call("createWebhookSubscription", {
      body: { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "ENABLED" },
    });
    await done(world, "createKey", { name: "Kept", scopes: ["openid"] });
    const revoked = await done(world, "createKey", { name: "Revoked", scopes: ["openid"] });
    await done(world, "revokeKey", { client_id: revoked.client_id ?? revoked.id });
    await book(world, "evt-noon");
    const [fork] = (await world.control("post", `worlds/${world.id}/fork`)).body.items;
    const copy = worldOf(sandbox.url, fork.id, fork.client_id, fork.client_secret);
    const names = (await copy.control("get", `worlds/${fork.id}/credentials`)).body.items.map(({ name }: Body) => name);
    expect(names.sort()).toEqual(["Integration", "Kept"]);
    const states = async (each: TestWorld) =>
      (await each.control("get", "messages")).body.items.flatMap(({ deliveries }: Body) =>
        deliveries.map(({ state }: Body) => state),
      );
    expect([await states(world), await states(copy)]).toEqual([["PENDING"], ["DROPPED"]]);
  });

  it("that is reset during a clock move rejects the move with a request to retry", async () => {
    const silent = await receive(() => undefined);
    const world = await smallWorld(sandbox);
    await world.call("createWebhookSubscription", {
      body: { url: silent.url, event_types: ["v1.booking.created"], state: "ENABLED" },
    });
    await book(world, "evt-noon");
    await silent.until(1);
    const { clock, states, worlds } = sandbox.running.application;
    const own = worlds.get(world.id) as World;
    const moved = clock.set(own, { to: () => "2030-06-02T09:00:00.000Z" });
    await new Promise(setImmediate);
    states.reset(own);
    await expect(moved).rejects.toMatchObject({
      code: "WORLD_WAS_RESET",
      status: 409,
      message: `World ${world.id} was reset while this request was running. Send it again.`,
    });
  });

  it("that is deleted loses its tokens too", async () => {
    const world = await sandbox.world();
    const token = await world.token();
    expect((await world.control("delete", `worlds/${world.id}`)).status).toBe(204);
    expect((await world.call("getMe", { token })).status).toBe(401);
    expect((await world.act("createEvent", {})).status).toBe(400);
    expect((await world.act("unlockEvent", { event_id: "evt-locked" })).status).toBe(404);
    expect((await world.control("get", "state")).status).toBe(404);
  });
});
