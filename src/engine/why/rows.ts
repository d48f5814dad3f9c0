// Defines the checks of a request as rows in the order of its steps: the rules that each check applies, and the values that it compares.

import type { RequestsPort } from "../app/application.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import { type Exchange, readHeader } from "../http/exchange.ts";
import { injectFaultAfter, injectFaultBefore } from "../http/fault-injection.ts";
import { identify } from "../http/identify.ts";
import { validateRequest } from "../http/request-validation.ts";
import { readRequestBody, runOperation } from "../http/run-operation.ts";
import { limitRate, type Step, steps } from "../http/steps.ts";
import { issueToken } from "../http/token.ts";
import { domainRules } from "./domain-rules.ts";

export interface CheckRow {
  name: string;
  /** The step that makes the check; undefined if the check precedes all steps. */
  step?: Step;
  /** The rules that the check applies. A name that ends in * matches all rules with that prefix. */
  rules: readonly string[];
  /** Returns the compared values; undefined if the check does not concern this request. */
  looked(exchange: Exchange, application: RequestsPort): string | undefined;
}

const readForm = (name: string) => (exchange: Exchange) =>
  new URLSearchParams(exchange.raw?.toString("utf8")).get(name) ?? "none";
const orDefault = (text: string | undefined, missing: string): string =>
  text === undefined || text === "" ? missing : text;

const path: CheckRow = {
  name: "path",
  rules: ["path-unknown", "method-unknown", "host-repeated", "authorization-repeated"],
  looked: ({ method, path, route }) => `${method} ${path.slice(0, 200)} is ${route?.id ?? "no operation"}`,
};
const createFaultRow = (when: "before" | "after", step: Step): CheckRow => ({
  name: when === "before" ? "fault" : "fault after the operation",
  step,
  rules: [],
  looked: (exchange) => ((exchange.fault?.when ?? "before") === when && exchange.fault ? "armed" : undefined),
});
const body: CheckRow = {
  name: "body",
  step: readRequestBody,
  rules: ["body-*", "media-type", "content-encoding"],
  looked: (exchange) =>
    exchange.raw?.length
      ? `${orDefault(readHeader(exchange, "content-type"), "no content-type")}, ${exchange.raw.length} bytes`
      : undefined,
};
const contract: CheckRow = {
  name: "contract",
  step: validateRequest,
  rules: ["contract"],
  looked: ({ route }) => `it fits ${route?.id ?? "its operation"}`,
};

const serviceRows: readonly CheckRow[] = [
  path,
  {
    name: "token",
    step: identify,
    rules: ["token-*", "key-revoked"],
    looked: ({ key }) => (key ? `of the key ${key.name} (${key.id})` : "not checked"),
  },
  {
    name: "scope",
    step: identify,
    rules: ["scope-missing"],
    looked: ({ route, scopes = [] }) =>
      route && route.scopes.length > 0 ? route.scopes.join(" ") : `any; the token has ${scopes.length}`,
  },
  {
    name: "maturity",
    step: identify,
    rules: ["preview-operation"],
    looked: ({ route }, { settings }) => (settings.maturity === "production" ? route?.maturity : undefined),
  },
  {
    name: "rate limit",
    step: limitRate,
    rules: ["rate-limit"],
    looked: (_, { settings }) =>
      settings.rateLimit === undefined ? undefined : `at most ${settings.rateLimit} a minute`,
  },
  createFaultRow("before", injectFaultBefore),
  body,
  contract,
  {
    name: "rule",
    step: runOperation,
    rules: [...Object.keys(domainRules), "other-company", "unavailable", "other"],
    looked: ({ route }) => route?.id,
  },
  createFaultRow("after", injectFaultAfter),
];

const tokenRows: readonly CheckRow[] = [
  { ...path, rules: ["host-repeated", "authorization-repeated"] },
  createFaultRow("before", injectFaultBefore),
  { ...body, step: issueToken },
  { name: "form", step: issueToken, rules: ["grant-repeated"], looked: () => "each parameter once" },
  { name: "grant type", step: issueToken, rules: ["grant-type"], looked: readForm("grant_type") },
  {
    name: "client",
    step: issueToken,
    rules: ["client-*", "basic-malformed", "key-revoked"],
    looked: ({ key }) => (key ? `${key.name} (${key.id})` : "not checked"),
  },
  { name: "audience", step: issueToken, rules: ["audience"], looked: readForm("audience") },
  { name: "scope", step: issueToken, rules: ["scope-not-granted"], looked: readForm("scope") },
  createFaultRow("after", injectFaultAfter),
];

/** An act needs no token, so it has fewer checks. */
const actRows: readonly CheckRow[] = [
  body,
  contract,
  {
    ...path,
    name: "rule",
    rules: [...Object.keys(domainRules), "unavailable", "other"],
    looked: ({ route }) => route?.id,
  },
];

/** A test uses the tables to check that every rule has a row. */
export const tables = { service: serviceRows, token: tokenRows, act: actRows };

/** Sorts rows by the order of the steps. The sort is stable, so rows of one step keep their order. */
function sortRows(rows: readonly CheckRow[], list: readonly Step[]): readonly CheckRow[] {
  const getIndex = ({ step }: CheckRow): number => (step ? list.indexOf(step) : -1);
  return [...rows].sort((a, b) => getIndex(a) - getIndex(b));
}

export function listRows({ route }: Exchange): readonly CheckRow[] {
  if (route?.control) return actRows;
  return route?.id === TOKEN_OPERATION ? sortRows(tokenRows, steps.token) : sortRows(serviceRows, steps.public);
}
