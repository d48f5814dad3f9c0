// Shows the log of a world with its requests, and streams new entries.

import type { ServerResponse } from "node:http";
import type { Schemas } from "../../../contract/schemas.ts";
import { optional } from "../../../platform/optional.ts";
import type { HistoryPort, RequestsPort, Run, WorldsPort } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { readInstant } from "../../domain/kernel/instant.ts";
import { formatEvent, StreamReader } from "../../log/follow.ts";
import { type HarRequest, toHarEntry } from "../../log/har.ts";
import type { LogEntry, LogFilter, LogView } from "../../log/view.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { readHeader } from "../exchange.ts";
import { writeJsonPieces } from "../json-pieces.ts";
import { allRoutes } from "../routes.ts";
import { defineHandlers, describeUnknownOperation, ok, type Requested, resolveNamedWorld } from "./handler.ts";

/**
 * Rejects unknown operations, whose requests would never arrive. Control operations are known, because their internal
 * errors are logged.
 */
function assertKnownOperation(operation: string | undefined): void {
  const known = allRoutes.map(({ id }) => id);
  if (operation === undefined || operation.startsWith("trigger ") || known.includes(operation)) return;
  rejectInput("query.operation", describeUnknownOperation(operation, known));
}

/** The query parameters that lists and the stream share. */
type WatchQuery = Omit<Requested<"listLog">["query"], "since" | "limit" | "view" | "run" | "format">;

function toFilter({ failed, ...rest }: WatchQuery): LogFilter {
  assertKnownOperation(rest.operation);
  // `false` does not filter.
  return optional({ ...rest, failed: failed === "true" ? true : undefined });
}

/** Finds the number after which requests are listed: that of a request, or the last one before an instant. */
function findStart(requests: readonly LogEntry[], since: string | undefined): number {
  if (since === undefined) return 0;
  const known = requests.find(({ id }) => id === since);
  if (known) return known.seq;
  const instant = readInstant(since);
  if (instant !== undefined) {
    // `since` is exclusive, and the first request at the instant is included.
    const first = requests.find(({ at }) => at >= instant);
    return first ? first.seq - 1 : Number.POSITIVE_INFINITY;
  }
  // A request that was dropped, or of an earlier run, is before all others.
  if (/^req-\w+-\d+$/.test(since)) return 0;
  const what = `${since.slice(0, 60)} is neither the id of a request nor an instant, such as 2030-06-01T09:00:00Z.`;
  return rejectInput("query.since", what);
}

/** Yields the shown entries lazily. */
export function* showEntries(entries: readonly LogEntry[], view: LogView, { log }: HistoryPort) {
  for (const entry of entries) yield log.show(entry, view);
}

function* createHar(requests: readonly LogEntry[], { log, getBaseUrl, version }: HistoryPort & RequestsPort) {
  function* listEntries() {
    for (const request of requests) yield toHarEntry(log.show(request, "full") as HarRequest, getBaseUrl());
  }
  yield '{"log":';
  yield* writeJsonPieces({ version: "1.2", creator: { name: "experience-sandbox", version }, entries: listEntries() });
  yield "}";
}

/** Reads the position of the reader. Browsers send the id of the last event in a header. */
function readPosition({ exchange, query, application }: Requested<"streamActivity">): number | undefined {
  const last = readHeader(exchange, "last-event-id");
  const since = last !== undefined && /^\d{1,16}$/.test(last) ? Number(last) : query.since;
  const { data, database, fresh } = application.settings;
  const isContinued = (data !== undefined || database !== undefined) && !fresh;
  // The reader followed another process, whose log in memory is gone.
  const isOther = query.instance !== undefined && query.instance !== application.instance && !isContinued;
  // A number that is not used yet is from another run.
  return since !== undefined && (isOther || since > application.activityLog.lastSeq) ? 0 : since;
}

/** Lists the acts and overrides of a world so far, for the worlds that join its run. */
function listEarlierChanges(world: World, { log, assumptions }: HistoryPort & WorldsPort): Omit<Run, "world"> {
  const performed = log.list(world.id, { kinds: ["act"] }).filter(({ failed }) => !failed);
  const overridden = assumptions.all(world).filter(({ value, default: byDefault }) => value !== byDefault);
  return {
    acts: performed.map((entry) => log.show(entry, "full") as Run["acts"][number]),
    assumptions: Object.fromEntries(overridden.map(({ id, value }) => [id, value])),
  };
}

