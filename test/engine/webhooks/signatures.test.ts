// A signature explained, and compared with what a receiver's code computed: each common mistake is made here by hand, from what the
// receiver got and its secret, and has to be recognised.
import { createHash, createHmac } from "node:crypto";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { shareSandbox, shareWorld } from "../../sandbox.ts";
import { done } from "../operations/kit.ts";
import { openReceiver, type Receiver } from "./kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
const world = shareWorld(sandbox, { fixture: "empty" });
let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
  return receiver.close;
});

interface Got {
  secret: string;
  /** Of the subscription. */
  subscription: string;
  message: string;
  id: string;
  timestamp: string;
  body: string;
  header: string;
}

/** A message as its receiver got it, and the secret that the receiver was given. */
async function deliver(on = world, body: object = {}): Promise<Got> {
  const kind = "v1.marketing_consent.created";
  const wanted = { url: receiver.url, event_types: [kind], state: "ENABLED" };
  for (const { id } of (await on.call("listWebhookSubscriptions")).body.items)
    await on.call("deleteWebhookSubscription", { path: { subscriptionId: id } });
  const { id: subscription, secret } = (await on.call("createWebhookSubscription", { body: wanted })).body;
  const before = receiver.got.length;
  await done(on, "submitConsent", { full_name: "Anna", email: "anna@example.com", source: "checkout", ...body });
  await receiver.until(before + 1);
  const got = receiver.got[before] as NonNullable<(typeof receiver.got)[number]>;
  const header = (name: string) => String(got.headers[name]);
  const id = header("webhook-id");
  await vi.waitFor(
    async () => expect((await on.control("get", `messages/${id}/signature`)).body.attempt).toBe(1),
    30_000,
  );
  return {
    secret,
    subscription,
    message: id,
    id,
    body: got.body,
    timestamp: header("webhook-timestamp"),
    header: header("webhook-signature"),
  };
}

const bare = ({ secret }: Got) => secret.slice("whsec_".length);
const keyOf = (got: Got) => Buffer.from(bare(got), "base64");
const textOf = ({ id, timestamp, body }: Got) => `${id}.${timestamp}.${body}`;
const hmac = (key: Buffer | string, text: string, algorithm = "sha256") => createHmac(algorithm, key).update(text);
const base64 = (key: Buffer | string, text: string) => hmac(key, text).digest("base64");

const check = async (got: Pick<Got, "message">, sent: object, on = world) => {
  const { status, body } = await on.control("post", `messages/${got.message}/signature/check`, sent);
  expect([status, body.message]).toEqual([200, undefined]);
  return body;
};
const names = ({ mistakes }: { mistakes: { mistake: string }[] }) => mistakes.map(({ mistake }) => mistake);

it("A delayed resend is due after its delay, and an invalid delay is rejected", async () => {
  const other = await sandbox.world({ fixture: "empty" });
  const got = await deliver(other);
  const late = await other.control("post", `messages/${got.message}/resend`, { delay: "PT10M" });
  expect(late.body.deliveries).toMatchObject([{ state: "PENDING", next_attempt_at: "2030-06-01T09:10:00.000Z" }]);
  expect((await other.control("get", "clock/due?limit=1")).body.items).toMatchObject([{ what: "delivery" }]);
  const before = receiver.got.length;
  await other.control("post", "clock/advance", { by: "PT10M" });
  expect(receiver.got.slice(before).map(({ headers }) => headers["webhook-id"])).toEqual([got.id]);
  const refused = await other.control("post", `messages/${got.message}/resend`, { delay: "soon" });
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining("body.delay")]);
});

