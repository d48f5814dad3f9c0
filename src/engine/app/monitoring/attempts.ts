// An attempt of a delivery as the operator sees it. Of its address only the host: a path or a query may hold a secret.
import type { Delivery, Message } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { getCause } from "../../world/state/commit.ts";
import type { World } from "../../world/state/world.ts";
import type { Monitor } from "./monitor.ts";

/** The last attempt: counted, and written to the operator's log. */
export function tellAttempt(monitor: Monitor, world: string, delivery: Delivery, message: Message): void {
  const attempt = delivery.attempts.at(-1);
  const outcome = (attempt?.outcome ?? "ABORTED").toLowerCase();
  monitor.count("attempts", outcome);
  monitor.tell?.({
    ...{ level: outcome === "accepted" ? "info" : "warning", event: "delivery", id: delivery.id, world },
    ...{ message: message.id, kind: message.kind, caused_by: getCause(message), to: hostOf(delivery.url) },
    ...{ outcome, status: attempt?.answer?.status ?? null, state: delivery.state.toLowerCase() },
    ...{ attempt: delivery.attempts.length, ms: attempt?.duration_ms },
  });
}

type Read = <T>(world: World, question: (tx: Transaction) => T) => T;

/** The headers that put what the receiver does into the same trace, and what ends the span. */
export function traceAttempt(
  { traces }: Monitor,
  read: Read,
  world: World,
  { delivery, url }: { delivery: Delivery; url: string },
) {
  const message = read(world, (tx) => tx.messages.get(delivery.message_id));
  const attributes = { world: world.id, message: delivery.message_id, delivery: delivery.id, to: hostOf(url) };
  // Within the span of the request that caused the message, if that is remembered.
  const span = traces?.causedBy(message?.caused_by, `webhook ${message?.kind ?? ""}`.trim(), attributes);
  return {
    headers: span ? { traceparent: span.traceparent } : {},
    ended({ outcome, answer }: { outcome: string; answer: { status: number } | null }) {
      const failure = outcome === "ANSWERED" ? undefined : outcome.toLowerCase();
      span?.end({ outcome: outcome.toLowerCase(), "http.response.status_code": answer?.status }, failure);
    },
  };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");
