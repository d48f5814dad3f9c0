// The quick yes. Validators compiled at build time from Prism's own operations say whether a request plainly fits; whatever they
// don't accept, Prism is asked about, and words the no. A test holds the two to the same verdicts.
import control from "../generated/control-validators.js";
import service from "../generated/validators.js";
import type { Exchange, Route } from "./exchange.ts";

/** True only when Prism would find nothing; false means nothing but "ask Prism". */
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

/** In the validators' own words, for input that Prism never sees: the first thing that the last body broke. */
export function whyNot(route: Route): string {
  const [error] = (route.control ? control : service)[route.id]?.body?.errors ?? [];
  const place = ["body", ...(error?.instancePath ?? "").split("/").slice(1)].join(".");
  return `${place} ${error?.message ?? "does not fit"}.`;
}

function bodyFits({ body, raw }: Exchange, { operation }: Route, fits?: (value: unknown) => boolean): boolean {
  if (!operation.request?.body) return true;
  if (body === undefined) return !operation.request.body.required && (raw === undefined || raw.length === 0);
  return fits?.(body) ?? false;
}

/** Only what needs no reading of styles: single texts, and lists joined by commas. An empty value is Prism's to judge. */
function queryFits({ query }: Exchange, { operation }: Route, fits: (value: unknown) => boolean): boolean {
  const values: Record<string, unknown> = {};
  for (const { name, schema } of operation.request?.query ?? []) {
    const value = query[name];
    if (value === undefined) continue;
    if (typeof value !== "string" || value === "") return false;
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
