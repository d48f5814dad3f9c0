// Validates the input of acts that are not sent by HTTP (a fixture's history), by the same contract.

import type { ErrorObject } from "ajv/dist/2020.js";
import operations from "../../contract/generated/control-operations.json" with { type: "json" };
import { getValue, splitPointer } from "../../platform/member-paths.ts";
import { findNearest, suggest } from "../../platform/nearest.ts";
import { omitPath, reject } from "../domain/kernel/domain-error.ts";
import { HttpError } from "./errors.ts";
import type { Route, SentParts } from "./exchange.ts";
import { findFirstError, findRejectedSections } from "./fast-validators.ts";
import { createRoutes } from "./routes.ts";
import { toViolation } from "./violation.ts";

const routes = new Map<string, Route>(createRoutes(operations, true).map((route) => [route.id, route]));

export function checkAct(act: string, input: unknown): unknown {
  const route = routes.get(act);
  if (!route) throw new HttpError(404, `There is no act ${act}.${suggest(act, routes.keys())}`);
  const sent = { raw: undefined, body: input, query: {}, params: {}, headers: { "content-type": "application/json" } };
  if (findRejectedSections(sent, route).length === 0) return input;
  const error = findFirstError(input, route);
  return reject("INVALID_INPUT", error ? describeProblem(error, sent, route) : { path: "body", what: "does not fit." });
}

/** Describes a violation. An unknown field is named by its own path, also if it is a misspelt required field. */
function describeProblem(error: ErrorObject, sent: SentParts, route: Route): { path: string; what: string } {
  const known = listKnownMembers(error, route);
  const extra = findExtraMember(error, sent.body, known);
  if (extra !== undefined) {
    const path = ["body", ...splitPointer(error.instancePath), extra].join(".");
    return { path, what: `is not a member of this.${suggest(extra, known) || ` Known: ${known.join(", ")}.`}` };
  }
  const { location, message } = toViolation(error, "body", sent, []);
  const path = location.join(".");
  return { path, what: omitPath(path, message) };
}

function findExtraMember({ keyword, params, instancePath }: ErrorObject, body: unknown, known: readonly string[]) {
  if (keyword === "additionalProperties") return String(params.additionalProperty);
  if (keyword !== "required") return undefined;
  return Object.keys(Object(getValue(body, splitPointer(instancePath)))).find(
    (name) => !known.includes(name) && findNearest(name, [String(params.missingProperty)]) !== undefined,
  );
}

/** Lists the fields of the schema of the error, which a fast validator names only by its path. */
function listKnownMembers({ schemaPath }: ErrorObject, { operation }: Route): string[] {
  const path = [...splitPointer(schemaPath).slice(0, -1), "properties"];
  return Object.keys(Object(getValue(operation.request?.body?.contents?.[0]?.schema, path)));
}
