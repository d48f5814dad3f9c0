// Waits for the attempts of resent messages.
import type { Schemas, WorldClient } from "./control.ts";

type Message = Schemas["Message"];

/** The control API has no event for the end of an attempt, so it is polled. */
const POLL_MS = 50;

/**
 * Returns the messages when their attempts have ended, or after `patienceMs`. Each message has only its resent deliveries: deliveries of
 * deleted, disabled or other subscriptions are removed. `to` is the only subscription to which the messages were sent.
 */
export async function waitForAttempts(
  { control, ask }: WorldClient,
  sent: readonly Message[],
  { to, patienceMs }: { to: string | undefined; patienceMs: number },
): Promise<Message[]> {
  const until = performance.now() + patienceMs;
  const resent = sent
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ state, subscription_id }) => state === "PENDING" && (to ?? subscription_id) === subscription_id);
  const ids = new Set(resent.map(({ id }) => id));
  const readMessage = (messageId: string) =>
    ask(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } }));
  for (;;) {
    const messages = await Promise.all(sent.map(({ id }) => readMessage(id)));
    // The clock is read after the messages, since a copy may become due in between. On a held clock a retry never becomes due.
    const { now } = await ask(control.GET("/_sandbox/clock"));
    for (const message of messages) message.deliveries = message.deliveries.filter(({ id }) => ids.has(id));
    if (performance.now() > until || !messages.some((message) => isDue(message, now))) return messages;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function isDue({ deliveries }: Message, now: string): boolean {
  return deliveries.some(({ state, next_attempt_at = "" }) => state === "PENDING" && next_attempt_at <= now);
}
