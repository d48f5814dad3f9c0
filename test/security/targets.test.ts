// Where webhooks never go, however the address is written: link-local addresses, and by them the metadata of clouds.

import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { createControl } from "../../src/client/create-control.ts";
import { openRelay } from "../../src/client/relay.ts";
import { explainTarget } from "../../src/engine/domain/company/subscription.ts";
import { ask } from "../ask.ts";
import { startSandboxCommand } from "../cli/run-sandbox.ts";
import { openSandbox, shareSandbox, shareWorld } from "../sandbox.ts";

const sandbox = shareSandbox({ fixture: "empty" });
const world = shareWorld(sandbox, { fixture: "empty" });

const METADATA = [
  "http://169.254.169.254/latest/meta-data",
  "http://169.254.169.254./",
  "http://%31%36%39.254.169.254/",
  "http://0xa9fea9fe/",
  "http://0251.0376.0251.0376/",
  "http://169.16689662/",
  "http://2852039166/",
  "http://[::ffff:169.254.169.254]/",
  "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
  "http://[::169.254.169.254]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[64:ff9b:1::a9fe:a9fe]/",
  "http://[::ffff:0:169.254.169.254]/",
  "http://[2002:a9fe:a9fe::1]/",
  "http://[fe80::1]/",
  "http://[FEBF::1]/",
  "http://[fd00:0ec2:0:0:0:0:0:254]/",
  "http://metadata.google.internal/",
  "http://METADATA.google.internal./",
  "http://metadata/",
  "https://169.254.170.2/v2/credentials",
  "http://100.100.100.200/latest/meta-data",
  "http://192.0.0.192/latest",
  "http://168.63.129.16/metadata",
  "http://0xa83f8110/",
  "http://[fd20:ce::254]/",
  "http://[fd20:00ce:0:0::0254]/",
  "http://[::ffff:100.100.100.200]/",
  "http://[::192.0.0.192]/",
  "http://[::ffff:0:168.63.129.16]/",
  "http://[64:ff9b::6464:64c8]/",
  "http://[64:ff9b:1::c000:c0]/",
  "http://[2002:a83f:8110::1]/",
  "http://[2002:a9fe::]/",
  "http://[::ffff:169.254.0.0]/",
];

const enabled = (url: string) => ({ url, event_types: ["v1.booking.created"], state: "ENABLED" });

it.each(METADATA)("A subscription can't name %s", async (url) => {
  const { status, body } = await world.call("createWebhookSubscription", { body: enabled(url) });
  expect([status, body.message]).toEqual([400, expect.stringMatching(/^body\.url.*never sent to/)]);
});

it("neither can a replacement", async () => {
  const made = await world.call("createWebhookSubscription", { body: enabled("http://127.0.0.1:9/") });
  const path = { subscriptionId: made.body.id };
  const { status } = await world.call("replaceWebhookSubscription", { path, body: enabled(METADATA[0] as string) });
  expect(status).toBe(400);
});

it("--webhook-url can't either, and the sandbox does not start", async () => {
  await expect(openSandbox({ fixture: "empty", webhookUrl: METADATA[0] as string })).rejects.toThrow(/never sent to/);
});

describe("A URL of more than 2,048 characters", () => {
  const url = (length: number) => `http://127.0.0.1:9/${"a".repeat(length - 19)}`;

  it("is rejected when a subscription is created or replaced, and nothing is stored", async () => {
    const made = await world.call("createWebhookSubscription", { body: enabled(url(2048)) });
    expect([made.status, made.body.url.length]).toEqual([201, 2048]);
    const before = (await world.call("listWebhookSubscriptions")).body;
    for (const length of [2049, 900_000]) {
      const body = enabled(url(length));
      const created = await world.call("createWebhookSubscription", { body });
      const path = { subscriptionId: made.body.id };
      const replaced = await world.call("replaceWebhookSubscription", { path, body });
      for (const {
        status,
        body: { message },
      } of [created, replaced])
        expect([status, message.length < 300, message]).toEqual([
          400,
          true,
          expect.stringMatching(/^body\.url must have at most 2,?048 characters/),
        ]);
    }
    expect((await world.call("listWebhookSubscriptions")).body).toEqual(before);
  });

  it("is rejected for a new world and at the start", async () => {
    await expect(sandbox.world({ fixture: "empty", webhook_url: url(2049) })).rejects.toThrow(
      "at most 2048 are allowed",
    );
    const started = openSandbox({ fixture: "empty", webhookUrl: url(2049) });
    await expect(started).rejects.toThrow("the URL has 2049 characters");
  });
});

