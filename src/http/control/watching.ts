// Seeing what happens: the request journal, and a stream of everything as it comes.

import type { Application } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { readInstant } from "../../domain/kernel/instant.ts";
import controlOperations from "../../generated/control-operations.json" with { type: "json" };
import operations from "../../generated/operations.json" with { type: "json" };
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { type Entry, type Filter, isRequestId } from "../request-log.ts";
import { showEntry } from "../request-log-shown.ts";
import { routesOf } from "../router.ts";
import { chosenWorld, type Handlers, noOperation, ok } from "./handler.ts";

function shown(entry: Entry, world: World, application: Application): object {
  const messages = application.look(world, (tx) => tx.messages.where("cause", entry.exchange.id).map(({ id }) => id));
  return showEntry(entry, messages);
}

/** What nothing can match would be waited for in vain. A request that failed in the sandbox may be one of the control surface. */
function mustMakeSense({ operation, since }: Filter): void {
  const faults: { place: string; what: string }[] = [];
  const known =
    operation === undefined ? [] : routesOf([...operations, ...controlOperations], false).map(({ id }) => id);
  if (operation !== undefined && !known.includes(operation))
    faults.push({ place: "query.operation", what: noOperation(operation, known) });
  if (since !== undefined && !isRequestId(since) && readInstant(since) === undefined) {
    const what = `${since.slice(0, 60)} is neither the id of a request nor an instant, such as 2030-06-01T09:00:00Z.`;
    faults.push({ place: "query.since", what });
  }
  if (faults.length > 0) reject("INVALID_INPUT", faults);
}

const HEARTBEAT_MS = 15_000;
/** Who listens without reading would fill the memory. */
const MOST_UNREAD = 8 * 1024 * 1024;

export const watching: Handlers = {
  async listRequests(asked) {
    const { application, query } = asked;
    const world = chosenWorld(asked);
    const { wait_for, timeout, limit = 100, ...filter } = query as Filter & { wait_for?: number; timeout?: number };
    mustMakeSense(filter);
    const look = () => application.requestLogs.list(world.id, filter);
    const entries = await application.activity.until(
      look,
      (found) => found.length >= (wait_for ?? 0),
      wait_for ? (timeout ?? 5000) : 0,
    );
    return ok({ items: entries.slice(-limit).map((entry) => shown(entry, world, application)) });
  },
  getRequest(asked) {
    const world = chosenWorld(asked);
    const id = asked.path.requestId ?? asked.path.id ?? "";
    const entry = asked.application.requestLogs.find(world.id, id);
    if (!entry)
      throw new HttpError(
        404,
        `World ${world.id} has no request ${id} in its journal. It keeps the latest; GET /_sandbox/requests lists them.`,
      );
    return ok(shown(entry, world, asked.application));
  },
  streamActivity(asked) {
    const { response, application, exchange } = asked;
    const world = chosenWorld(asked);
    const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };
    if (exchange.method === "HEAD") return { status: 200, headers, body: "" };
    response.writeHead(200, headers);
    response.write(": listening\n\n");
    const beat = setInterval(() => response.write(": still here\n\n"), HEARTBEAT_MS);
    const stop = application.activity.listen(({ type, world: where, data }) => {
      if (where !== world.id) return;
      const entry = type === "request" ? application.requestLogs.find(world.id, String(data)) : undefined;
      const body = entry ? shown(entry, application.worlds.get(world.id) ?? world, application) : data;
      response.write(`event: ${type}\ndata: ${JSON.stringify(body)}\n\n`);
      if (response.writableLength > MOST_UNREAD) response.destroy();
    });
    response.on("close", () => {
      clearInterval(beat);
      stop();
    });
    return undefined;
  },
};
