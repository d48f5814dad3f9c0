// Counts a request, and writes it to the operator's log and traces.
import { performance } from "node:perf_hooks";
import { isHealthPath } from "../../platform/health-paths.ts";
import type { RequestsPort, TraceSpan } from "../app/application.ts";
import { redactText } from "../log/redact.ts";
import { type Exchange, readHeader } from "./exchange.ts";
import { HOP } from "./hop.ts";
import { readNamedWorld } from "./named-world.ts";

const MAX_PATH_LENGTH = 200;

/** Begins the span of a request. Effects of the request may occur before its response. */
export function trace(exchange: Exchange, { monitor: { traces } }: RequestsPort): void {
  if (!traces || isHealthPath(exchange.path)) return;
  exchange.span = traces.begin(exchange.method, readHeader(exchange, "traceparent"));
  if (exchange.method !== "GET") traces.remember(exchange.id, exchange.span);
}

/** `status`: null if a fault broke the connection. */
export function observe(exchange: Exchange, status: number | null, { monitor, node }: RequestsPort): void {
  const ms = performance.now() - exchange.started;
  monitor.countRequest(exchange.route?.id, status, ms);
  if (exchange.span) endSpan(exchange.span, exchange, status);
  if (!monitor.tell || isHealthPath(exchange.path)) return;
  const { id, method, route } = exchange;
  const path = redactText(exchange.path).slice(0, MAX_PATH_LENGTH);
  monitor.tell({
    ...{ level: (status ?? 0) >= 500 ? "error" : "info", event: "request", id },
    ...{ world: findWorldId(exchange), operation: route?.id, method, path, status },
    ms: Math.round(ms * 10) / 10,
    ...(node ? { node: node(), forwarded: readHeader(exchange, HOP) !== undefined } : {}),
  });
}

/** Attributes follow OpenTelemetry's conventions for HTTP. */
function endSpan(span: TraceSpan, exchange: Exchange, status: number | null): void {
  const { id, method, route } = exchange;
  const path = redactText(exchange.path);
  if (route) span.name(route.id);
  const ours = { "sandbox.request_id": id, "sandbox.operation": route?.id, "sandbox.world": findWorldId(exchange) };
  const sent = { "http.request.method": method, "url.path": path, "http.response.status_code": status ?? undefined };
  span.end({ ...ours, ...sent }, status === null || status >= 500 ? String(status ?? "connection broken") : undefined);
}

const findWorldId = (exchange: Exchange): string | undefined =>
  exchange.world?.id ?? readNamedWorld(exchange)?.slice(0, MAX_PATH_LENGTH);
