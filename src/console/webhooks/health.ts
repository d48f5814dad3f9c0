// Summarizes a subscription: deliveries by state, and the outcome of the last attempts. Only the listed messages count.
import type { Message } from "./messages.ts";

const MAX_FAILURES = 3;

const listDeliveries = (subscription: string, messages: readonly Message[]) =>
  messages.flatMap(({ id, kind, deliveries }) =>
    deliveries
      .filter(({ subscription_id }) => subscription_id === subscription)
      .map(({ state, attempts }) => ({ message: id, kind, state, attempts })),
  );

/** Lists the messages whose delivery to the subscription has ended without success, by their ids. */
export const listFailed = (subscription: string, messages: readonly Message[]): string[] =>
  listDeliveries(subscription, messages)
    .filter(({ state }) => state === "GIVEN_UP" || state === "DROPPED")
    .map(({ message }) => message);

export function summarizeHealth(subscription: string, messages: readonly Message[]) {
  const deliveries = listDeliveries(subscription, messages);
  const countIn = (wanted: string) => deliveries.filter(({ state }) => state === wanted).length;
  const attempts = deliveries
    .flatMap(({ message, kind, attempts }) =>
      attempts.map(({ at, outcome, answer }) => ({ message, kind, at, outcome, status: answer?.status })),
    )
    .sort((a, b) => a.at.localeCompare(b.at));
  const last = attempts.at(-1);
  const failed = listFailed(subscription, messages).length;
  // The last attempt shows the current state; earlier failures only warn.
  const tone = last && last.outcome !== "ACCEPTED" ? "bad" : failed > 0 ? "warn" : last ? "ok" : "quiet";
  const failures = attempts.filter(({ outcome }) => outcome !== "ACCEPTED").slice(-MAX_FAILURES);
  return {
    delivered: countIn("DELIVERED"),
    pending: countIn("PENDING"),
    failed,
    last,
    /** The latest failed attempts, newest first. */
    failures: failures.toReversed(),
    tone,
  } as const;
}
