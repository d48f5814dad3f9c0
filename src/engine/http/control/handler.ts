// Defines the types of handlers of the control API, from its specification, which has validated the request. `?world=`
// or the header `sandbox-world` names the world.

import type { operations } from "../../../contract/generated/control.ts";
import type { JsonContent } from "../../../contract/schemas.ts";
import { suggest } from "../../../platform/nearest.ts";
import type { Application, WorldsPort } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { findZone } from "../../domain/kernel/zone.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { type Answer, type Exchange, type Route, readDecodedHeader, readHeader } from "../exchange.ts";

export type ControlId = keyof operations;

/** The type of the body, which may be optional in the specification. */
type BodyOf<T> = T extends { requestBody: infer Body }
  ? JsonContent<Body>
  : T extends { requestBody?: infer Body }
    ? JsonContent<NonNullable<Body>> | undefined
    : undefined;

export interface Requested<Id extends ControlId> {
  exchange: Exchange;
  application: Application;
  /** Reading it throws 404 for an unknown name. */
  readonly world: World;
  path: NonNullable<operations[Id]["parameters"]["path"]>;
  query: NonNullable<operations[Id]["parameters"]["query"]>;
  body: BodyOf<operations[Id]>;
}

type Handlers<Ids extends ControlId> = { readonly [Id in Ids]: (requested: Requested<Id>) => Answer | Promise<Answer> };

/** Defines handlers by the ids of their operations, which determine their types. */
export const defineHandlers = <Ids extends ControlId>(handlers: Handlers<Ids>): Handlers<Ids> => handlers;

/** Handlers that are implemented above the transport. */
export type OuterHandlers = Handlers<"explain" | "explainLatestRefusal" | "applySmallestChange">;

/** Finds the world that the request names. Throws 404 for an unknown one. */
export function findWorld({ exchange, application }: { exchange: Exchange; application: WorldsPort }): World {
  return getWorld(application, resolveNamedWorld(exchange) ?? "default");
}

export const describeUnknownOperation = (id: string, known: readonly string[], which = ""): string =>
  `there is no operation ${id.slice(0, 60)}${which}.${suggest(id, known)}`;

/** Normalizes the name of a time zone. Throws 400 for an unknown one. */
export function readZone(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return findZone(text) ?? rejectInput(path, `${text} is not an IANA time zone, such as Europe/Copenhagen or UTC.`);
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const done: Answer = { status: 204 };

/** Reads the name without a check, for the log and the metrics. */
export const readNamedWorld = ({ params, query, headers }: Pick<Exchange, "params" | "query" | "headers">) =>
  params.worldId ?? (query.world?.toString() || readHeader({ headers }, "sandbox-world"));

/** Returns undefined if no world is named. Throws 400 if two are. */
export function resolveNamedWorld(exchange: Exchange): string | undefined {
  const named = exchange.query.world?.toString() || undefined;
  const inHeader = readDecodedHeader(exchange, "sandbox-world");
  if (named !== undefined && inHeader !== undefined && named !== inHeader)
    throw new HttpError(400, `?world= names ${named}, the header sandbox-world ${inHeader}. Send one of them.`);
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
