// Resending on purpose: to one subscription, in copies, altered. The receiver sees what a careful one has to refuse.
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { deleteSubscription } from "../../../src/engine/domain/company/subscription.ts";
import { eventually, isGenuine, later, NOON, type Receiver, receive, sendBookingTo, subscribe } from "./kit.ts";

/** One message that was delivered once to a receiver that answers as it is told. */
async function delivered(statusOf: (index: number) => number = () => 204) {
  const receiver: Receiver = await receive((response, index) => void response.writeHead(statusOf(index)).end());
  const { sandbox, messages } = sendBookingTo(receiver.url, 5000);
  await eventually(() => sandbox.attempts.length === 1);
  return { sandbox, receiver, messages, id: sandbox.messages()[0]!.id };
}

describe("A resent message", () => {
  it("in copies arrives that many times, whatever the response, and its state is that of the last", async () => {
    const { sandbox, receiver, messages, id } = await delivered((index) => (index === 3 ? 500 : 204));
    expect(messages.resend(sandbox.own, id, { copies: 3 })?.deliveries[0]?.state).toBe("PENDING");
    await eventually(() => sandbox.attempts.length === 4);
    expect(receiver.got.map(({ headers }) => headers["webhook-id"])).toEqual([id, id, id, id]);
    expect(receiver.got.every((each) => isGenuine(each))).toBe(true);
    const [delivery] = sandbox.deliveries();
    expect(delivery).toMatchObject({ state: "DELIVERED", tries: 1 });
    expect(delivery).not.toHaveProperty("resend");
  });

  it("during its first attempt is sent in all copies besides that attempt", async () => {
    let answerFirst = () => {};
    const receiver = await receive((response, index) => {
      if (index === 1) answerFirst = () => void response.writeHead(204).end();
      else response.writeHead(204).end();
    });
    const { sandbox, messages } = sendBookingTo(receiver.url, 50_000);
    await receiver.until(1);
    messages.resend(sandbox.own, sandbox.messages()[0]!.id, { copies: 2 });
    answerFirst();
    await eventually(() => sandbox.deliveries()[0]?.state === "DELIVERED");
    expect(receiver.got).toHaveLength(3);
    expect(sandbox.attempts).toHaveLength(3);
  });

  it.each(["body", "signature"] as const)(
    "with a modified %s does not match its signature, but the retry does",
    async (tamper) => {
      const { sandbox, receiver, messages, id } = await delivered((index) => (index === 2 ? 401 : 204));
      messages.resend(sandbox.own, id, { tamper });
      await eventually(() => sandbox.attempts.length === 2);
      expect(isGenuine(receiver.got[1]!)).toBe(false);
      expect(JSON.parse(receiver.got[1]!.body)).toMatchObject({ type: "v1.booking.created" });
      const view = messages.find(sandbox.own, id)?.deliveries[0];
      expect(view?.attempts[1]).toMatchObject({
        tamper,
        outcome: "REFUSED",
        request: { body: receiver.got[1]!.body },
      });
      expect(view?.next_attempt_at).toBe(later(NOON, "PT5S"));
    },
  );

  it("with a modified timestamp is an hour old and signed, as in a replay", async () => {
    const { sandbox, receiver, messages, id } = await delivered();
    messages.resend(sandbox.own, id, { tamper: "timestamp" });
    await eventually(() => sandbox.attempts.length === 2);
    const { headers, body } = receiver.got[1]!;
    const sent = headers["webhook-timestamp"];
    const signed = createHmac("sha256", Buffer.alloc(32, 7)).update(`${id}.${sent}.${body}`).digest("base64");
    expect(headers["webhook-signature"]).toBe(signed);
    expect(Number(sent)).toBeLessThan(Number(receiver.got[0]!.headers["webhook-timestamp"]) - 3500);
  });

  it.each(["body", undefined] as const)(
    "without a subscription, because it was deleted, is rejected (altered: %s)",
    async (tamper) => {
      const { sandbox, receiver, messages, id } = await delivered();
      sandbox.commit((tx) => {
        for (const subscription of [...tx.subscriptions.walk("created")]) deleteSubscription(tx, subscription);
      });
      subscribe(sandbox, receiver.url, ["v1.booking.created"]);
      expect(() => messages.resend(sandbox.own, id, { ...(tamper ? { tamper } : {}) })).toThrow(
        `Nothing was sent: of the webhook subscriptions that message ${id} is for, none is ENABLED.`,
      );
      expect(sandbox.deliveries().map(({ state }) => state)).toEqual(["DELIVERED"]);
    },
  );

  it("to one subscription is not sent to others, even if it did not match the subscription", async () => {
    const { sandbox, messages, id } = await delivered();
    const other = await receive((response) => void response.writeHead(204).end());
    const { id: to } = subscribe(sandbox, other.url, ["v1.event.created"]);
    messages.resend(sandbox.own, id, { subscription_id: to });
    await eventually(() => sandbox.attempts.length === 2);
    expect(other.got).toHaveLength(1);
    expect(() => messages.resend(sandbox.own, id, { subscription_id: "nobody" })).toThrow(/nobody/);
  });
});
