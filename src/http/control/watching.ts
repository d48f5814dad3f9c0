// Seeing what happens: the request log, and a stream of everything as it happens.
import type { ServerResponse } from "node:http";
import type { Application, LoggedRequest, RequestFilter } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { readInstant } from "../../domain/kernel/instant.ts";
import controlOperations from "../../generated/control-operations.json" with { type: "json" };
import operations from "../../generated/operations.json" with { type: "json" };
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { routesOf } from "../router.ts";
import { chosenWorld, type Handlers, noOperation, ok } from "./handler.ts";

function shown(request: LoggedRequest, world: World, application: Application): object {
  return request.show(application.look(world, (tx) => tx.messages.where("cause", request.id).map(({ id }) => id)));
}

/** As sandbox.ts makes them; it may be one of an earlier run. */
const isRequestId = (text: string): boolean => /^req-\w+-\d+$/.test(text);

/** A filter that can match nothing would wait in vain. A request that failed in the sandbox may be one of the control API. */
function mustMakeSense({ operation, since }: RequestFilter): void {
  const faults: { path: string; what: string }[] = [];
  const known =
    operation === undefined ? [] : routesOf([...operations, ...controlOperations], false).map(({ id }) => id);
  if (operation !== undefined && !known.includes(operation))
    faults.push({ path: "query.operation", what: noOperation(operation, known) });
  if (since !== undefined && !isRequestId(since) && readInstant(since) === undefined) {
    const what = `${since.slice(0, 60)} is neither the id of a request nor an instant, such as 2030-06-01T09:00:00Z.`;
    faults.push({ path: "query.since", what });
  }
  if (faults.length > 0) reject("INVALID_INPUT", faults);
}

const HEARTBEAT_MS = 15_000;
/** A listener that does not read would fill the memory. */
const MOST_UNREAD = 8 * 1024 * 1024;

export const watching: Handlers<"listRequests" | "getRequest" | "streamActivity"> = {
  async listRequests(requested) {
    const { application } = requested;
    const world = chosenWorld(requested);
    const { wait_for, timeout, limit = 100, world: _, ...filter } = requested.query;
    mustMakeSense(filter);
    const requests = await application.activity.until(
      () => application.requestLogs.list(world.id, filter),
      (found) => found.length >= (wait_for ?? 0),
      wait_for ? (timeout ?? 5000) : 0,
    );
    return ok({ items: requests.slice(-limit).map((request) => shown(request, world, application)) });
  },
  getRequest(requested) {
    const { application, path } = requested;
    const world = chosenWorld(requested);
    const request = application.requestLogs.find(world.id, path.requestId);
    if (request) return ok(shown(request, world, application));
    throw new HttpError(
      404,
      `World ${world.id} has no request ${path.requestId} in its log. The log keeps the latest requests; GET /_sandbox/requests lists them.`,
    );
  },
  streamActivity(requested) {
    const world = chosenWorld(requested);
    const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };
    if (requested.exchange.method === "HEAD") return { status: 200, headers, body: "" };
    return {
      status: 200,
      stream(response) {
        response.writeHead(200, headers);
        stream(world, requested.application, response);
      },
    };
  },
};

function stream(world: World, application: Application, response: ServerResponse): void {
  response.write(": listening\n\n");
  const beat = setInterval(() => response.write(": still here\n\n"), HEARTBEAT_MS);
  const stop = application.activity.listen((happening) => {
    if (happening.world !== world.id) return;
    const { type, data } = happening;
    const request = type === "request" ? application.requestLogs.find(world.id, String(data)) : undefined;
    const body = request ? shown(request, application.worlds.get(world.id) ?? world, application) : data;
    response.write(`event: ${type}\ndata: ${JSON.stringify(body)}\n\n`);
    if (response.writableLength > MOST_UNREAD) response.destroy();
  });
  response.on("close", () => {
    clearInterval(beat);
    stop();
  });
}
