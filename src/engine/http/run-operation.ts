// The steps around an operation of the service: its body read, its subject found, the operation carried out, its commit awaited.
// Assumption: timestamps.
import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { cutToSeconds } from "./assumption-responses.ts";
import { readBody } from "./body.ts";
import type { Answer, Routed } from "./exchange.ts";
import { readAssumption } from "./in-force.ts";
import { toCause } from "./log-request.ts";
import { readBodyType } from "./parameters.ts";

export function readRequestBody(exchange: Routed): void {
  const { operation } = exchange.route;
  exchange.body = readBody(exchange, readBodyType(operation));
}

/** Some operations look for their subject before they look at the request. */
export function findSubject({ world, route, params }: Routed, application: RequestsPort): void {
  const find = application.operations.get(route.id)?.find;
  // Throws the 404 before the body is held against its schema.
  if (find && world) application.read(world, (tx) => find(tx, params as never));
}

/** The world is looked up again: it may have been reset while the request was read. */
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
  const work = (tx: Parameters<typeof operation.answer>[0]) => operation.answer(tx, requested as never);
  // Reading makes no commit.
  if (documented.method === "get") return application.read(world, work);
  const { result, facts } = application.change(world, toCause(exchange), work);
  exchange.facts = facts;
  return result;
}

/** Timestamps of the answer without fractions of a second, where the world assumes that. */
export function cutFractions(exchange: Routed, application: WorldsPort): Answer | undefined {
  if (!exchange.answer || readAssumption(exchange, application, "timestamps") !== "second") return undefined;
  return cutToSeconds(exchange.answer);
}

/** For what its own world has under way; an operation that is about none, or about one that is gone, for all worlds'. */
export function awaitDurable(
  { world, about = "", isStored, span }: Routed,
  application: WorldsPort & RequestsPort,
): Promise<void> | undefined {
  if (isStored) return undefined;
  const own = world ?? application.worlds.get(about);
  const waiting = application.waitUntilDurable(own?.id);
  return span && waiting ? span.wrap("commit", waiting) : waiting;
}
