// Lists, resends, relays and gives up webhook messages, and rotates the secret of a subscription.
import type { Schemas } from "../../../contract/schemas.ts";
import { formatEvent } from "../../log/follow.ts";
import { HttpError } from "../errors.ts";
import type { Answer } from "../exchange.ts";
import { toCause } from "../to-exchange.ts";
import { showDone } from "./acts.ts";
import { defineHandlers, done, ok } from "./handler.ts";
import { EVENT_STREAM, keepOpen } from "./watching.ts";

function showFound(message: Schemas["Message"] | undefined, id: string): Answer {
  if (message) return ok(message);
  throw new HttpError(404, `There is no message ${id.slice(0, 100)}.`, { list: "GET /_sandbox/messages" });
}

export const messages = defineHandlers({
  async listMessages({ application, world, query }) {
    const { kind, state, since, before, limit, wait_for, timeout } = query;
    // A reset replaces the world.
    const getCurrentWorld = () => application.worlds.get(world.id) ?? world;
    // Tests can wait for messages instead of polling.
    if (wait_for)
      await application.followers.waitUntilEnough(
        () => application.messages.count(getCurrentWorld(), kind),
        (count) => count >= wait_for,
        // The timeout is in milliseconds of real time.
        timeout ?? 5000,
      );
    const { history } = application;
    const created =
      since === undefined
        ? undefined
        : history.listMessagesSince(getCurrentWorld(), history.findNamedPoint(getCurrentWorld(), since));
    const { items, more } = application.messages.list(getCurrentWorld(), { kind, state, created, before, limit });
    return ok({ items, ...(more > 0 ? { more } : {}) });
  },
  getMessage: ({ path: { messageId }, application: { messages }, world }) =>
    showFound(messages.find(world, messageId), messageId),
  explainSignature: ({ query: { delivery, attempt }, path, application, world }) =>
    ok(application.messages.signature(world, path.messageId, { delivery, attempt })),
  checkSignature: ({ query: { delivery, attempt }, path, application, world, body }) =>
    ok(application.messages.checkSignature(world, path.messageId, { delivery, attempt }, body)),
  resendMessage: ({ path: { messageId }, application: { messages }, body, world }) =>
    showFound(messages.resend(world, messageId, body), messageId),
  giveUpMessage: ({ path: { messageId }, application: { messages }, world }) =>
    showFound(messages.endPendingDeliveries(world, messageId), messageId),
  resendFailedMessages({ application, body, world }) {
    return ok({ items: application.messages.resendSelected(world, body) });
  },
  clearMessages({ application, world }) {
    application.messages.deleteAllMessages(world);
    return done;
  },
  pinSubscription({ application, world, path }) {
    application.messages.pinSubscription(world, path.subscriptionId);
    return done;
  },
  rotateSubscriptionSecret({ application, path, body, world }) {
    return ok(application.messages.rotateSecret(world, path.subscriptionId, body?.overlap));
  },
  async triggerKind({ body, application, exchange, world }) {
    const { kind, set = {} } = body;
    // A trigger is logged like an act.
    const { result, facts } = await application.messages.trigger(world, kind, set, toCause(exchange));
    return showDone(exchange, result, facts);
  },
  openRelay({ application, world }) {
    const { relays } = application;
    const { id } = world;
    return {
      status: 200,
      stream(response) {
        response.writeHead(200, EVENT_STREAM);
        // The first event shows the client that it is connected.
        response.write(formatEvent("hello", { world: id }));
        const close = relays.open(id, {
          // The client sends the delivery, and reports the response.
          hand: (delivery) => void response.write(formatEvent("delivery", delivery)),
          end: () => void response.end(),
        });
        keepOpen(response, close);
      },
    };
  },
  reportRelayed({ application, path, body, world }) {
    const { id } = world;
    if (application.relays.report(id, path.attemptId, body)) return done;
    throw new HttpError(404, `No attempt ${path.attemptId.slice(0, 100)} of the world ${id} waits for a report.`);
  },
});
