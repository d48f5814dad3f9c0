// A request goes into the log of its world, and listeners are told. Requests of the control surface are left out, unless the sandbox
// failed at one: then the log shows how. So are the icons that browsers ask for. Of the control surface, listeners are told the acts.
import { performance } from "node:perf_hooks";
import type { Application } from "../app/application.ts";
import { type Exchange, header } from "./exchange.ts";
import { FAVICON_PATH } from "./pages/favicon.ts";
import { keepRefused } from "./refused.ts";
import { briefRequest, reasonIn, showRequest } from "./request-log-shown.ts";

/** The least that a logged request takes, with headers of common length. */
const LEAST_BYTES = 600;

/** `sent`: the text of the answer's body. */
export function logRequest(
  exchange: Exchange,
  sent: string | undefined,
  status: number | null,
  application: Application,
): void {
  const { requestLogs, activity } = application;
  const controls = exchange.route?.control || exchange.path.startsWith("/_sandbox");
  if (controls && activity.listeners > 0) tellAct(exchange, sent, status, application);
  if (controls && exchange.trouble === undefined) return;
  if (exchange.path === FAVICON_PATH) return;
  const { id, at, route, target, raw } = exchange;
  const bytes = LEAST_BYTES + 2 * target.length + (raw?.length ?? 0) + (sent?.length ?? 0);
  const world = exchange.world?.id ?? "default";
  const duration_ms = performance.now() - exchange.started;
  // The log has the text that was sent; the records behind it would only take memory.
  if (exchange.answer) exchange.answer = { ...exchange.answer, body: undefined };
  const show = (messages: readonly string[]) => showRequest({ exchange, sent, status, duration_ms }, messages);
  const brief = () => briefRequest({ exchange, sent, status, duration_ms });
  const entry = { id, at, operation: route?.id, status, bytes, show, brief };
  requestLogs.add(world, entry);
  keepRefused(entry, exchange, activity.next());
  if (activity.listeners > 0) activity.tell({ type: "request", world, data: id });
}

const ACT = /^\/_sandbox\/(?:acts\/(\w+)|trigger)$/;

/** An act that was tried, done or refused. Any other request of the control surface is no event of a world. */
function tellAct(exchange: Exchange, sent: string | undefined, status: number | null, application: Application): void {
  const match = exchange.method === "POST" ? ACT.exec(exchange.path) : null;
  if (!match) return;
  const id = exchange.query.world?.toString() ?? header(exchange, "sandbox-world") ?? "default";
  const world = application.worlds.get(id);
  const at = world && application.aside(world) === undefined ? application.now(world) : exchange.at;
  const { kind } = (exchange.body ?? {}) as { kind?: unknown };
  const act = match[1] ?? `trigger ${String(kind)}`;
  const { code, message } = (status ?? 500) < 400 ? {} : reasonIn(sent);
  application.activity.tell({
    type: "act",
    world: id,
    data: { at, act, facts: exchange.facts, ...(code === undefined ? {} : { code, message: message ?? "" }) },
  });
}
