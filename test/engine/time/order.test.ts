// In which order things happen when a clock is moved: by instant; at one instant what is due in the records before deliveries, and
// among those by when they came to be, then by kind, then by id.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Instant } from "../../../src/engine/domain/kernel/instant.ts";
import { type LocalServer, startLocalServer } from "../../local-server.ts";
import { type Answered, openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";
import { done, kroner, smallWorld, tour } from "../operations/kit.ts";

type Body = Answered["body"];
const at = (second: number): Instant => `2030-06-01T09:00:${String(second).padStart(2, "0")}.000Z`;

describe("Through the control API", () => {
  let sandbox: TestSandbox;
  let failing: LocalServer;
  beforeAll(async () => {
    sandbox = await openSandbox();
    failing = await startLocalServer(
      (request, response) => void request.resume().on("end", () => response.writeHead(500).end()),
    );
  });
  afterAll(async () => {
    await sandbox.close();
    failing.close();
  });

  const next = async (world: TestWorld) => (await world.control("post", "clock/advance", { to: "next" })).body;
  const lines = (receipt: Body[]) => receipt.map(({ what, id }) => `${what} ${id}`.replace(/ dlv_.*/, ""));

  it("next is a retry or a record, whichever is sooner", async () => {
    const world = await smallWorld(sandbox);
    const { url } = failing;
    await world.call("createWebhookSubscription", {
      body: { url, event_types: ["v1.marketing_consent.created"], state: "ENABLED" },
    });
    await done(world, "submitConsent", { email: "a@example.com", full_name: "A" });
    await expect
      .poll(async () => (await world.control("get", "messages")).body.items.at(-1).deliveries[0].attempts.length)
      .toBe(1);
    const card = (id: string, second: number) =>
      done(world, "issueGiftCard", { id, initial_value: kroner(1), expires_at: at(second) });
    await Promise.all([card("before", 3), card("with", 5), card("behind", 7)]);
    const forecast = async (second: number) =>
      (await world.control("post", "clock/advance", { until: at(second), dry_run: true })).body.counts;
    expect([await forecast(4), await forecast(5)]).toEqual([
      { due: 1, deliveries: 0 },
      { due: 2, deliveries: 1 },
    ]);
    const seen = [];
    for (let step = 0; step < 3; step++) {
      const { now, receipt } = await next(world);
      seen.push([now, ...lines(receipt)]);
    }
    expect(seen).toEqual([
      [at(3), "giftCardExpired before"],
      [at(5), "giftCardExpired with", "deliveryAttempted"],
      [at(7), "giftCardExpired behind"],
    ]);
  });

  it("due work of one instant is done in order of creation, then of kind, then of id", async () => {
    const world = await smallWorld(sandbox);
    const ends = "2030-06-02T12:00:00.000Z";
    const card = (id: string) => done(world, "issueGiftCard", { id, initial_value: kroner(1), expires_at: ends });
    for (const id of ["x", "a"]) await card(id);
    await world.control("post", "clock/advance", { by: "PT1M" });
    for (const id of ["0", "9"]) await card(id);
    await tour(world, "evt-later", "2030-06-02T12:00:00", "2030-06-02T14:00:00");
    expect(lines((await next(world)).receipt)).toEqual([
      "eventCompleted evt-noon",
      "giftCardExpired a",
      "giftCardExpired x",
      "eventCompleted evt-later",
      "giftCardExpired 0",
      "giftCardExpired 9",
    ]);
  });
});