describe("A signature is explained", () => {
  it("by its text, time and key, without the secret", async () => {
    const got = await deliver();
    const { status, body, text } = await world.control("get", `messages/${got.message}/signature`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      subscription_id: got.subscription,
      attempt: 1,
      webhook_id: got.id,
      timestamp: got.timestamp,
      signed_text: textOf(got),
      body: got.body,
      key_fingerprint: createHash("sha256").update(keyOf(got)).digest("hex").slice(0, 16),
      signature: base64(keyOf(got), textOf(got)),
      header: got.header,
      notes: [],
    });
    expect(body.steps.join("\n")).toContain(base64(keyOf(got), textOf(got)));
    expect(text).not.toContain(bare(got));
  });

  it("after a modification, with a note about it", async () => {
    for (const [tamper, note] of [
      ["body", /altered the body after signing/],
      ["signature", /signed another text/],
      ["timestamp", /signed a timestamp that is an hour old/],
    ] as const) {
      const first = await deliver();
      const before = receiver.got.length;
      await world.control("post", `messages/${first.message}/resend`, { tamper });
      await receiver.until(before + 1);
      const { headers, body: sent } = receiver.got[before] as NonNullable<(typeof receiver.got)[number]>;
      await expect
        .poll(async () => (await world.control("get", `messages/${first.message}/signature`)).body.attempt)
        .toBe(2);
      const { body } = await world.control("get", `messages/${first.message}/signature`);
      expect([body.body, body.timestamp, body.header]).toEqual([
        sent,
        headers["webhook-timestamp"],
        headers["webhook-signature"],
      ]);
      expect(base64(keyOf(first), body.signed_text)).toBe(body.signature);
      expect(body.notes).toEqual([expect.stringMatching(note)]);
      const right = base64(keyOf(first), `${body.webhook_id}.${body.timestamp}.${sent}`);
      expect(await check(first, { computed: right })).toMatchObject({
        right: true,
        advice: expect.stringMatching(/must reject it/),
      });
      expect((await world.control("get", `messages/${first.message}/signature?attempt=1`)).body.notes).toEqual([]);
    }
  });

  it("but not for a message without a delivery", async () => {
    const other = await sandbox.world({ fixture: "empty" });
    const kind = "v1.marketing_consent.created";
    const wanted = { url: receiver.url, event_types: [kind], state: "ENABLED" };
    const { id } = (await other.call("createWebhookSubscription", { body: wanted })).body;
    await other.call("replaceWebhookSubscription", {
      path: { subscriptionId: id },
      body: { ...wanted, state: "DISABLED" },
    });
    await done(other, "submitConsent", { full_name: "Anna", email: "anna@example.com", source: "checkout" });
    const [message] = (await other.control("get", "messages")).body.items;
    const { status, body } = await other.control("get", `messages/${message.id}/signature`);
    expect([status, body.message]).toEqual([404, expect.stringContaining("no delivery of this message")]);
  });

  it("after the secret was rotated, with a note that it can't be reproduced", async () => {
    const got = await deliver();
    await world.control("post", `webhook-subscriptions/${got.subscription}/rotate-secret`);
    const { body } = await world.control("get", `messages/${got.message}/signature`);
    expect(body.header).toBe(got.header);
    expect(body.notes).toEqual([
      expect.stringContaining("The secret, or the assumption signature-key, was changed since"),
    ]);
    expect(await check(got, { computed: got.header })).toEqual({
      right: true,
      mistakes: [],
      signed_text: expect.any(String),
      advice: expect.stringMatching(
        /^Correct\. .* The secret, or the assumption signature-key, was changed since this attempt\./,
      ),
    });
    expect(await check(got, { computed: base64("another", textOf(got)) })).toEqual({
      right: false,
      mistakes: [],
      signed_text: expect.any(String),
      advice: expect.stringMatching(
        /^No common mistake .* The secret, or the assumption signature-key, was changed since this attempt\./,
      ),
    });
  });

  it.each(["?delivery=nobody", "?attempt=9"])("but not for %s", async (query) => {
    const got = await deliver();
    expect((await world.control("get", `messages/${got.message}/signature${query}`)).status).toBe(404);
    expect((await world.control("get", `messages/nobody/signature${query}`)).status).toBe(404);
  });
});

const toPython = (body: string) => body.replaceAll('":', '": ').replaceAll(',"', ', "');

