// The shape of what the control surface can be asked. A world is chosen by ?world= or the header `sandbox-world`.
import type { ServerResponse } from "node:http";
import { nearest } from "../../domain/nearest.ts";
import type { World } from "../../world/world.ts";
import { HttpError } from "../errors.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { header } from "../exchange.ts";
import type { House } from "../house.ts";

export interface Asked {
  exchange: Exchange;
  house: House;
  path: Record<string, string>;
  query: Record<string, unknown>;
  /** The body, which has passed the contract. */
  body: unknown;
  response: ServerResponse;
}

/** Undefined: the handler writes the response itself. */
export type Handler = (asked: Asked) => Answer | undefined | Promise<Answer | undefined>;
export type Handlers = Readonly<Record<string, Handler>>;

export function chosenWorld({ exchange, house, query }: Asked): World {
  const [named, said] = [query.world as string | undefined, header(exchange, "sandbox-world")];
  if (named !== undefined && said !== undefined && named !== said) {
    throw new HttpError(400, `?world= names ${named}, the header sandbox-world ${said}. Send one of them.`);
  }
  return worldCalled(house, named ?? said ?? "default");
}

/** The id of the world that a request is about, whether there is one of that id or not. */
export function meantWorld({ query, params, headers }: Exchange): string {
  return String(params.worldId ?? query.world ?? headers["sandbox-world"] ?? "default");
}

export function worldCalled(house: House, id: string): World {
  const world = house.worlds.get(id);
  if (!world) throw new HttpError(404, `There is no world ${id.slice(0, 100)}. GET /_sandbox/worlds lists them.`);
  return world;
}

export const noOperation = (id: string, known: readonly string[]): string =>
  `there is no operation ${id.slice(0, 60)}. Did you mean ${nearest(id, known)}?`;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const done: Answer = { status: 204 };
