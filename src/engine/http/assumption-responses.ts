// Adapts responses in worlds that override an assumption. Assumptions: timestamps, other-company.

import type { WorldsPort } from "../app/application.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { HttpError } from "./errors.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { readAssumption } from "./in-force.ts";

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

/** Replaces a 404 by a 403 if another company has the id, in worlds with that assumption. */
export function toForeignError(reason: unknown, exchange: Exchange, application: WorldsPort): unknown {
  const { params, world: own } = exchange;
  if (!(reason instanceof DomainError) || reason.status !== 404 || !own) return reason;
  if (readAssumption(exchange, application, "other-company") !== "403") return reason;
  const ids = Object.values(params);
  const others = application.worlds.all().filter((world) => world.id !== own.id);
  const has = (world: typeof own) => ids.some((id) => world.find(id) !== undefined);
  // An id that no company has stays a 404.
  if (has(own) || !others.some(has)) return reason;
  return new HttpError(403, `${ids.join(", ")} belongs to another company. Use a token of that company.`, {
    rule: "other-company",
    values: { id: ids.join(", ") },
  });
}
