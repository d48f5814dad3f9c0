// Reports attempts of deliveries to the operator. Addresses are reduced to their host, because a path or a query may
// contain a secret.
import type { Delivery, Message } from "../../domain/kernel/records.ts";
import type { DeliveryRequest, DeliveryResult } from "../../webhooks/http-delivery.ts";
import { getCause } from "../../world/state/commit.ts";
import type { Monitor } from "./monitor.ts";

/** Counts the last attempt, and writes it to the operator's log. */
export function reportAttempt(monitor: Monitor, world: string, delivery: Delivery, message: Message): void {
  const attempt = delivery.attempts.at(-1);
  const outcome = (attempt?.outcome ?? "ABORTED").toLowerCase();
  monitor.count("attempts", outcome);
  monitor.tell?.({
    level: outcome === "accepted" ? "info" : "warning",
    event: "delivery",
    id: delivery.id,
    world,
    message: message.id,
    kind: message.kind,
    caused_by: getCause(message),
    to: readHost(delivery.url),
    outcome,
    status: attempt?.answer?.status ?? null,
    state: delivery.state.toLowerCase(),
    attempt: delivery.attempts.length,
    ms: attempt?.duration_ms,
  });
}

/**
 * Begins the span of an attempt. Returns the headers that continue the trace at the receiver, and the function that
 * ends the span.
 */
export function traceAttempt({ traces }: Monitor, world: string, { delivery, message, url }: DeliveryRequest) {
  const attributes = { world, message: message.id, delivery: delivery.id, to: readHost(url) };
  // The span belongs to the request that caused the message, if that is remembered.
  const span = traces?.beginCaused(message.caused_by, `webhook ${message.kind}`, attributes);
  return {
    headers: span ? { traceparent: span.traceparent } : {},
    endSpan({ outcome, answer }: DeliveryResult): void {
      const failure = outcome === "ANSWERED" ? undefined : outcome.toLowerCase();
      span?.end({ outcome: outcome.toLowerCase(), "http.response.status_code": answer?.status }, failure);
    },
  };
}

const readHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");
