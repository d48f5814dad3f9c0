// What falls due is listed in the order in which a move of the clock does it, page by page, and without trying the move.
import { describe, expect, it } from "vitest";
import { anna, renewWorld, shareSandbox, type TestWorld } from "../../../sandbox.ts";
import { book, done, kroner, smallWorld, ticket, tour } from "../../operations/kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });

interface Due {
  at: string;
  what: string;
  id: string;
}

async function dueOf(query = ""): Promise<Due[]> {
  const items: Due[] = [];
  let cursor = "";
  do {
    const { status, body } = await world.control("get", `clock/due?${query}${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    expect(body.more).toBe(body.next !== undefined);
    items.push(...body.items);
    cursor = body.next ?? "";
  } while (cursor !== "");
  return items;
}

/** Everything of a world that can be due, some of it at one instant. */
async function busyWorld(): Promise<TestWorld> {
  const world = await smallWorld(sandbox);
  for (const id of ["b", "a", "c"]) await tour(world, `evt-${id}`, "2030-06-03T12:00:00", "2030-06-03T14:00:00");
  const card = { initial_value: kroner(10000), expires_at: "2030-06-03T12:00:00Z" };
  for (const code of ["AAAA", "BBBB"]) await done(world, "issueGiftCard", { ...card, code });
  await done(world, "startCheckout", { event_id: "evt-noon", items: [ticket("var-adult")], customer: anna });
  const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "ENABLED" };
  await world.call("createWebhookSubscription", { body });
  await book(world, "evt-noon");
  return world;
}

const world = renewWorld(busyWorld);

describe("The list of due work", () => {
  it("equals a dry run of the clock, in the same order, including deliveries", async () => {
    const all = await dueOf();
    const { receipt } = (await world.control("post", "clock/advance", { by: "P5Y", dry_run: true })).body;
    const tried = receipt.map(({ at, what, id }: Due) => ({ at, what, id }));
    const rows = all.map(({ at, what, id }) => ({ at, what, id }));
    expect(rows.filter(({ what }) => what !== "delivery")).toEqual(
      tried.filter((row: Due) => all.some(({ id }) => id === row.id)),
    );
    expect(new Set(all.map(({ what }) => what))).toEqual(
      new Set(["checkoutLapsed", "documentAttached", "delivery", "eventCompleted", "giftCardExpired"]),
    );
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted());
  });

  it("uses the local time of an event's location", async () => {
    const [first] = (await dueOf()).filter(({ id }) => id === "evt-a");
    expect(first).toEqual({
      at: "2030-06-03T12:00:00.000Z",
      what: "eventCompleted",
      id: "evt-a",
      title: "2030-06-03 12:00 · Tour",
      local_time: "2030-06-03T14:00:00",
      timezone: "Europe/Copenhagen",
    });
  });

  it("is the same in pages of any size", async () => {
    const all = await dueOf();
    for (const limit of [1, 2, 3, 5]) expect(await dueOf(`limit=${limit}`)).toEqual(all);
  });

  it("ends at an instant, inclusively", async () => {
    const all = await dueOf();
    const until = "2030-06-02T12:00:00Z";
    const wanted = all.filter(({ at }) => at <= "2030-06-02T12:00:00.000Z");
    expect(wanted.length).toBeLessThan(all.length);
    expect(await dueOf(`until=${until}&limit=2`)).toEqual(wanted);
    expect(await dueOf("until=2030-06-01T08:00:00Z")).toEqual([]);
    expect((await world.control("get", "clock/due?until=tomorrow")).status).toBe(400);
    expect((await world.control("get", "clock/due?cursor=tomorrow")).status).toBe(400);
  });
});

it("A dry run counts like the move itself: due work, and each webhook once", async () => {
  const event_types = ["v1.booking.updated", "v1.journal_entry.document_attached", "v1.journal_entry.created"];
  await world.call("createWebhookSubscription", {
    body: { url: "http://127.0.0.1:9/more", event_types, state: "ENABLED" },
  });
  const by = { by: "P3D" };
  const dry = (await world.control("post", "clock/advance", { ...by, dry_run: true })).body;
  const real = (await world.control("post", "clock/advance", by)).body;
  expect(dry.counts).toEqual(real.counts);
  expect(dry.counts.due).toBe(dry.receipt.length);
  expect(dry.counts.deliveries).toBeGreaterThan(1);
  // Each was tried again and again, since nobody took it.
  expect(real.receipt.length).toBeGreaterThan(real.counts.due + real.counts.deliveries);
});
