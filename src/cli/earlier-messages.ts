// Finds the messages that `sandbox listen --since` prints first.
import { before, isDuration, readInstant } from "../engine/domain/index.ts";
import { toExcerpt } from "../engine/settings.ts";
import type { Client } from "./client.ts";
import { Failure, Misuse } from "./failure.ts";
import type { Message } from "./terminal/message-view.ts";

const PAGE_SIZE = 1000;

/**
 * Reads a change number, an instant, or a duration before the world's current time (limited to the start of its history). Throws a Misuse
 * for any other text, and for a point that is no longer in the log.
 */
export async function readPoint({ ask, control }: Client, text: string): Promise<string> {
  const isOfPoint = /^\d{1,16}$/.test(text) || readInstant(text) !== undefined;
  if (!isOfPoint && !isDuration(text))
    throw new Misuse(
      `--since is ${toExcerpt(text)}, which is not a point in time. Write it as a change number, as 2030-06-01T09:00:00Z, or as PT10M.`,
    );
  const { kept } = await ask(control.GET("/_sandbox/history", { params: { query: { limit: 1 } } }));
  const { now } = await ask(control.GET("/_sandbox/clock"));
  const instant = isOfPoint ? text : before(now, text);
  const point = !isOfPoint && instant < kept.from.at && kept.dropped === 0 ? String(kept.from.seq) : instant;
  await ask(control.GET("/_sandbox/messages", { params: { query: { since: point, limit: 1 } } })).catch((error) => {
    if (!(error instanceof Failure && error.code.startsWith("MOMENT_"))) throw error;
    throw new Misuse(
      `--since ${toExcerpt(text)}: ${error.message} The earliest point is ${kept.from.seq} (${kept.from.at}).`,
    );
  });
  return point;
}

/** Returns the messages after `since` that were not sent to the subscription, oldest first. */
export async function findEarlierMessages(
  { ask, control }: Client,
  since: string,
  { subscriptionId, kinds }: { subscriptionId: string; kinds: readonly string[] },
): Promise<Message[]> {
  const found: Message[] = [];
  for (let last: string | undefined; ; last = found[0]?.id) {
    const query = { since, limit: PAGE_SIZE, ...(last === undefined ? {} : { before: last }) };
    const { items, more = 0 } = await ask(control.GET("/_sandbox/messages", { params: { query } }));
    found.unshift(...items);
    if (more === 0) break;
  }
  return found.filter(
    ({ kind, deliveries }) =>
      kinds.includes(kind) && !deliveries.some(({ subscription_id }) => subscription_id === subscriptionId),
  );
}
