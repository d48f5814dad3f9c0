// The quick yes. Validators compiled at build time from Prism's own operations say whether a request plainly fits; whatever they
// don't accept, violations.ts is asked about, and words the no. A test holds them and Prism to the same verdicts.
import control from "../generated/control-validators.js";
import service from "../generated/validators.js";
import type { Exchange, Route } from "./exchange.ts";
import { worded } from "./violation.ts";

/** True only when nothing is wrong; false means nothing but "look closer". */
export function plainlyFits(exchange: Exchange, route: Route): boolean {
  if (route.flipped) return false;
  const validators = (route.control ? control : service)[route.id];
  if (!validators) return false;
  const { body, path, query, headers } = validators;
  if (!bodyFits(exchange, route, body)) return false;
  if (path && !path(lowered(exchange.params))) return false;
  if (headers && !headers(textsIn(exchange.headers))) return false;
  return !query || queryFits(exchange, route, query);
}

/** For input that did not come by HTTP: the first thing that the last body broke. */
export function whyNot(exchange: Exchange, route: Route): string {
  const [error] = (route.control ? control : service)[route.id]?.body?.errors ?? [];
  return error ? worded(error, "body", exchange, []).message : "body does not fit.";
}

function bodyFits({ body, raw }: Exchange, { operation }: Route, fits?: (value: unknown) => boolean): boolean {
  if (!operation.request?.body) return true;
  if (body === undefined) return !operation.request.body.required && (raw === undefined || raw.length === 0);
  return fits?.(body) ?? false;
}

/** Single texts, and lists joined by commas. */
function queryFits({ query }: Exchange, { operation }: Route, fits: (value: unknown) => boolean): boolean {
  const values: Record<string, unknown> = {};
  for (const { name, schema } of operation.request?.query ?? []) {
    const value = query[name];
    if (value === undefined) continue;
    if (typeof value !== "string") return false;
    values[name.toLowerCase()] = schema?.type === "array" ? value.split(",") : value;
  }
  return fits(values);
}

function lowered(params: Record<string, string>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name in params) values[name.toLowerCase()] = params[name] ?? "";
  return values;
}

function textsIn(headers: Exchange["headers"]): Record<string, unknown> {
  return { "accept-language": headers["accept-language"], "sandbox-world": headers["sandbox-world"] };
}
