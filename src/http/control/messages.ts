// Webhook messages: seen, waited for, sent again, given up; and the secret of a subscription changed.

import type { MessageShown } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { chosenWorld, done, type Handlers, ok } from "./handler.ts";

const NO_MESSAGE = (id: string) =>
  new HttpError(404, `There is no message ${id.slice(0, 100)}. GET /_sandbox/messages lists them.`);

function must(message: MessageShown | undefined, id: string): MessageShown {
  if (!message) throw NO_MESSAGE(id);
  return message;
}

export const messages: Handlers = {
  async listMessages(asked) {
    const { application, query } = asked;
    const world = chosenWorld(asked);
    const { kind, limit, wait_for, timeout } = query as {
      kind?: string;
      limit?: number;
      wait_for?: number;
      timeout?: number;
    };
    // A reset puts another world in its place.
    const current = () => application.worlds.get(world.id) ?? world;
    if (wait_for)
      await application.activity.until(
        () => application.messages.count(current(), kind),
        (count) => count >= wait_for,
        timeout ?? 5000,
      );
    const found = [...application.messages.list(current())].filter((message) => !kind || message.kind === kind);
    return ok({ items: limit === undefined ? found : found.slice(-limit) });
  },
  getMessage(asked) {
    const id = asked.path.messageId ?? asked.path.id ?? "";
    return ok(must(asked.application.messages.find(chosenWorld(asked), id), id));
  },
  resendMessage(asked) {
    const id = asked.path.messageId ?? asked.path.id ?? "";
    return ok(must(asked.application.messages.resend(chosenWorld(asked), id), id));
  },
  giveUpMessage(asked) {
    const id = asked.path.messageId ?? asked.path.id ?? "";
    return ok(must(asked.application.messages.giveUp(chosenWorld(asked), id), id));
  },
  resendFailedMessages(asked) {
    const { failed_since } = asked.body as { failed_since: string };
    return ok({ items: asked.application.messages.resendFailed(chosenWorld(asked), failed_since) });
  },
  clearMessages(asked) {
    asked.application.messages.clear(chosenWorld(asked));
    return done;
  },
  rotateSubscriptionSecret(asked) {
    const id = asked.path.subscriptionId ?? asked.path.id ?? "";
    const { overlap } = (asked.body ?? {}) as { overlap?: string };
    return ok(asked.application.messages.rotate(chosenWorld(asked), id, overlap));
  },
  async triggerKind(asked) {
    const { kind, set = {} } = asked.body as { kind: string; set?: Record<string, unknown> };
    return ok(await asked.application.messages.trigger(chosenWorld(asked), kind, set));
  },
};
