// The checks of a request in the order of its steps, each with what it looked at. The checks of a rule of the service are told by that
// rule itself, when the request is tried again on a copy of the world.

import type { Application } from "../app/application.ts";
import { domainRules } from "../app/why/domain-rules.ts";
import { filled, type Refused } from "../app/why/rule.ts";
import { ruleOf } from "../app/why/solve.ts";
import type { Looked } from "../domain/kernel/checks.ts";
import { type Exchange, header } from "./exchange.ts";
import { injectFaultAfter, injectFaultBefore } from "./fault-injection.ts";
import { identify } from "./identify.ts";
import { operate, readRequestBody } from "./operate.ts";
import { limitRate } from "./rate-limit.ts";
import { validateRequest } from "./request-validation.ts";
import { type Step, steps } from "./steps.ts";
import { issueToken, TOKEN_OPERATION } from "./token.ts";

export interface Row {
  name: string;
  /** The step that makes the check; before all steps when it is none of them. */
  step?: Step;
  /** The rules under which it rejects; a name that ends in * stands for all that begin so. */
  rules: readonly string[];
  /** Undefined: it does not concern this request, and is left out. */
  looked(exchange: Exchange, application: Application): string | undefined;
}

const form = (exchange: Exchange, name: string): string =>
  new URLSearchParams(exchange.raw?.toString("utf8")).get(name) ?? "none";
const unless = (text: string | undefined, missing: string): string =>
  text === undefined || text === "" ? missing : text;

const path: Row = {
  name: "path",
  rules: ["path-unknown", "method-unknown", "host-repeated"],
  looked: ({ method, path, route }) => `${method} ${path.slice(0, 200)} is ${route?.id ?? "no operation"}`,
};
const fault = (when: "before" | "after", step: Step): Row => ({
  name: when === "before" ? "fault" : "fault after the operation",
  step,
  rules: [],
  looked: (exchange) => ((exchange.fault?.when ?? "before") === when && exchange.fault ? "armed" : undefined),
});
const body: Row = {
  name: "body",
  step: readRequestBody,
  rules: ["body-*", "media-type", "content-encoding"],
  looked: (exchange) =>
    exchange.raw?.length
      ? `${unless(header(exchange, "content-type"), "no content-type")}, ${exchange.raw.length} bytes`
      : undefined,
};
const contract: Row = {
  name: "contract",
  step: validateRequest,
  rules: ["contract"],
  looked: ({ route }) => `it fits ${route?.id ?? "its operation"}`,
};

/** Of an operation of the service, and of an act. */
const ofService: readonly Row[] = [
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
    step: operate,
    rules: [...Object.keys(domainRules), "other-company", "other"],
    looked: ({ route }) => route?.id,
  },
  fault("after", injectFaultAfter),
];

const ofToken: readonly Row[] = [
  { ...path, rules: ["host-repeated"] },
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

const ofAct: readonly Row[] = [
  body,
  contract,
  { ...path, name: "rule", rules: [...Object.keys(domainRules), "other"], looked: ({ route }) => route?.id },
];

/** In the order of the steps; rows of one step stay in theirs. */
function ordered(rows: readonly Row[], list: readonly Step[]): readonly Row[] {
  const at = ({ step }: Row): number => (step ? list.indexOf(step) : -1);
  return [...rows].sort((a, b) => at(a) - at(b));
}

export function rowsOf({ route }: Exchange): readonly Row[] {
  if (route?.control) return ofAct;
  return route?.id === TOKEN_OPERATION ? ordered(ofToken, steps.token) : ordered(ofService, steps.public);
}

const covers = (row: Row, rule: string): boolean =>
  row.rules.some((name) => (name.endsWith("*") ? rule.startsWith(name.slice(0, -1)) : name === rule)) ||
  (rule === "fault-injected" && row.name.startsWith("fault") && row.rules.length === 0);

/** `told`: what the rule of the service said that it looked at. */
export function checksOf(
  exchange: Exchange,
  refused: Refused,
  told: readonly Looked[],
  application: Application,
): Looked[] {
  const rows = rowsOf(exchange).map((row) => ({ row, looked: row.looked(exchange, application) }));
  const stood = rows.findIndex(
    ({ row, looked }) => covers(row, refused.rule) && (refused.rule !== "fault-injected" || looked !== undefined),
  );
  return rows.flatMap(({ row, looked }, index): Looked[] => {
    if (index === stood) return against(row, refused, told);
    if (looked === undefined) return [];
    const passed = stood < 0 || index < stood;
    return [{ name: row.name, passed: passed ? true : null, looked_at: passed ? looked : "" }];
  });
}

function against(row: Row, refused: Refused, told: readonly Looked[]): Looked[] {
  if (row.name === "rule" && told.some(({ passed }) => passed === false)) return [...told];
  const own = { name: row.name === "rule" ? refused.rule : row.name, passed: false, looked_at: lookedAt(refused) };
  return row.name === "rule" ? [...told, own] : [own];
}

function lookedAt({ rule, values, message, violations }: Refused): string {
  if (violations.length > 0) return violations.map((violation) => violation.message).join(" ");
  const { looked } = ruleOf(rule);
  return looked === undefined ? message : values.map((each) => filled(looked, each)).join("; ");
}
