// Defines the types of handlers of the control API, from its specification, which has validated the request. `?world=` or the header `sandbox-world`
// names the world.

import type { operations } from "../../../contract/generated/control.ts";
import type { JsonContent } from "../../../contract/schemas.ts";
import { suggest } from "../../../platform/nearest.ts";
import type { Application, WorldsPort } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { findZone } from "../../domain/kernel/zone.ts";
import type { World } from "../../world/state/world.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { getWorld, resolveNamedWorld } from "../named-world.ts";

export type ControlId = keyof operations;

/** The type of the body, which may be optional in the specification. */
type BodyOf<T> = T extends { requestBody: infer Body }
  ? JsonContent<Body>
  : T extends { requestBody?: infer Body }
    ? JsonContent<NonNullable<Body>> | undefined
    : undefined;

/** `Ports`: the ports of the application that the handler uses. With WorldsPort it also gets the world. Reading it throws 404 for an unknown name. */
export type Requested<Id extends ControlId, Ports = unknown> = CheckedRequest<Id, Ports> &
  (Ports extends WorldsPort ? { readonly world: World } : unknown);

interface CheckedRequest<Id extends ControlId, Ports> {
  exchange: Exchange;
  application: Ports;
  path: NonNullable<operations[Id]["parameters"]["path"]>;
  query: NonNullable<operations[Id]["parameters"]["query"]>;
  body: BodyOf<operations[Id]>;
}

export type Handler<Id extends ControlId, Ports = unknown> = (
  requested: Requested<Id, Ports>,
) => Answer | Promise<Answer>;
type Handlers<Ids extends ControlId, Ports> = { readonly [Id in Ids]: Handler<Id, Ports> };

/** Defines handlers by the ids of their operations, which determine their types. Without `Ports` they get only the request. */
export const defineHandlers =
  <Ports = unknown>() =>
  <Ids extends ControlId>(handlers: Handlers<Ids, Ports>): Handlers<Ids, Ports> =>
    handlers;

/** Handlers that are implemented above the transport. */
export type OuterHandlers = Handlers<"explain" | "explainLatestRefusal" | "applySmallestChange", Application>;

/** Finds the world that the request names. Throws 404 for an unknown one. */
export function findWorld({
  exchange,
  application,
}: Pick<Requested<ControlId, WorldsPort>, "exchange" | "application">): World {
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
