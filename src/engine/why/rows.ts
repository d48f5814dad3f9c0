// The checks of a request as rows, in the order of its steps: the rules under which each rejects, and what it looks at.

import type { RequestsPort } from "../app/application.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import { type Exchange, header } from "../http/exchange.ts";
import { injectFaultAfter, injectFaultBefore } from "../http/fault-injection.ts";
import { identify } from "../http/identify.ts";
import { limitRate } from "../http/rate-limit.ts";
import { validateRequest } from "../http/request-validation.ts";
import { readRequestBody, runOperation } from "../http/run-operation.ts";
import { type Step, steps } from "../http/steps.ts";
import { issueToken } from "../http/token.ts";
import { domainRules } from "./domain-rules.ts";

export interface CheckRow {
  name: string;
  /** The step that makes the check; before all steps when it is none of them. */
  step?: Step;
  /** The rules under which it rejects; a name that ends in * stands for all that begin so. */
  rules: readonly string[];
  /** Undefined: it does not concern this request, and is left out. */
  looked(exchange: Exchange, application: RequestsPort): string | undefined;
}

const form = (exchange: Exchange, name: string): string =>
  new URLSearchParams(exchange.raw?.toString("utf8")).get(name) ?? "none";
const show = (text: string | undefined, missing: string): string =>
  text === undefined || text === "" ? missing : text;

const path: CheckRow = {
  name: "path",
  rules: ["path-unknown", "method-unknown", "host-repeated", "authorization-repeated"],
  looked: ({ method, path, route }) => `${method} ${path.slice(0, 200)} is ${route?.id ?? "no operation"}`,
};
const fault = (when: "before" | "after", step: Step): CheckRow => ({
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
      ? `${show(header(exchange, "content-type"), "no content-type")}, ${exchange.raw.length} bytes`
      : undefined,
};
const contract: CheckRow = {
  name: "contract",
  step: validateRequest,
  rules: ["contract"],
  looked: ({ route }) => `it fits ${route?.id ?? "its operation"}`,
};

/** Of an operation of the service, and of an act. */
const ofService: readonly CheckRow[] = [
  path,
  {
    name: "token",
    step: identify,
    rules: ["token-*", "key-revoked"],
    looked: ({ key }) => (key ? `of the key ${key.name} (${key.id})` : "not looked at"),
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
  fault("before", injectFaultBefore),
  body,
  contract,
  {
    name: "rule",
    step: runOperation,
    rules: [...Object.keys(domainRules), "other-company", "unavailable", "other"],
    looked: ({ route }) => route?.id,
  },
  fault("after", injectFaultAfter),
];

const ofToken: readonly CheckRow[] = [
  { ...path, rules: ["host-repeated", "authorization-repeated"] },
  fault("before", injectFaultBefore),
  { ...body, step: issueToken },
  { name: "form", step: issueToken, rules: ["grant-repeated"], looked: () => "each parameter once" },
  { name: "grant type", step: issueToken, rules: ["grant-type"], looked: (exchange) => form(exchange, "grant_type") },
  {
    name: "client",
    step: issueToken,
    rules: ["client-*", "basic-malformed", "key-revoked"],
    looked: ({ key }) => (key ? `${key.name} (${key.id})` : "not looked at"),
  },
  { name: "audience", step: issueToken, rules: ["audience"], looked: (exchange) => form(exchange, "audience") },
  { name: "scope", step: issueToken, rules: ["scope-not-granted"], looked: (exchange) => form(exchange, "scope") },
  fault("after", injectFaultAfter),
];

/** An act needs no token of the service. */
const ofAct: readonly CheckRow[] = [
  body,
  contract,
  {
    ...path,
    name: "rule",
    rules: [...Object.keys(domainRules), "unavailable", "other"],
    looked: ({ route }) => route?.id,
  },
];

/** For the test that every rule has its row. */
export const tables = { service: ofService, token: ofToken, act: ofAct };

/** In the order of the steps; rows of one step stay in theirs. */
function sort(rows: readonly CheckRow[], list: readonly Step[]): readonly CheckRow[] {
  const getIndex = ({ step }: CheckRow): number => (step ? list.indexOf(step) : -1);
  return [...rows].sort((a, b) => getIndex(a) - getIndex(b));
}

export function listRows({ route }: Exchange): readonly CheckRow[] {
  if (route?.control) return ofAct;
  return route?.id === TOKEN_OPERATION ? sort(ofToken, steps.token) : sort(ofService, steps.public);
}
