// Defines the steps around an operation of the service: read its body, find its subject, run it, and await its commit.
// Assumption: timestamps.
import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { readBody } from "./body.ts";
import type { Answer, Routed } from "./exchange.ts";
import { readAssumption } from "./in-force.ts";
import { readBodyType } from "./parameters.ts";
import { toCause } from "./to-exchange.ts";

export function readRequestBody(exchange: Routed): void {
  const { operation } = exchange.route;
  exchange.body = readBody(exchange, readBodyType(operation));
}

/** Throws the 404 of operations that find their subject before the body is validated. */
export function findSubject({ world, route, params }: Routed, application: RequestsPort): void {
  const find = application.operations.get(route.id)?.find;
  if (find && world) application.read(world, (tx) => find(tx, params as never));
}

/** Runs the operation. The world is looked up again, because it may have been reset while the request was read. */
export function runOperation(exchange: Routed, application: WorldsPort & RequestsPort): Answer {
  const { id, operation: documented } = exchange.route;
  const world = application.worlds.get(exchange.world?.id ?? "");
  const operation = application.operations.get(id);
  if (!operation || !world) throw new Error(`${id} is not served`);
  const { path, query } = exchange.parameters;
  const requested = {
    path,
    query,
    headers: exchange.headers,
    body: exchange.body,
    caller: exchange.key,
    newSecret: application.random.secret,
  };
  const runWork = (tx: Parameters<typeof operation.answer>[0]) => operation.answer(tx, requested as never);
  // Read operations have no commit.
  if (documented.method === "get") return application.read(world, runWork);
  const { result, facts } = application.change(world, toCause(exchange), runWork);
  exchange.facts = facts;
  return result;
}

/** Removes fractions of a second from timestamps of the response, if the world assumes that. */
export function cutFractions(exchange: Routed, application: WorldsPort): Answer | undefined {
  if (!exchange.answer || readAssumption(exchange, application, "timestamps") !== "second") return undefined;
  return cutToSeconds(exchange.answer);
}

/** Waits for the commits of the request's world, or of all worlds if it has none or the world was removed. */
export function awaitDurable(
  { world, about = "", isStored, span }: Routed,
  application: WorldsPort & RequestsPort,
): Promise<void> | undefined {
  if (isStored) return undefined;
  const own = world ?? application.worlds.get(about);
  const waiting = application.waitUntilDurable(own?.id);
  return span && waiting ? span.wrap("commit", waiting) : waiting;
}

/** Stored instants are in UTC with milliseconds. */
const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** Returns the response without fractions of a second. */
export function cutToSeconds(answer: Answer): Answer {
  if (answer.body === undefined) return answer;
  const cut = (name: string, value: unknown) =>
    // The name of the field decides, because metadata of the integrator may also look like an instant.
    typeof value === "string" && /_(at|time)$/.test(name) ? value.replace(INSTANT, "$1Z") : value;
  return { ...answer, body: JSON.parse(JSON.stringify(answer.body, cut)) };
}
