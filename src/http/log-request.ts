// A request goes into the log of its world, and listeners are told. Requests of the control surface are left out, unless the sandbox
// failed at one: then the log shows how. So are the icons that browsers ask for.
import { performance } from "node:perf_hooks";
import type { Application } from "../app/application.ts";
import type { Exchange } from "./exchange.ts";
import { FAVICON_PATH } from "./pages/favicon.ts";
import { showRequest } from "./request-log-shown.ts";

/** The least that a logged request takes, with headers of common length. */
const LEAST_BYTES = 600;

/** `sent`: the text of the answer's body. */
export function logRequest(
  exchange: Exchange,
  sent: string | undefined,
  status: number | null,
  { requestLogs, activity }: Application,
): void {
  const controls = exchange.route?.control || exchange.path.startsWith("/_sandbox");
  if (controls && exchange.trouble === undefined) return;
  if (exchange.path === FAVICON_PATH) return;
  const { id, at, route, target, raw } = exchange;
  const bytes = LEAST_BYTES + 2 * target.length + (raw?.length ?? 0) + (sent?.length ?? 0);
  const world = exchange.world?.id ?? "default";
  const duration_ms = performance.now() - exchange.started;
  // The log has the text that was sent; the records behind it would only take memory.
  if (exchange.answer) exchange.answer = { ...exchange.answer, body: undefined };
  const show = (messages: readonly string[]) => showRequest({ exchange, sent, status, duration_ms }, messages);
  requestLogs.add(world, { id, at, operation: route?.id, status, bytes, show });
  if (activity.listeners > 0) activity.tell({ type: "request", world, data: id });
}
