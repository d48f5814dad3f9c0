// Finds the world that a control request or a request for a document names: `?world=` or the header `sandbox-world`.

import type { WorldsPort } from "../app/application.ts";
import type { World } from "../world/state/world.ts";
import { HttpError } from "./errors.ts";
import { type Exchange, type Route, readDecodedHeader, readHeader } from "./exchange.ts";

/** Reads the name without a check, for the log and the metrics. */
export const readNamedWorld = ({ params, query, headers }: Pick<Exchange, "params" | "query" | "headers">) =>
  params.worldId ?? (query.world?.toString() || readHeader({ headers }, "sandbox-world"));

/** Returns undefined if no world is named. Throws 400 if two are. */
export function resolveNamedWorld(exchange: Exchange): string | undefined {
  const [named, inHeader] = [
    exchange.query.world?.toString() || undefined,
    readDecodedHeader(exchange, "sandbox-world"),
  ];
  if (named !== undefined && inHeader !== undefined && named !== inHeader) {
    throw new HttpError(400, `?world= names ${named}, the header sandbox-world ${inHeader}. Send one of them.`);
  }
  return named ?? inHeader;
}

/** A session without a world creates its own. */
export const OF_SESSION: ReadonlySet<string> = new Set(["sendMcpMessage", "endMcpSession"]);

/** Whether the operation has the parameter ?world=. */
export const hasWorldParameter = ({ operation: { request } }: Route): boolean =>
  (request?.query ?? []).some(({ name }) => name === "world");

/** Throws 404 for an unknown world. */
export function getWorld(application: WorldsPort, id: string): World {
  const world = application.worlds.get(id);
  if (!world) throw createNoWorld(id);
  return world;
}

export const createNoWorld = (id: string): HttpError =>
  new HttpError(404, `There is no world ${id.slice(0, 100)}.`, { list: "GET /_sandbox/worlds" });

export const createWorldExists = (id: string): HttpError =>
  new HttpError(409, `There is a world ${id} already. Choose another id, or omit it.`, { code: "WORLD_EXISTS" });
