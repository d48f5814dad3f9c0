// Defines the checks of a request as rows, in the order in which they are made. A row has the rules that the check
// applies, and the values that it compares.

import type { RequestsPort } from "../app/application.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import { type Exchange, readHeader } from "../http/exchange.ts";
import { domainRules } from "./domain-rules.ts";

export interface CheckRow {
  name: string;
  /** Applies to armed faults only: whether the fault comes before or after the operation. */
  when?: "before" | "after";
  /** The rules that the check applies. A name that ends in * matches all rules with that prefix. */
  rules: readonly string[];
  /** Returns the compared values; undefined if the check does not concern this request. */
  looked(exchange: Exchange, application: RequestsPort): string | undefined;
}

const readForm = (name: string) => (exchange: Exchange) =>
  new URLSearchParams(exchange.raw?.toString("utf8")).get(name) ?? "none";

const path: CheckRow = {
  name: "path",
  rules: ["path-unknown", "method-unknown", "host-repeated", "authorization-repeated"],
  looked: ({ method, path, route }) => `${method} ${path.slice(0, 200)} is ${route?.id ?? "no operation"}`,
};
const faultBefore: CheckRow = { name: "fault", when: "before", rules: ["fault-injected"], looked: () => "armed" };
const faultAfter: CheckRow = { ...faultBefore, name: "fault after the operation", when: "after" };
const body: CheckRow = {
  name: "body",
  rules: ["body-*", "media-type", "content-encoding"],
  looked: (exchange) =>
    exchange.raw?.length
      ? `${readHeader(exchange, "content-type") || "no content-type"}, ${exchange.raw.length} bytes`
      : undefined,
};
const contract: CheckRow = {
  name: "contract",
  rules: ["contract"],
  looked: ({ route }) => `it fits ${route?.id ?? "its operation"}`,
};

const serviceRows: readonly CheckRow[] = [
  path,
  {
    name: "token",
    rules: ["token-*", "key-revoked"],
    looked: ({ key }) => (key ? `of the key ${key.name} (${key.id})` : "not checked"),
  },
  {
    name: "scope",
    rules: ["scope-missing"],
    looked: ({ route, scopes = [] }) =>
      route && route.scopes.length > 0 ? route.scopes.join(" ") : `any; the token has ${scopes.length}`,
  },
  {
    name: "maturity",
    rules: ["preview-operation"],
    looked: ({ route }, { settings }) => (settings.maturity === "production" ? route?.maturity : undefined),
  },
  {
    name: "rate limit",
    rules: ["rate-limit"],
    looked: (_, { settings }) =>
      settings.rateLimit === undefined ? undefined : `at most ${settings.rateLimit} a minute`,
  },
  faultBefore,
  body,
  contract,
  {
    name: "rule",
    rules: [...Object.keys(domainRules), "other-company", "unavailable", "other"],
    looked: ({ route }) => route?.id,
  },
  faultAfter,
];

const tokenRows: readonly CheckRow[] = [
  { ...path, rules: ["host-repeated", "authorization-repeated"] },
  faultBefore,
  body,
  { name: "form", rules: ["grant-repeated"], looked: () => "each parameter once" },
  { name: "grant type", rules: ["grant-type"], looked: readForm("grant_type") },
  {
    name: "client",
    rules: ["client-*", "basic-malformed", "key-revoked"],
    looked: ({ key }) => (key ? `${key.name} (${key.id})` : "not checked"),
  },
  { name: "audience", rules: ["audience"], looked: readForm("audience") },
  { name: "scope", rules: ["scope-not-granted"], looked: readForm("scope") },
  faultAfter,
];

/** An act needs no token, so it has fewer checks. */
const actRows: readonly CheckRow[] = [
  body,
  contract,
  {
    name: "rule",
    rules: [...Object.keys(domainRules), "unavailable", "other"],
    looked: ({ route }) => route?.id,
  },
];

/** A test uses the tables to check that every rule has a row. */
export const tables = { service: serviceRows, token: tokenRows, act: actRows };

export function listRows({ route, fault }: Exchange): readonly CheckRow[] {
  const all = route?.control ? actRows : route?.id === TOKEN_OPERATION ? tokenRows : serviceRows;
  return all.filter(({ when }) => when === undefined || (fault && (fault.when ?? "before") === when));
}
