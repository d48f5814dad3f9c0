// The shape of what the control surface can be asked. A world is chosen by ?world= or the header `sandbox-world`.
import type { ServerResponse } from "node:http";
import type { Application } from "../../app/application.ts";
import { didYouMean } from "../../domain/kernel/nearest.ts";
import type { World } from "../../world/state/world.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { namedWorld, worldCalled } from "../named-world.ts";

export interface Asked {
  exchange: Exchange;
  application: Application;
  path: Record<string, string>;
  query: Record<string, unknown>;
  /** The body, which has passed the contract. */
  body: unknown;
  response: ServerResponse;
}

/** Undefined: the handler writes the response itself. */
export type Handler = (asked: Asked) => Answer | undefined | Promise<Answer | undefined>;
export type Handlers = Readonly<Record<string, Handler>>;

export function chosenWorld({ exchange, application }: Asked): World {
  return worldCalled(application, namedWorld(exchange) ?? "default");
}

/** The id of the world that a request is about, whether there is one of that id or not. */
export function meantWorld({ query, params, headers }: Exchange): string {
  return String(params.worldId ?? query.world ?? headers["sandbox-world"] ?? "default");
}

export const noOperation = (id: string, known: readonly string[]): string =>
  `there is no operation ${id.slice(0, 60)}.${didYouMean(id, known)}`;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const done: Answer = { status: 204 };