describe("The control API gets no delivery, and the delivery shows the reason:", () => {
  it.each([
    "/_sandbox/state/reset",
    "/_sandbox/clock/advance?by=P1D",
    "//_sandbox/state/reset",
    "/%5Fsandbox/state/reset",
    "/mounted/_sandbox/state/reset",
    "/_sandbox",
  ])("%s", async (path) => {
    const own = await sandbox.world({ fixture: "empty" });
    const body = { ...enabled(`${sandbox.url}${path}`), event_types: ["v1.marketing_consent.created"] };
    expect((await own.call("createWebhookSubscription", { body })).status).toBe(201);
    await own.act("submitConsent", { full_name: "Bo", email: "bo@example.com", source: "checkout" });
    await vi.waitFor(async () => {
      const { items } = (await own.control("get", "messages")).body;
      expect(items[0]?.deliveries).toMatchObject([
        {
          state: "GIVEN_UP",
          attempts: [{ outcome: "BLOCKED", answer: null, error: expect.stringContaining("control API of a sandbox") }],
        },
      ]);
    }, 30_000);
    expect((await own.call("listWebhookSubscriptions")).body.items).toHaveLength(1);
  });

  it("a relay does not get it either", async () => {
    const own = await sandbox.world({ fixture: "empty" });
    const handed: string[] = [];
    const relay = await openRelay(createControl({ url: sandbox.url }, own.id), ({ url }) => {
      handed.push(url);
      return {
        sent: Promise.resolve(),
        report: Promise.resolve({ outcome: "UNREACHABLE", answer: null, duration_ms: 1 }),
      };
    });
    const urls = [`${sandbox.url}/_sandbox/state/reset`, "http://127.0.0.1:9/hook"];
    for (const url of urls)
      await own.call("createWebhookSubscription", {
        body: { ...enabled(url), event_types: ["v1.marketing_consent.created"] },
      });
    await own.act("submitConsent", { full_name: "Bo", email: "bo@example.com", source: "checkout" });
    await vi.waitFor(async () => {
      const { items } = (await own.control("get", "messages")).body;
      const outcomes = items[0]?.deliveries.map(
        (each: { attempts: { outcome: string }[] }) => each.attempts[0]?.outcome,
      );
      expect(outcomes?.sort()).toEqual(["BLOCKED", "UNREACHABLE"]);
    }, 30_000);
    expect(handed).toEqual([urls[1]]);
    relay.close();
  });
});

it("--webhook-url can't name port 0", async () => {
  const url = "http://127.0.0.1:0/hooks";
  await expect(openSandbox({ fixture: "empty", webhookUrl: url })).rejects.toThrow(
    /webhookUrl can't be used: nothing can listen on port 0/,
  );
});

it.each(["http://①⑥⑨.254.169.254/", "http://169。254。169。254/"])("nor %s, in any spelling of a URL", async (url) => {
  expect(explainTarget(url)).toContain("never sent to");
  expect((await world.call("createWebhookSubscription", { body: enabled(url) })).status).toBe(400);
});

it("An address that is only similar is accepted", async () => {
  const near = ["http://169.253.1.1/", "http://fe8.example/", "http://[fec0::1]/", "http://[2002:a9ff::1]/"];
  const next = ["http://100.100.100.201/", "http://[fd20:ce::253]/", "http://[::1]/", "http://[2002::1]/"];
  for (const url of [...near, ...next, "http://169.254.example/"])
    expect([url, (await world.call("createWebhookSubscription", { body: enabled(url) })).status]).toEqual([url, 201]);
});

it("A name is resolved when a message is sent, and rejected if it is one of these addresses", async () => {
  const preload = fileURLToPath(new URL("resolver.cjs", import.meta.url));
  const hook = "http://169-254-169-254.rebound.test/latest";
  const words = ["start", "--memory", "--fixture", "empty", "--port", "0", "--json", "--webhook-url", hook];
  const server = startSandboxCommand(words, { NODE_OPTIONS: `--require=${JSON.stringify(preload)}` });
  const { url } = JSON.parse(await server.shows("}\n"));
  await ask("post", `${url}/_sandbox/acts/submitConsent`, {}, { full_name: "Bo", email: "bo@example.com" });
  await vi.waitFor(
    async () => {
      const { items } = (await ask("get", `${url}/_sandbox/messages`)).body;
      expect(items[0]?.deliveries).toMatchObject([{ state: "GIVEN_UP", attempts: [{ outcome: "BLOCKED" }] }]);
    },
    { timeout: 60_000 },
  );
  expect((await server.stop()).code).toBe(0);
});
