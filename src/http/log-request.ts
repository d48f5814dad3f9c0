// A request goes into the journal of its world, and whoever listens is told. Requests of the control surface are left out, unless
// the sandbox failed at one: then the journal is where it says how. So is a browser's wish for an icon.
import { performance } from "node:perf_hooks";
import type { Application } from "../app/application.ts";
import type { Exchange } from "./exchange.ts";
import { FAVICON_PATH } from "./pages/favicon.ts";

/** What an entry takes at least, with headers of the usual length. */
const USUAL_BYTES = 600;

export function note(
  exchange: Exchange,
  sent: string | undefined,
  status: number | null,
  application: Application,
): void {
  const controls = exchange.route?.control || exchange.path.startsWith("/_sandbox");
  if (controls && exchange.trouble === undefined) return;
  if (exchange.path === FAVICON_PATH) return;
  const bytes = USUAL_BYTES + 2 * exchange.target.length + (exchange.raw?.length ?? 0) + (sent?.length ?? 0);
  const world = exchange.world?.id ?? "default";
  // The journal has the text that was sent; a page of a hundred records behind it would only be carried along.
  if (exchange.answer) exchange.answer = { ...exchange.answer, body: undefined };
  application.requestLogs.add(world, {
    exchange,
    sent,
    status,
    duration_ms: performance.now() - exchange.started,
    bytes,
  });
  if (application.activity.listeners > 0) application.activity.tell({ type: "request", world, data: exchange.id });
}
