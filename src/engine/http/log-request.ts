// Logs requests and acts in the log of their world, and counts and traces them for the operator. The log omits pages,
// the specification, requests of the sandbox's own tools, and other control requests unless the sandbox failed.
import { hash } from "node:crypto";
import { performance } from "node:perf_hooks";
import { isHealthPath } from "../../platform/health-paths.ts";
import type { HistoryPort, RequestsPort, TimePort, TraceSpan, WorldsPort } from "../app/application.ts";
import { canHoldSecret, encodeRedacted, redactBody, redactHeaders, redactTarget, redactText } from "../log/redact.ts";
import type { EntryHead } from "../log/view.ts";
import { hashToken } from "../world/state/credential.ts";
import { readNamedWorld } from "./control/handler.ts";
import { type Exchange, HOP, readDecodedHeader, readHeader } from "./exchange.ts";
import { readBearer } from "./identify.ts";
import { findOverrides } from "./in-force.ts";
import { findRejection } from "./inject-faults.ts";
import { isActOrTrigger, nameAct } from "./to-exchange.ts";

/** A response body; undefined if none was sent. */
type SentBody = string | Buffer | undefined;

type LogPorts = WorldsPort & TimePort & HistoryPort & Pick<RequestsPort, "settings">;

/** `sent`: the response body. `status`: null if the client got no response. */
export function logRequest(exchange: Exchange, sent: SentBody, status: number | null, application: LogPorts): void {
  const controls = exchange.route?.control || exchange.path.startsWith("/_sandbox");
  if (controls && isActOrTrigger(exchange)) logAct(exchange, sent, status, application);
  if (exchange.internalError === undefined && (controls || isSpecification(exchange) || exchange.isPage)) return;
  // A health check of one of several nodes is about the node and not about a world.
  const isOfNode = application.settings.database !== undefined && isHealthPath(exchange.path);
  if (isOfNode || exchange.sentBy === "tool") return;
  const head: EntryHead = {
    ...createHead(exchange, "request", status),
    operation: exchange.route?.id,
    status,
    client_id: exchange.key?.id,
    test: readDecodedHeader(exchange, "sandbox-test")?.slice(0, 500) || undefined,
    ...(exchange.sentBy === "person" ? { by_hand: true } : {}),
  };
  addExchange(head, exchange, sent, application);
}

/** A broken connection counts as failed. Every request is in the log of a world. */
const createHead = ({ id, world, at, facts }: Exchange, kind: "request" | "act", status: number | null) => ({
  kind,
  id,
  world: world?.id ?? "default",
  at,
  failed: status === null || status >= 400,
  facts,
});

/** Tools of the sandbox read the specification too. */
const isSpecification = ({ path }: Exchange): boolean => path === "/openapi.json" || path === "/openapi.yaml";

function logAct(exchange: Exchange, sent: SentBody, status: number | null, application: LogPorts): void {
  const world = readNamedWorld(exchange) ?? "default";
  const known = application.worlds.get(world);
  if (!known) return;
  // The console and the terminal send the header with the acts that a person performs.
  const isByHand = exchange.sentBy === "person" || readHeader(exchange, "sandbox-by-hand") !== undefined;
  const head: EntryHead = {
    ...createHead(exchange, "act", status),
    world,
    // A world in quarantine may have no clock to read.
    at: application.findQuarantine(known) === undefined ? application.now(known) : exchange.at,
    operation: nameAct(exchange),
    ...(isByHand ? { by_hand: true } : {}),
  };
  addExchange(head, exchange, sent, application);
}

function addExchange(head: EntryHead, exchange: Exchange, sent: SentBody, application: LogPorts): void {
  const { method, target, params, headers, raw, violations, scopes, faults, fault, internalError, answer, route } =
    exchange;
  const rejection = findRejection(exchange);
  const size = sent?.length ?? 0;
  const isLong = size > MAX_LOGGED_BODY;
  const details = {
    // Microseconds are exact enough.
    took: Math.round((performance.now() - exchange.started) * 1000) / 1000,
    method,
    target: redactTarget(target),
    params,
    headers: redactHeaders(headers),
    sent: raw?.length ? redactBody(raw.toString("utf8")) : undefined,
    violations: violations.length > 0 ? violations : undefined,
    scopes,
    overrides: route?.documented && findOverrides(exchange.world, application),
    mark: markToken(exchange),
    faults,
    fault,
    trouble: internalError,
    answered: answer?.headers && redactHeaders(answer.headers),
    left_out: isLong ? { size, sha256: hash("sha256", sent as string | Buffer, "hex") } : undefined,
    // `why` reads this field.
    rejected: rejection && {
      rejection,
      route: route?.id,
      scheme: readHeader(exchange, "authorization")?.trim().split(" ", 1)[0]?.slice(0, 40),
      isUnreadable: exchange.unreadable !== undefined || undefined,
      client: exchange.client,
    },
  };
  application.log.add(head, encodeRedacted(details), isLong ? undefined : encodeBody(sent, exchange));
}

/** Characters, or bytes of a long body. */
const MAX_LOGGED_BODY = 256 * 1024;

/** The logged texts of bytes that are sent repeatedly. A page of a list takes longer to decode than to send. */
const texts = new WeakMap<Buffer, string>();

/** Encodes a response body as JSON without secrets. */
function encodeBody(sent: SentBody, { answer }: Exchange): string | undefined {
  if (sent === undefined || sent.length === 0) return undefined;
  const known = typeof sent === "string" ? undefined : texts.get(sent);
  if (known !== undefined) return known;
  const text = sent.toString();
  const safe = canHoldSecret(text) ? redactBody(text) : text;
  const encoded = typeof answer?.body === "string" ? JSON.stringify(safe) : safe;
  if (typeof sent !== "string") texts.set(sent, encoded);
  return encoded;
}

/** Returns a text that distinguishes tokens without revealing them. */
function markToken(exchange: Exchange): string | undefined {
  const authorization = readHeader(exchange, "authorization");
  const token = exchange.tokenHash || authorization === undefined ? undefined : readBearer(authorization.trim());
  return (exchange.tokenHash ?? (token && hashToken(token)))?.slice(0, 12);
}

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
    level: (status ?? 0) >= 500 ? "error" : "info",
    event: "request",
    id,
    world: findWorldId(exchange),
    operation: route?.id,
    method,
    path,
    status,
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
