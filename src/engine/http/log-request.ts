// A request goes into the log of its world; an act does too, done or refused. Other requests of the control surface are left out, unless
// the sandbox failed at one: then the log shows how. So are pages with their files, the
// specification, and requests of the sandbox's own tools.
import { performance } from "node:perf_hooks";
import { isHealthPath } from "../../platform/health-paths.ts";
import type { HistoryPort, TeamsPort, TimePort, WorldsPort } from "../app/application.ts";
import { type Exchange, header } from "./exchange.ts";
import { LoggedAct } from "./logged-act.ts";
import { LoggedRequest } from "./logged-request.ts";
import { keepRejection } from "./rejection.ts";
import type { SentBody } from "./request-log-view.ts";

/** `sent`: the answer's body. */
export function logRequest(
  exchange: Exchange,
  sent: SentBody,
  status: number | null,
  application: WorldsPort & TimePort & HistoryPort & TeamsPort,
): void {
  const took = performance.now() - exchange.started;
  const controls = exchange.route?.control || exchange.path.startsWith("/_sandbox");
  if (controls && isActOrTrigger(exchange)) logAct(exchange, sent, { status, took }, application);
  if (controls && exchange.trouble === undefined) return;
  const isPage = exchange.trouble === undefined && (isSpecification(exchange) || exchange.isPage);
  // Of a node, and not of a world.
  const isOfNode = application.hosted !== undefined && isHealthPath(exchange.path);
  if (isPage || isOfNode || exchange.sentBy === "tool") return;
  // The log has the text that was sent; the records behind it would only take memory.
  if (exchange.answer) exchange.answer = { ...exchange.answer, body: undefined };
  application.log.add(keepRejection(new LoggedRequest(exchange, sent, status, took), exchange));
}

const ACT = /^\/_sandbox\/(?:acts\/(\w+)|trigger)$/;

/** Its id says so, since the webhooks that it causes name it. */
export const isActOrTrigger = ({ method, path }: Pick<Exchange, "method" | "path">): boolean =>
  method === "POST" && ACT.test(path);

/** Tools of the sandbox read it as well, in the world that they are about. */
const isSpecification = ({ path }: Exchange): boolean => path === "/openapi.json" || path === "/openapi.yaml";

/** The console and the terminal send the header with the acts that a person performs. */
const isByHand = (exchange: Exchange): boolean =>
  exchange.sentBy === "person" || header(exchange, "sandbox-by-hand") !== undefined;

function logAct(
  exchange: Exchange,
  sent: SentBody,
  { status, took }: { status: number | null; took: number },
  application: WorldsPort & TimePort & HistoryPort,
): void {
  const world = exchange.query.world?.toString() || header(exchange, "sandbox-world") || "default";
  const known = application.worlds.get(world);
  if (!known) return;
  // A world in quarantine may have no clock to read.
  const at = application.whyQuarantined(known) === undefined ? application.now(known) : exchange.at;
  const { kind } = (exchange.body ?? {}) as { kind?: unknown };
  const act = ACT.exec(exchange.path)?.[1] ?? `trigger ${String(kind)}`;
  // A connection that broke counts as refused.
  const refused = (status ?? 500) >= 400;
  const entry = new LoggedAct(exchange, { act, world, at, sent, refused, by_hand: isByHand(exchange), took });
  application.log.add(keepRejection(entry, exchange));
}
