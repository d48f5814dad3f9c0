// Faults of deliveries, as a receiver sees them: each in the log, bounded, and of one world.
import { beforeEach, describe, expect, it } from "vitest";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";
import { isGenuine, type Received, type Receiver, receive } from "./kit.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const sandbox = shareSandbox({ retry: "fast" });
let world: TestWorld;
let receiver: Receiver;
let secret: string;
let answer: number;

beforeEach(async () => {
  world = await sandbox.world();
  answer = 204;
  receiver = await receive((response) => void response.writeHead(answer).end());
  const body = { url: receiver.url, event_types: ["v1.booking.created", "v1.booking.updated"], state: "ENABLED" };
  secret = (await world.call("createWebhookSubscription", { body })).body.secret;
});

const arm = (delivery: object, more: object = {}) =>
  world.control("put", "faults", { faults: [{ delivery, times: 1, ...more }] });
const trigger = (kind = "v1.booking.created") => world.control("post", "trigger", { kind });
const log = async () => (await world.control("get", "log?kinds=delivery")).body.items;
const reported = async () =>
  (await log()).map(({ faults }: { faults: { did: string }[] }) => faults.map(({ did }) => did).join());
const genuine = () => receiver.got.map((each) => isGenuine(each, secret));
const parsed = ({ body }: Received) => JSON.parse(body);
async function count(times: number): Promise<void> {
  while ((await log()).length < times) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("Another message is sent first, and then the original:", () => {
  it.each([
    ["altered", "first sent a copy whose body is not the one that was signed"],
    ["wrong_secret", "first sent a copy that is signed with another secret"],
    ["stale_timestamp", "first sent a copy that is an hour old"],
    ["missing_header", "first sent a copy without webhook-signature"],
  ])("%s, which a careful receiver rejects", async (what, did) => {
    await arm({ do: what });
    answer = 401;
    await trigger();
    await receiver.until(1);
    answer = 204;
    await count(2);
    expect(genuine()).toEqual([false, true]);
    expect(await reported()).toEqual([did, ""]);
    const [first, second] = receiver.got as [Received, Received];
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    const [message] = (await world.control("get", "messages")).body.items;
    const [delivery] = message.deliveries;
    expect(delivery.state).toBe("DELIVERED");
    expect(delivery.attempts[0]).toMatchObject({ fault: { did }, request: { body: first.body } });
  });

  it("one of an unknown kind, with a valid signature and an id of its own", async () => {
    await arm({ do: "unknown_kind" });
    await trigger();
    await count(2);
    expect(genuine()).toEqual([true, true]);
    const [first, second] = receiver.got as [Received, Received];
    expect(parsed(first)).toMatchObject({ type: "v1.booking.sandbox_unknown", id: expect.stringMatching(UUID) });
    expect(parsed(first).id).not.toBe(parsed(second).id);
    expect(parsed(second).type).toBe("v1.booking.created");
    expect(second.headers["webhook-id"]).not.toBe(first.headers["webhook-id"]);
  });
});

describe("A message", () => {
  it("is dropped, and sent after a resend", async () => {
    await arm({ do: "drop", kind: "v1.booking.created" });
    await trigger();
    await count(1);
    await trigger("v1.booking.updated");
    await count(2);
    expect(receiver.got.map((each) => parsed(each).type)).toEqual(["v1.booking.updated"]);
    expect(await reported()).toEqual(["did not send it", ""]);
    const [dropped] = (await world.control("get", "messages?kind=v1.booking.created")).body.items;
    expect(dropped.deliveries[0]).toMatchObject({ state: "DROPPED", attempts: [{ outcome: "DROPPED" }] });
    await world.control("post", `messages/${dropped.id}/resend`, {});
    await count(3);
    expect(receiver.got).toHaveLength(2);
  });

  it("is sent twice with one id", async () => {
    await arm({ do: "duplicate" });
    await trigger();
    await count(2);
    const [first, second] = receiver.got as [Received, Received];
    expect([second.headers["webhook-id"], second.body]).toEqual([first.headers["webhook-id"], first.body]);
    expect(genuine()).toEqual([true, true]);
    expect(await reported()).toEqual(["sent it twice", ""]);
  });

  it("is sent after the next one about the same record, as the clock moves", async () => {
    await arm({ do: "reorder", late_ms: 600_000 });
    await trigger();
    await trigger();
    const [held, other] = (await world.control("get", "messages")).body.items;
    const update = async ({ body }: { body: { payload: { booking_id: string } } }) => {
      await world.control("post", "clock/advance", { for: "PT1H" });
      const { booking_id } = body.payload;
      await world.control("post", "trigger", { kind: "v1.booking.updated", set: { booking_id } });
    };
    await update(other);
    await update(held);
    await count(4);
    const order = receiver.got.map((each) => [parsed(each).type, parsed(each).payload.booking_id]);
    const [first, second] = [held, other].map(({ body }) => body.payload.booking_id);
    expect(order).toEqual([
      ["v1.booking.created", second],
      ["v1.booking.updated", second],
      ["v1.booking.updated", first],
      ["v1.booking.created", first],
    ]);
    expect(await reported()).toEqual(["", "", "", "sent it after the next message about the same record"]);
  });

  it("is sent as soon as the fault that delays it is cleared by its name", async () => {
    await arm({ do: "late", late_ms: 600_000 }, { name: "an hour late" });
    await trigger();
    await world.control("post", "faults", { delivery: { do: "late", late_ms: 600_000 }, name: "for good", times: 1 });
    await trigger("v1.booking.updated");
    await world.control("delete", "faults?name=an%20hour%20late");
    await count(1);
    expect(receiver.got.map((each) => parsed(each).type)).toEqual(["v1.booking.created"]);
    await world.control("delete", "faults?name=for%20good");
    await count(2);
    expect(receiver.got.map((each) => parsed(each).type)).toEqual(["v1.booking.created", "v1.booking.updated"]);
  });

  it("is sent late, after others", async () => {
    await arm({ do: "late", late_ms: 150 });
    await trigger();
    await trigger("v1.booking.updated");
    await count(2);
    expect(receiver.got.map((each) => parsed(each).type)).toEqual(["v1.booking.updated", "v1.booking.created"]);
    expect(await reported()).toEqual(["", "sent it 150 ms late"]);
  });

  it("has unknown fields in each object and a valid signature, and is stored unchanged", async () => {
    await arm({ do: "unknown_members" });
    await trigger();
    await count(1);
    const sent = parsed(receiver.got[0]!);
    expect([sent.sandbox_unknown, sent.payload.sandbox_unknown]).toEqual([expect.anything(), expect.anything()]);
    expect(genuine()).toEqual([true]);
    const [message] = (await world.control("get", "messages")).body.items;
    expect(message.body).not.toHaveProperty("sandbox_unknown");
  });

  it("is the same in another JSON layout, with a valid signature", async () => {
    await arm({ do: "rewritten" });
    await trigger();
    await count(1);
    const [message] = (await world.control("get", "messages")).body.items;
    const sent = parsed(receiver.got[0]!);
    expect([genuine(), sent]).toEqual([[true], message.body]);
    expect(Object.keys(sent)).toEqual(Object.keys(message.body).reverse());
    expect(receiver.got[0]?.body).toContain("v1\\u002ebooking");
  });
});

it("A fault hits messages of its kind in its world, as often as specified, after the skipped ones", async () => {
  await arm({ do: "drop", kind: "v1.booking.created" }, { skip: 1, name: "lost on the way" });
  const other = await sandbox.world();
  await other.control("post", "trigger", { kind: "v1.booking.created" });
  for (const kind of ["v1.booking.created", "v1.booking.updated", "v1.booking.created", "v1.booking.created"])
    await trigger(kind);
  await count(4);
  expect(receiver.got.map((each) => parsed(each).type)).toHaveLength(3);
  const { faults } = (await world.control("get", "faults")).body;
  expect(faults).toMatchObject([{ name: "lost on the way", hits: 1, left: 0 }]);
  const dropped = (await log()).filter((entry: { faults: object[] }) => entry.faults.length > 0);
  expect(dropped).toMatchObject([{ faults: [{ name: "lost on the way", did: "did not send it" }] }]);
});
