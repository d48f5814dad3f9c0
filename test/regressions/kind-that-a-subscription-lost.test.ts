// A kind that was removed from a subscription by PUT was still retried. Assumption: subscription-put.
import { expect, it, vi } from "vitest";
import { type Received, receive } from "../engine/webhooks/kit.ts";
import { shareSandbox } from "../sandbox.ts";

const sandbox = shareSandbox();

it("drops the pending deliveries of that kind, and of no other", async () => {
  const receiver = await receive((response) => void response.writeHead(503).end());
  const world = await sandbox.world();
  const wanted = {
    url: receiver.url,
    event_types: ["v1.marketing_consent.created", "v1.event.updated"],
    state: "ENABLED",
  };
  const { id } = (await world.call("createWebhookSubscription", { body: wanted })).body;
  await world.act("submitConsent", { full_name: "Bo", email: "bo@example.com", source: "checkout" });
  await world.control("post", "trigger", { kind: "v1.event.updated" });
  const states = async () => {
    const { items } = (await world.control("get", "messages")).body as {
      items: { kind: string; deliveries: { state: string; attempts: unknown[] }[] }[];
    };
    return Object.fromEntries(
      items
        .filter(({ deliveries }) => deliveries.length > 0)
        .map(({ kind, deliveries: [delivery] }) => [kind, [delivery?.state, delivery?.attempts.length]]),
    );
  };
  await vi.waitFor(async () =>
    expect(await states()).toEqual({
      "v1.marketing_consent.created": ["PENDING", 1],
      "v1.event.updated": ["PENDING", 1],
    }),
  );
  const body = { ...wanted, event_types: ["v1.event.updated"] };
  expect((await world.call("replaceWebhookSubscription", { path: { subscriptionId: id }, body })).status).toBe(200);
  const kindOf = ({ body: text }: Received) => JSON.parse(text).type as string;
  const before = receiver.got.length;
  await world.control("post", "clock/advance", { by: "PT5S" });
  expect(await states()).toEqual({
    "v1.marketing_consent.created": ["DROPPED", 1],
    "v1.event.updated": ["PENDING", 2],
  });
  expect(receiver.got.slice(before).map(kindOf)).toEqual(["v1.event.updated"]);
});
