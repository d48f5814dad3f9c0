// An answered request as the operator sees it: counted, and written to the log for operators where there is one.
import { performance } from "node:perf_hooks";
import { isHealthPath } from "../../platform/health-paths.ts";
import type { RequestsPort, TraceSpan } from "../app/application.ts";
import { redactText } from "../log/redact.ts";
import { type Exchange, header } from "./exchange.ts";
import { HOP } from "./hop.ts";

const LONGEST_PATH = 200;

/** Where requests are traced. What a request causes may happen before it is answered. */
export function trace(exchange: Exchange, { monitor: { traces } }: RequestsPort): void {
  if (!traces || isHealthPath(exchange.path)) return;
  exchange.span = traces.begin(exchange.method, header(exchange, "traceparent"));
  if (exchange.method !== "GET") traces.remember(exchange.id, exchange.span);
}

/** `status`: null where a fault broke the connection. */
export function observe(exchange: Exchange, status: number | null, { monitor, node }: RequestsPort): void {
  const ms = performance.now() - exchange.started;
  monitor.countRequest(exchange.route?.id, status, ms);
  if (exchange.span) endSpan(exchange.span, exchange, status);
  if (!monitor.tell || isHealthPath(exchange.path)) return;
  const { id, method, route } = exchange;
  const path = redactText(exchange.path).slice(0, LONGEST_PATH);
  monitor.tell({
    ...{ level: (status ?? 0) >= 500 ? "error" : "info", event: "request", id },
    ...{ world: worldOf(exchange), operation: route?.id, method, path, status },
    ms: Math.round(ms * 10) / 10,
    ...(node ? { node: node(), forwarded: header(exchange, HOP) !== undefined } : {}),
  });
}

/** Named as OpenTelemetry's conventions for HTTP have it, with what is ours beside. */
function endSpan(span: TraceSpan, exchange: Exchange, status: number | null): void {
  const { id, method, route } = exchange;
  const path = redactText(exchange.path);
  if (route) span.name(route.id);
  const ours = { "sandbox.request_id": id, "sandbox.operation": route?.id, "sandbox.world": worldOf(exchange) };
  const sent = { "http.request.method": method, "url.path": path, "http.response.status_code": status ?? undefined };
  span.end({ ...ours, ...sent }, status === null || status >= 500 ? String(status ?? "connection broken") : undefined);
}

/** Of a control request: the one that it names. */
function worldOf(exchange: Exchange): string | undefined {
  const named = exchange.params.worldId ?? exchange.query.world?.toString() ?? header(exchange, "sandbox-world");
  return exchange.world?.id ?? named?.slice(0, LONGEST_PATH);
}
