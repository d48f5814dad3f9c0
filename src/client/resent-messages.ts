// Waits for the attempts of messages that were sent again.
import type { Schemas } from "../contract/schemas.ts";

type Message = Schemas["Message"];

interface WaitOptions {
  /** The only subscription that the messages were sent to. */
  to: string | undefined;
  /** Milliseconds after which the deliveries are returned as they are. */
  patienceMs: number;
  readMessage(id: string): Promise<Message>;
  /** On the clock of the world. */
  readNow(): Promise<string>;
}

/** Milliseconds between two requests; the control API has no event for the end of an attempt. */
const POLL_MS = 50;

/**
 * Returns the messages once their attempts have ended, or the patience is up. Each has only the deliveries that were sent again:
 * the others are of subscriptions that are gone or disabled, or not of the one that was named.
 */
export async function waitForAttempts(
  sent: readonly Message[],
  { to, patienceMs, readMessage, readNow }: WaitOptions,
): Promise<Message[]> {
  const until = performance.now() + patienceMs;
  const resent = sent
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ state, subscription_id }) => state === "PENDING" && (to ?? subscription_id) === subscription_id);
  const ids = new Set(resent.map(({ id }) => id));
  for (;;) {
    const messages = await Promise.all(sent.map(({ id }) => readMessage(id)));
    // The clock is read after the messages, since a copy may become due in between. On a held clock a retry never becomes due.
    const now = await readNow();
    for (const message of messages) message.deliveries = message.deliveries.filter(({ id }) => ids.has(id));
    if (performance.now() > until || !messages.some((message) => isDue(message, now))) return messages;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function isDue({ deliveries }: Message, now: string): boolean {
  return deliveries.some(({ state, next_attempt_at = "" }) => state === "PENDING" && next_attempt_at <= now);
}
