// Webhook messages: listed, waited for, sent again, given up; and the secret of a subscription rotated.

import type { Schemas } from "../../../contract/schemas.ts";
import type { HistoryPort, WebhooksPort, WorldsPort } from "../../app/application.ts";
import type { Cause } from "../../world/state/commit.ts";
import { HttpError } from "../errors.ts";
import { chosenWorld, done, type Handlers, ok } from "./handler.ts";

function mustBeThere(message: Schemas["Message"] | undefined, id: string): Schemas["Message"] {
  if (message) return message;
  throw new HttpError(404, `There is no message ${id.slice(0, 100)}. GET /_sandbox/messages lists them.`);
}

const statesOf = ({ deliveries }: Schemas["Message"]): readonly string[] =>
  deliveries.length === 0 ? ["none"] : deliveries.map(({ state }) => state.toLowerCase());

type MessageId =
  | "listMessages"
  | "getMessage"
  | "explainSignature"
  | "checkSignature"
  | "resendMessage"
  | "giveUpMessage"
  | "resendFailedMessages"
  | "clearMessages"
  | "pinSubscription"
  | "rotateSubscriptionSecret"
  | "triggerKind";

export const messages: Handlers<MessageId, WorldsPort & HistoryPort & WebhooksPort> = {
  async listMessages(requested) {
    const { application } = requested;
    const world = chosenWorld(requested);
    const { kind, state, limit, wait_for, timeout } = requested.query;
    // A reset puts another world in its place.
    const current = () => application.worlds.get(world.id) ?? world;
    // For tests, which would have to poll otherwise.
    if (wait_for)
      await application.activity.until(
        () => application.messages.count(current(), kind),
        (count) => count >= wait_for,
        // Milliseconds of real time.
        timeout ?? 5000,
      );
    // After the wait, whether enough came or not.
    const found = [...application.messages.list(current())].filter(
      (message) => (!kind || message.kind === kind) && (!state || statesOf(message).includes(state)),
    );
    return ok({ items: limit === undefined ? found : found.slice(-limit) });
  },
  getMessage(requested) {
    const { messageId } = requested.path;
    return ok(mustBeThere(requested.application.messages.find(chosenWorld(requested), messageId), messageId));
  },
  explainSignature(requested) {
    const { delivery, attempt } = requested.query;
    const { messageId } = requested.path;
    const { messages } = requested.application;
    return ok(messages.signature(chosenWorld(requested), messageId, { delivery, attempt }));
  },
  checkSignature(requested) {
    const { delivery, attempt } = requested.query;
    const { messageId } = requested.path;
    const { messages } = requested.application;
    return ok(messages.checkSignature(chosenWorld(requested), messageId, { delivery, attempt }, requested.body));
  },
  resendMessage(requested) {
    const { application, body } = requested;
    const { messageId } = requested.path;
    return ok(mustBeThere(application.messages.resend(chosenWorld(requested), messageId, body), messageId));
  },
  giveUpMessage(requested) {
    const { messageId } = requested.path;
    return ok(mustBeThere(requested.application.messages.giveUp(chosenWorld(requested), messageId), messageId));
  },
  resendFailedMessages(requested) {
    const { application, body } = requested;
    return ok({ items: application.messages.resendFailed(chosenWorld(requested), body.failed_since) });
  },
  clearMessages(requested) {
    requested.application.messages.clear(chosenWorld(requested));
    return done;
  },
  pinSubscription(requested) {
    requested.application.messages.pin(chosenWorld(requested), requested.path.subscriptionId);
    return done;
  },
  rotateSubscriptionSecret(requested) {
    const { application, path, body } = requested;
    return ok(application.messages.rotate(chosenWorld(requested), path.subscriptionId, body?.overlap));
  },
  async triggerKind(requested) {
    const { kind, set = {} } = requested.body;
    const { application } = requested;
    // A trigger does what acts do.
    const cause: Cause = { kind: "act", id: requested.exchange.id };
    const done = await application.messages.trigger(chosenWorld(requested), kind, set, cause);
    requested.exchange.facts = done.facts;
    return ok(done);
  },
};
