// Validators compiled at build time from Prism's own operations, which accept a valid request fast. What they don't accept goes to
// violations.ts, which words the rejection. A test holds them and Prism to the same verdicts.
import type { ErrorObject } from "ajv/dist/2020.js";
import control from "../../contract/generated/control-validators.js";
import service from "../../contract/generated/validators.js";
import type { Route, SentParts } from "./exchange.ts";

/** True only when the request is valid; false says only that it has to be validated with every error. */
export function plainlyFits(sent: SentParts, route: Route): boolean {
  // Compiled from the specification as it stands; an override may bind otherwise.
  if (route.flipped) return false;
  const validators = (route.control ? control : service)[route.id];
  if (!validators) return false;
  const { body, path, query, headers } = validators;
  if (!bodyFits(sent, route, body)) return false;
  if (path && !path(lowered(sent.params))) return false;
  if (headers && !headers(textsIn(sent.headers))) return false;
  return !query || queryFits(sent, route, query);
}

/** For input that was not sent by HTTP: the first violation of the body that was validated last. */
export const firstError = (route: Route): ErrorObject | undefined =>
  (route.control ? control : service)[route.id]?.body?.errors?.[0];

function bodyFits({ body, raw }: SentParts, { operation }: Route, fits?: (value: unknown) => boolean): boolean {
  if (!operation.request?.body) return true;
  // A body that was sent and can't be read is not missing.
  if (body === undefined) return !operation.request.body.required && (raw === undefined || raw.length === 0);
  return fits?.(body) ?? false;
}

/** Single texts, and lists joined by commas. */
function queryFits({ query }: SentParts, { operation }: Route, fits: (value: unknown) => boolean): boolean {
  const values: Record<string, unknown> = {};
  for (const { name, schema } of operation.request?.query ?? []) {
    const value = query[name];
    if (value === undefined) continue;
    // Sent several times: for the slow way to judge.
    if (typeof value !== "string") return false;
    values[name.toLowerCase()] = schema?.type === "array" ? value.split(",") : value;
  }
  return fits(values);
}

/** As Prism lowers the names of parameters. */
function lowered(params: Record<string, string>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name in params) values[name.toLowerCase()] = params[name] ?? "";
  return values;
}

/** Of all headers only these are looked at here; the others are read where they are used. */
function textsIn(headers: SentParts["headers"]): Record<string, unknown> {
  return { "accept-language": headers["accept-language"], "sandbox-world": headers["sandbox-world"] };
}
