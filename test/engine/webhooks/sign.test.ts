// The signature as receivers verify it: by libraries that others wrote, and by ten lines of our own.

import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { replaceSubscription } from "../../../src/engine/domain/company/subscription.ts";
import type { Subscription } from "../../../src/engine/domain/kernel/records.ts";
import {
  book,
  isGenuine,
  later,
  makeHouse,
  messagesOf,
  NOON,
  type Received,
  receive,
  SECRET,
  sendBookingTo,
  startDispatcher,
  subscribe,
} from "./kit.ts";

const OTHER = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
/** Books once and answers what the receiver got. */
async function deliver(assumed: Record<string, string>) {
  const receiver = await receive();
  sendBookingTo(receiver.url, undefined, makeHouse(assumed));
  await receiver.until(1);
  return receiver.got[0]!;
}

const headersOf = ({ headers }: Received) => headers as Record<string, string>;

describe("A signature", () => {
  it("is bare base64 of the decoded secret's HMAC", async () => {
    const got = await deliver({});
    expect(isGenuine(got)).toBe(true);
    expect(isGenuine({ ...got, body: `${got.body} ` })).toBe(false);
    expect(got.headers["webhook-signature"]).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });

  it("with v1 is verified by standardwebhooks", async () => {
    const got = await deliver({ "signature-text": "v1" });
    expect(new Webhook(SECRET).verify(got.body, headersOf(got))).toMatchObject({ type: "v1.booking.created" });
    expect(() => new Webhook(SECRET).verify(`${got.body} `, headersOf(got))).toThrow();
  });

  it("uses the secret's text as the key, under that assumption", async () => {
    const { headers, body } = await deliver({ "signature-key": "text" });
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    expect(headers["webhook-signature"]).toBe(createHmac("sha256", SECRET).update(signed).digest("base64"));
  });

  it("uses the world's clock, under that assumption", async () => {
    const { headers } = await deliver({ "webhook-timestamp": "world" });
    expect(headers["webhook-timestamp"]).toBe(String(Date.parse(NOON) / 1000));
  });
});

describe("After a rotation", () => {
  const rotated = async (assumed: Record<string, string>, overlap: string | undefined, at = NOON) => {
    const sandbox = makeHouse(assumed);
    const receiver = await receive();
    const dispatcher = startDispatcher(sandbox);
    const { id } = subscribe(sandbox, receiver.url, ["v1.booking.created"]);
    const messages = messagesOf(sandbox, dispatcher.wake, OTHER);
    const answer = messages.rotateSecret(sandbox.own, id, overlap);
    sandbox.at(at);
    sandbox.commit((tx) => book(tx));
    dispatcher.wake(sandbox.own);
    await receiver.until(1);
    return { answer, got: receiver.got[0]!, id };
  };

  it("the new secret signs at once, and the old one ends", async () => {
    const { answer, got, id } = await rotated({}, undefined);
    expect(answer).toEqual({ id, secret: OTHER, signing: "NEW" });
    expect(isGenuine(got, OTHER)).toBe(true);
  });

  it("both sign with v1 while they overlap", async () => {
    const { answer, got } = await rotated({ "signature-text": "v1" }, "PT1H");
    expect(answer).toMatchObject({ previous_valid_until: later(NOON, "PT1H"), signing: "BOTH_THEN_NEW" });
    for (const secret of [SECRET, OTHER]) expect(new Webhook(secret).verify(got.body, headersOf(got))).toBeTruthy();
  });

  it.each([
    ["the old one signs while they overlap", later(NOON, "PT59M59.999S"), SECRET],
    ["the new one from the end of the overlap", later(NOON, "PT1H"), OTHER],
  ])("in the bare form, which has space for one, %s", async (_, at, secret) => {
    const { answer, got } = await rotated({}, "PT1H", at);
    expect(answer).toMatchObject({ previous_valid_until: later(NOON, "PT1H"), signing: "PREVIOUS_THEN_NEW" });
    expect(isGenuine(got, secret)).toBe(true);
  });

  it.each<[string, (known: Subscription) => Partial<Subscription>]>([
    ["with another description", () => ({ description: "other" })],
    ["with the same content", () => ({})],
  ])("a subscription that is replaced %s keeps the overlap", async (_, change) => {
    const sandbox = makeHouse();
    const { id } = subscribe(sandbox, "http://127.0.0.1:1/", ["v1.booking.created"]);
    const messages = messagesOf(sandbox, undefined, OTHER);
    messages.rotateSecret(sandbox.own, id, "PT1H");
    const known = sandbox.own.copy().subscriptions.get(id)!;
    const { url, event_types, state } = known;
    const put = sandbox.commit((tx) => replaceSubscription(tx, known, { url, event_types, state, ...change(known) }));
    expect(put.previous_secret).toEqual({ secret: SECRET, valid_until: later(NOON, "PT1H") });
    expect(sandbox.own.copy().subscriptions.get(id)?.previous_secret).toEqual(put.previous_secret);
  });

  it("only the new one signs once the overlap has passed", async () => {
    const { got } = await rotated({ "signature-text": "v1" }, "PT1H", later(NOON, "PT1H"));
    expect(() => new Webhook(SECRET).verify(got.body, headersOf(got))).toThrow();
    expect(new Webhook(OTHER).verify(got.body, headersOf(got))).toBeTruthy();
  });

  it("an invalid overlap and an unknown subscription are rejected", async () => {
    await expect(rotated({}, "soon")).rejects.toThrow("soon is not a duration");
    const sandbox = makeHouse();
    const messages = messagesOf(sandbox, undefined, OTHER);
    expect(() => messages.rotateSecret(sandbox.own, "nobody", undefined)).toThrow(
      "There is no webhook subscription nobody",
    );
  });
});
