// An answered request as the operator sees it: counted, and told to the log for operators where there is one.
import { performance } from "node:perf_hooks";
import type { Application } from "../app/application.ts";
import { type Exchange, header } from "./exchange.ts";

/** Asked every second or so by whatever balances the load: told, they would hide the rest. */
const HEALTH = new Set(["/healthz", "/readyz"]);
const LONGEST_PATH = 200;

/** `status`: null where a fault broke the connection. */
export function observe(exchange: Exchange, status: number | null, { monitor }: Application): void {
  const ms = performance.now() - exchange.started;
  monitor.requests.add(exchange.route?.id, status, ms);
  if (!monitor.tell || HEALTH.has(exchange.path)) return;
  const { id, method, path, route } = exchange;
  monitor.tell({
    ...{ level: (status ?? 0) >= 500 ? "error" : "info", event: "request", id },
    ...{ world: worldOf(exchange), operation: route?.id, method, path: path.slice(0, LONGEST_PATH), status },
    ms: Math.round(ms * 10) / 10,
  });
}

/** Of a control request: the one that it names. */
function worldOf(exchange: Exchange): string | undefined {
  const named = exchange.params.worldId ?? exchange.query.world?.toString() ?? header(exchange, "sandbox-world");
  return exchange.world?.id ?? named?.slice(0, LONGEST_PATH);
}
