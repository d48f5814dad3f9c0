// Webhook messages with their deliveries, and one that is sent again: to all that it was for or to one, in copies, or altered on purpose.

import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, fullOption } from "../command.ts";
import { Misuse } from "../failure.ts";
import type { Message } from "../terminal/message-view.ts";
import { deliveryLines, messageLines, messageView } from "../terminal/message-view.ts";
import { fitted } from "../terminal/terminal.ts";

type Some = Message | Schemas["MessageList"];

function linesOfMessages(answer: Some, { given, terminal }: Call): readonly string[] {
  if (!("items" in answer)) return [messageView(answer, terminal, { full: given.flag("full") })];
  // An empty list means two things; the advice differs.
  const isFiltered = ["kind", "status"].some((name) => given.value(name) !== undefined);
  if (answer.items.length === 0)
    terminal.say(
      isFiltered ? "No message matches." : "No message yet. `sandbox trigger v1.booking.created` causes one.",
    );
  const { items, more = 0 } = answer;
  if (more > 0) terminal.say(`Not listed: ${count(more, "older message")}. --limit takes up to 1000.`);
  return messageLines(items, terminal);
}

/** The id and --failed-since exclude each other, and one of them is needed. */
function mustBeOne({ args: [id], given }: Call): void {
  if ((id === undefined) === (given.text("failed-since") === undefined))
    throw new Misuse(
      id === undefined
        ? "Which message? `sandbox messages` lists them; --failed-since sends all that failed."
        : "Give the id of one message, or --failed-since for all that failed.",
    );
}

/** How long a resend waits for its attempts before it shows what is known. */
const PATIENCE_MS = 3000;
/** Between two looks; attempts have no event of their own that could be waited for here. */
const LOOK_MS = 50;

/**
 * The messages after their attempts, as far as they end soon: a slow receiver is not waited for. Of their deliveries
 * those that were sent again: the others are of subscriptions that are gone or disabled, or not of the one that was named.
 */
async function attempted(sent: readonly Message[], { ask, control }: Client, { given }: Call): Promise<Message[]> {
  const until = performance.now() + PATIENCE_MS;
  const to = given.text("to");
  const again = sent
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ state, subscription_id }) => state === "PENDING" && (to ?? subscription_id) === subscription_id);
  const ids = new Set(again.map(({ id }) => id));
  const read = async ({ id }: Message): Promise<Message> => {
    const message = await ask(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId: id } } }));
    return { ...message, deliveries: message.deliveries.filter((delivery) => ids.has(delivery.id)) };
  };
  for (;;) {
    // By the world's clock: on a held clock a later attempt is not due, however long one waits.
    const { now } = await ask(control.GET("/_sandbox/clock"));
    const messages = await Promise.all(sent.map(read));
    // Whatever is still due then is shown as it stands.
    if (performance.now() > until || !messages.some((message) => isDue(message, now))) return messages;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function isDue({ deliveries }: Message, now: string): boolean {
  return deliveries.some(({ state, next_attempt_at = "" }) => state === "PENDING" && next_attempt_at <= now);
}

function sentAgain(message: Message, { terminal }: Call): string {
  const sent = count(message.deliveries.length, "delivery", "deliveries");
  const head = fitted(`${message.id}  ${message.kind}: ${sent}`, terminal.width);
  return [head, ...deliveryLines(message, terminal, "  ")].join("\n");
}

const resend: Answer<Some> = {
  check: mustBeOne,
  // One message or several, as the call was.
  async settle(answer, client, call) {
    if ("items" in answer) return { items: await attempted(answer.items, client, call) };
    return (await attempted([answer], client, call))[0];
  },
  show: (answer, call) => ("items" in answer ? answer.items : [answer]).map((message) => sentAgain(message, call)),
};

export const messages: Readonly<Record<string, Answer>> = {
  messages: { options: [fullOption], show: linesOfMessages },
  resend,
};
