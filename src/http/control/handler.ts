// The shape of what the control surface can be asked. A world is chosen by ?world= or the header `sandbox-world`.
import type { ServerResponse } from "node:http";
import { nearest } from "../../domain/nearest.ts";
import type { World } from "../../world/world.ts";
import type { Answer, Exchange } from "../exchange.ts";
import type { House } from "../house.ts";
import { namedWorld, worldCalled } from "../named-world.ts";

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

export function chosenWorld({ exchange, house }: Asked): World {
  return worldCalled(house, namedWorld(exchange) ?? "default");
}

export const noOperation = (id: string, known: readonly string[]): string =>
  `there is no operation ${id.slice(0, 60)}. Did you mean ${nearest(id, known)}?`;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const done: Answer = { status: 204 };
