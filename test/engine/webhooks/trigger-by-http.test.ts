// Every kind can be made to happen in the world that a sandbox begins with, one after another and in any of its worlds.
import { afterAll, beforeAll, expect, it } from "vitest";
import { EVENT_KINDS } from "../../../src/engine/domain/kernel/kinds.ts";
import { openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const trigger = (world: TestWorld, kind: string, set = {}) => world.control("post", "trigger", { kind, set });
const sent = async (world: TestWorld, kind: string) =>
  (await world.control("get", `messages?kind=${kind}`)).body.items.length as number;

it("triggers all fourteen kinds, forwards and backwards", async () => {
  for (const kinds of [EVENT_KINDS, EVENT_KINDS.toReversed()]) {
    const world = await sandbox.world();
    for (const kind of kinds) {
      const before = await sent(world, kind);
      const { status, body, text } = await trigger(world, kind);
      expect([kind, status], text).toEqual([kind, 200]);
      expect(body.facts.length).toBeGreaterThan(0);
      expect(await sent(world, kind)).toBeGreaterThan(before);
    }
  }
});

it("each reports the name of its record", async () => {
  const world = await sandbox.world();
  const titles: Record<string, unknown> = {};
  for (const kind of EVENT_KINDS) {
    const { body } = await trigger(world, kind);
    const { about } = (await world.control("get", `messages?kind=${kind}`)).body.items.at(-1);
    expect(body.facts.map(({ id }: { id: string }) => id)).toContain(about.id);
    titles[kind] = [about.collection, typeof about.title];
  }
  const of = (noun: string, collection: string) =>
    EVENT_KINDS.filter((kind) => kind.startsWith(`v1.${noun}.`)).map((kind) => [kind, [collection, "string"]]);
  expect(titles).toEqual(
    Object.fromEntries([
      ...of("event", "events"),
      ...of("experience", "experiences"),
      ...of("booking", "bookings"),
      ...of("journal_entry", "entries"),
      ...of("marketing_consent", "consents"),
    ]),
  );
});

it("v1.event.completed moves the clock to the end of the named or the next event", async () => {
  const world = await sandbox.world();
  const { body } = await trigger(world, "v1.event.completed", { event_id: "evt-evening" });
  expect([body.result.id, body.result.state]).toEqual(["evt-evening", "COMPLETED"]);
  expect(body.facts).toContainEqual({ fact: "event.completed", id: "evt-evening" });
  const { now } = (await world.control("get", "clock")).body;
  expect(now).toBe("2030-06-01T18:30:00.000Z");
  const again = await trigger(world, "v1.event.completed", { event_id: "evt-evening" });
  expect([again.status, (await world.control("get", "clock")).body.now]).toEqual([409, now]);
  expect((await trigger(world, "v1.event.completed", { capacity: 3 })).status).toBe(400);
});
