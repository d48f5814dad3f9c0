// Messages as a person sees and moves them: shown, sent again, given up, cleared; and how many are kept.
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, it } from "vitest";
import control from "../../../src/contract/generated/control.json" with { type: "json" };
import { MAX_STORED_MESSAGES } from "../../../src/engine/webhooks/deliveries.ts";
import { book, eventually, later, makeHouse, messagesOf, NOON, receive, startDispatcher, subscribe } from "./kit.ts";

async function failingOnce(failures = 1) {
  const sandbox = makeHouse();
  const receiver = await receive((response, index) => void response.writeHead(index <= failures ? 500 : 200).end());
  const dispatcher = startDispatcher(sandbox, 500);
  const { id } = subscribe(sandbox, receiver.url, ["v1.booking.created"]);
  const messages = messagesOf(sandbox, dispatcher.wake);
  sandbox.commit((tx) => book(tx), "req-7");
  await eventually(() => sandbox.attempts.length === 1);
  return {
    sandbox,
    receiver,
    dispatcher,
    messages,
    subscription: id,
    list: () => messages.list(sandbox.own, {}).items,
    first: sandbox.messages()[0]!.id,
  };
}

it("A message is shown with its parsed body and every attempt, as in the control specification", async () => {
  const { messages, sandbox, first, subscription, receiver } = await failingOnce();
  const view = messages.find(sandbox.own, first)!;
  expect(view).toMatchObject({
    id: first,
    kind: "v1.booking.created",
    caused_by: "req-7",
    body: { type: "v1.booking.created" },
  });
  expect(view.deliveries).toEqual([
    {
      id: expect.any(String),
      subscription_id: subscription,
      url: receiver.url,
      state: "PENDING",
      next_attempt_at: later(NOON, "PT5S"),
      attempts: [
        expect.objectContaining({
          outcome: "REFUSED",
          request: { headers: expect.objectContaining({ "webhook-id": first }), body: receiver.got[0]!.body },
        }),
      ],
    },
  ]);
  const ajv = new Ajv2020({ strict: false, schemas: [{ ...control, $id: "control" } as object] });
  (formats as unknown as { default: typeof formats.default }).default(ajv);
  const validate = ajv.getSchema("control#/components/schemas/Message");
  expect([validate?.(view), validate?.errors]).toEqual([true, null]);
  expect(messages.find(sandbox.own, "nobody")).toBeUndefined();
});

it("A message without a subscription is sent to new subscriptions of its kind", async () => {
  const sandbox = makeHouse();
  const messages = messagesOf(sandbox);
  sandbox.commit((tx) => book(tx));
  const { id, created_at } = sandbox.messages()[0]!;
  expect(sandbox.deliveries()).toEqual([]);
  subscribe(sandbox, "http://127.0.0.1:1/", ["v1.event.created"]);
  expect(() => messages.resend(sandbox.own, id)).toThrow(`message ${id} is for, none is ENABLED`);
  subscribe(sandbox, "http://127.0.0.1:2/", ["v1.booking.created"]);
  expect(messages.resend(sandbox.own, id)?.deliveries).toMatchObject([
    { url: "http://127.0.0.1:2/", state: "PENDING" },
  ]);
  const resendSince = (since: string) => messages.resendSelected(sandbox.own, { since }).length;
  expect([created_at, later(created_at, "PT1S")].map(resendSince)).toEqual([1, 0]);
});

it("A message is given up, and failed messages are resent", async () => {
  const { messages, sandbox, first, receiver } = await failingOnce();
  const resendFailed = (failed_since: string) => messages.resendSelected(sandbox.own, { failed_since });
  sandbox.at(later(NOON, "PT2S"));
  expect(messages.endPendingDeliveries(sandbox.own, first)?.deliveries).toMatchObject([{ state: "GIVEN_UP" }]);
  expect(resendFailed(later(NOON, "PT3S"))).toEqual([]);
  expect(resendFailed("2030-06-01T13:00:02+01:00").map(({ id }) => id)).toEqual([first]);
  await receiver.until(2);
  await eventually(() => sandbox.deliveries()[0]!.state === "DELIVERED");
  expect(resendFailed(NOON)).toEqual([]);
});

it("lists the latest messages and counts the others", () => {
  const sandbox = makeHouse();
  subscribe(sandbox, "http://127.0.0.1:1/", ["v1.booking.created"]);
  for (let count = 0; count < 20; count++) sandbox.commit((tx) => book(tx));
  const messages = messagesOf(sandbox);
  const ids = sandbox.messages().map(({ id }) => id);
  const list = (wanted: object) => {
    const { items, more } = messages.list(sandbox.own, wanted);
    return [items.map(({ id }) => id), more];
  };
  for (const wanted of [{}, { kind: "v1.booking.created" }])
    expect(list({ ...wanted, limit: 3 })).toEqual([ids.slice(-3), 17]);
  expect(list({ state: "pending", limit: 3 })).toEqual([ids.slice(-3), 17]);
  expect(list({ kind: "v1.event.created", limit: 3 })).toEqual([[], 0]);
  expect(list({})).toEqual([ids, 0]);
  expect(list({ before: ids[5], limit: 3 })).toEqual([ids.slice(2, 5), 2]);
  expect(list({ before: ids[0] })).toEqual([[], 0]);
  expect(() => list({ before: "msg_none" })).toThrow("There is no message msg_none");
});

it("All messages are cleared, and pending ones are not sent", async () => {
  const { messages, sandbox, dispatcher, list } = await failingOnce();
  messages.deleteAllMessages(sandbox.own);
  expect(list()).toEqual([]);
  expect(sandbox.deliveries()).toEqual([]);
  expect(dispatcher.findNextDue(sandbox.own)).toBeUndefined();
});

it(`The latest ${MAX_STORED_MESSAGES} messages are retained, and older ones only while they are pending`, () => {
  const sandbox = makeHouse();
  const consent = (count: number) =>
    sandbox.commit((tx) => {
      for (let index = 0; index < count; index++) tx.emit("marketing_consent.created", "con");
    });
  sandbox.commit((tx) => tx.consents.put({ id: "con", email: "a@example.com" } as never));
  subscribe(sandbox, "http://127.0.0.1:1/", ["v1.booking.created"]);
  for (let count = 0; count < 3; count++) sandbox.commit((tx) => book(tx));
  const [older, old, young] = sandbox.messages();
  const messages = messagesOf(sandbox);
  const firsts = () => sandbox.messages().slice(0, 2);
  consent(MAX_STORED_MESSAGES - 1);
  expect(sandbox.messages()).toHaveLength(MAX_STORED_MESSAGES + 2);
  messages.endPendingDeliveries(sandbox.own, older!.id);
  expect(firsts()).toEqual([old, young]);
  messages.endPendingDeliveries(sandbox.own, old!.id);
  messages.endPendingDeliveries(sandbox.own, young!.id);
  expect(firsts()[0]).toEqual(young);
  expect(sandbox.messages()).toHaveLength(MAX_STORED_MESSAGES);
  consent(500);
  expect(sandbox.messages()).toHaveLength(MAX_STORED_MESSAGES);
  expect(sandbox.deliveries()).toEqual([]);
});
