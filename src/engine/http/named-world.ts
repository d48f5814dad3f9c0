// The world that a request of the control API, or for a document, names: `?world=` or the header `sandbox-world`.

import type { WorldsPort } from "../app/application.ts";
import type { World } from "../world/state/world.ts";
import { HttpError } from "./errors.ts";
import { decodedHeader, type Exchange, type Route } from "./exchange.ts";

/** Undefined where none is named. Throws 400 where two are. */
export function namedWorld(exchange: Exchange): string | undefined {
  const [named, inHeader] = [exchange.query.world?.toString() || undefined, decodedHeader(exchange, "sandbox-world")];
  if (named !== undefined && inHeader !== undefined && named !== inHeader) {
    throw new HttpError(400, `?world= names ${named}, the header sandbox-world ${inHeader}. Send one of them.`);
  }
  return named ?? inHeader;
}

/** A session without a world makes its own. */
export const OF_SESSION: ReadonlySet<string> = new Set(["sendMcpMessage", "endMcpSession"]);

/** Whether the operation has the parameter ?world=. */
export const takesWorld = ({ operation: { request } }: Route): boolean =>
  (request?.query ?? []).some(({ name }) => name === "world");

/** Throws 404. */
export function worldCalled(application: WorldsPort, id: string): World {
  const world = application.worlds.get(id);
  if (!world) throw noWorld(id);
  return world;
}

export const noWorld = (id: string): HttpError =>
  new HttpError(404, `There is no world ${id.slice(0, 100)}.`, { list: "GET /_sandbox/worlds" });

export const worldExists = (id: string): HttpError =>
  new HttpError(409, `There is a world ${id} already. Choose another id, or leave it out.`, { code: "WORLD_EXISTS" });