const known: [mistake: string, computed: (got: Got) => string][] = [
  ["key-with-prefix", (got) => base64(got.secret, textOf(got))],
  ["key-not-decoded", (got) => base64(bare(got), textOf(got))],
  ["id-missing", (got) => base64(keyOf(got), `${got.timestamp}.${got.body}`)],
  ["body-alone", (got) => base64(keyOf(got), got.body)],
  ["body-written-again", (got) => base64(keyOf(got), textOf({ ...got, body: toPython(got.body) }))],
  [
    "body-written-again",
    (got) => base64(keyOf(got), textOf({ ...got, body: JSON.stringify(JSON.parse(got.body), null, 2) })),
  ],
  ["hex", (got) => hmac(keyOf(got), textOf(got)).digest("hex")],
  ["hex", (got) => hmac(keyOf(got), textOf(got)).digest("hex").toUpperCase()],
  ["version-prefix", (got) => `v1,${base64(keyOf(got), textOf(got))}`],
];

describe("A computed signature", () => {
  let got: Got;
  beforeAll(async () => {
    // One in four signatures is the same in both alphabets of base64.
    do got = await deliver();
    while (!/[+/]/.test(base64(keyOf(got), textOf(got))));
  });

  it("is accepted if it is right, with quotes and spaces around it too", async () => {
    const right = base64(keyOf(got), textOf(got));
    for (const computed of [right, ` ${right}\n`, `"${right}"`])
      expect(await check(got, { computed })).toEqual({
        right: true,
        mistakes: [],
        signed_text: textOf(got),
        advice: expect.stringMatching(/constant time/),
      });
  });

  it.each(known)("is recognised as %s", async (mistake, computed) => {
    const answer = await check(got, { computed: computed(got) });
    expect([answer.right, names(answer)]).toEqual([false, [mistake]]);
    expect(answer.mistakes[0]).toEqual({
      mistake,
      what: expect.stringMatching(/^Your code .+\.$/),
      fix: expect.stringMatching(/\.$/),
    });
    expect(JSON.stringify(answer)).not.toContain(bare(got));
    expect(JSON.stringify(answer)).not.toContain(base64(keyOf(got), textOf(got)));
  });

  it("with the secret of another subscription is recognised as such", async () => {
    const wanted = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "ENABLED" };
    const { id, secret } = (await world.call("createWebhookSubscription", { body: wanted })).body;
    const computed = base64(Buffer.from(secret.slice(6), "base64"), textOf(got));
    const { mistakes } = await check(got, { computed });
    expect(mistakes).toMatchObject([{ mistake: "other-secret" }]);
    await world.call("deleteWebhookSubscription", { path: { subscriptionId: id } });
  });

  it("without a common mistake gets the text to sign", async () => {
    const answer = await check(got, { computed: base64("something", "else") });
    expect(answer).toEqual({
      right: false,
      mistakes: [],
      signed_text: textOf(got),
      advice: expect.stringMatching(/^No common mistake leads to this signature\. Compare the text/),
    });
  });
});

describe("In a world with other assumptions", () => {
  it("the versioned form accepts one signature of several, with its version or without", async () => {
    const other = await sandbox.world({ fixture: "empty" });
    await other.control("put", "assumptions", { "signature-text": "v1" });
    const got = await deliver(other);
    const rotated = await other.control("post", `webhook-subscriptions/${got.subscription}/rotate-secret`, {
      overlap: "P1D",
    });
    const before = receiver.got.length;
    await other.control("post", `messages/${got.message}/resend`);
    await receiver.until(before + 1);
    await expect
      .poll(async () => (await other.control("get", `messages/${got.message}/signature`)).body.attempt)
      .toBe(2);
    const { timestamp, header } = (await other.control("get", `messages/${got.message}/signature`)).body;
    expect(header).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [got.secret, rotated.body.secret]) {
      const right = base64(keyOf({ ...got, secret }), textOf({ ...got, timestamp }));
      for (const computed of [right, `v1,${right}`])
        expect(await check(got, { computed }, other)).toMatchObject({ right: true, mistakes: [] });
    }
  });

  it("the text of the secret is the key, and decoding it is the mistake", async () => {
    const other = await sandbox.world({ fixture: "empty" });
    await other.control("put", "assumptions", { "signature-key": "text", "webhook-timestamp": "world" });
    const got = await deliver(other);
    expect(got.header).toBe(base64(got.secret, textOf(got)));
    expect(await check(got, { computed: got.header }, other)).toMatchObject({ right: true });
    expect(names(await check(got, { computed: base64(keyOf(got), textOf(got)) }, other))).toEqual(["key-decoded"]);
  });
});