/** Finds a request as the log shows it, with redacted secrets. Throws 404. */
export function findLogged(world: World, id: string, { log }: HistoryPort): Schemas["JournalRequest"] {
  const request = log.find(world.id, id);
  if (request?.kind === "request") return log.show(request, "full") as Schemas["JournalRequest"];
  const message = `World ${world.id} has no request ${id} in its log. The log keeps the latest requests.`;
  throw new HttpError(404, message, { list: "GET /_sandbox/requests" });
}

export const watching = defineHandlers({
  async listRequests({ application, world, query }) {
    const { wait_for = 0, timeout, limit = 100, since, ...rest } = query;
    const filter: LogFilter = { ...toFilter(rest), kinds: ["request"] };
    const { log } = application;
    const list = () => {
      const start = findStart(log.list(world.id, { kinds: ["request"] }), since);
      return log.list(world.id, { ...filter, since: start }, Math.max(limit, wait_for));
    };
    const timeoutMs = wait_for ? (timeout ?? 5000) : 0;
    const requests = await application.followers.waitUntilEnough(list, (found) => found.length >= wait_for, timeoutMs);
    const items = showEntries(requests.slice(-limit), "full", application);
    return { status: 200, pieces: writeJsonPieces({ items, dropped: log.findDropped([world.id]) }) };
  },
  getRequest: ({ application, path, world }) => ok(findLogged(world, path.requestId, application)),
  listLog({ application, world, query }) {
    const { log, runs } = application;
    const { since, limit = 100, view = "full", run: isWholeRun, format, ...rest } = query;
    const run = isWholeRun === "true";
    const filter: LogFilter = { ...toFilter(rest), ...(since === undefined ? {} : { since }), run };
    if (format === "har") {
      const requests = log.list(world.id, { ...filter, kinds: ["request"] }, query.limit ?? Number.POSITIVE_INFINITY);
      const headers = { "content-type": "application/har+json; charset=utf-8" };
      return { status: 200, headers, pieces: createHar(requests, application) };
    }
    const items = showEntries(log.list(world.id, filter, limit), view, application);
    const dropped = log.findDropped(run ? [world.id, ...runs.listMembers(world.id)] : [world.id]);
    return { status: 200, pieces: writeJsonPieces({ items, seq: application.activityLog.lastSeq, dropped }) };
  },
  getLogEntry({ application, path, world }) {
    const entry = application.log.find(world.id, path.id);
    if (entry) return ok(application.log.showFully(entry));
    const { count } = application.log.findDropped([world.id]);
    const lost = count === 0 ? "It has every entry since it began." : `It had to drop ${count} older entries.`;
    throw new HttpError(404, `The log of world ${world.id} has no ${path.id.slice(0, 100)}. ${lost}`, {
      list: "GET /_sandbox/log",
    });
  },
  setMark({ body, application, world }) {
    const { name, run } = body;
    application.log.mark(world.id, name);
    if (run) application.runs.begin({ world: world.id, ...listEarlierChanges(world, application) });
    return ok(body);
  },
  streamActivity(requested) {
    const { application, query, exchange } = requested;
    const world = resolveNamedWorld(exchange) === "*" ? undefined : requested.world.id;
    // A HEAD request has no body, so it can't wait for the stream.
    if (exchange.method === "HEAD") return { status: 200, headers: EVENT_STREAM, body: "" };
    const following = { world, view: query.view ?? "full", since: readPosition(requested), filter: toFilter(query) };
    return {
      status: 200,
      stream(response) {
        const { activityLog, log, followers, instance } = application;
        response.writeHead(200, EVENT_STREAM);
        response.write(formatEvent("hello", { instance, seq: activityLog.lastSeq }));
        const reader = new StreamReader(response, log, following);
        response.on("drain", () => followers.wake());
        keepOpen(response, followers.add(reader));
        followers.wake();
      },
    };
  },
});

/** Proxies cut connections that are silent for a minute or less. */
const HEARTBEAT_MS = 15_000;

/**
 * The timeout of a stream is this multiple of that of other responses (`http/serve.ts`), because a reader may stop at a
 * breakpoint.
 */
const TIMEOUT_FACTOR = 8;

export const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };

/** Keeps an idle stream open by a heartbeat, until its reader disconnects. */
export function keepOpen(response: ServerResponse, ended: () => void): void {
  // Every write restarts the timeout, so it only expires while the reader doesn't read.
  const { socket } = response;
  socket?.setTimeout(TIMEOUT_FACTOR * (socket.timeout ?? 0));
  const beat = setInterval(() => {
    if (response.writableLength === 0) response.write(": still here\n\n");
  }, HEARTBEAT_MS);
  response.on("close", () => {
    clearInterval(beat);
    ended();
  });
}
