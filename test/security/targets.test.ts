// Where webhooks never go, however the address is written: link-local addresses, and by them the metadata of clouds.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openHouse, type TestHouse, type TestWorld } from "../house.ts";

let house: TestHouse;
let world: TestWorld;
beforeAll(async () => {
  house = await openHouse({ fixture: "empty" });
  world = await house.world({ fixture: "empty" });
});
afterAll(() => house.close());

const METADATA = [
  "http://169.254.169.254/latest/meta-data",
  "http://169.254.169.254./",
  "http://0xa9fea9fe/",
  "http://0251.0376.0251.0376/",
  "http://169.16689662/",
  "http://2852039166/",
  "http://[::ffff:169.254.169.254]/",
  "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
  "http://[::169.254.169.254]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[fe80::1]/",
  "http://[FEBF::1]/",
  "http://[fd00:0ec2:0:0:0:0:0:254]/",
  "http://metadata.google.internal/",
  "http://METADATA.google.internal./",
  "http://metadata/",
  "https://169.254.170.2/v2/credentials",
];

const enabled = (url: string) => ({ url, event_types: ["v1.booking.created"], state: "ENABLED" });

it.each(METADATA)("A subscription can't name %s", async (url) => {
  const { status, body } = await world.call("createWebhookSubscription", { body: enabled(url) });
  expect([status, body.message]).toEqual([400, expect.stringMatching(/^body\.url.*never sent to/)]);
});

it("neither can one that is replaced", async () => {
  const made = await world.call("createWebhookSubscription", { body: enabled("http://127.0.0.1:9/") });
  const path = { subscriptionId: made.body.id };
  const { status } = await world.call("replaceWebhookSubscription", { path, body: enabled(METADATA[0] as string) });
  expect(status).toBe(400);
});

it("--webhook-url can't either, and the sandbox does not start", async () => {
  await expect(openHouse({ fixture: "empty", webhookUrl: METADATA[0] as string })).rejects.toThrow(/never sent to/);
});
