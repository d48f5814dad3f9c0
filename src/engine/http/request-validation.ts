// Validates requests and responses by the specification. The compiled validators accept nearly every request; Prism
// decides about the others. Assumptions: violations, limit-range, null-member, list-parameter-repeated,
// parameter-brackets.
import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { ContractError, HttpError } from "./errors.ts";
import type { Answer, Exchange, Route, Routed, Violation } from "./exchange.ts";
import { findRejectedSections, type Section } from "./fast-validators.ts";
import { readAssumption } from "./in-force.ts";
import {
  convertQuery,
  findBracketed,
  findLooseNumbers,
  limitBody,
  limitNumbers,
  mergeRepeated,
  omitNulls,
} from "./parameters.ts";

/** Removes fields that are null if the world assumes that null means missing, including undocumented fields. */
export function omitNullFields(exchange: Routed, application: WorldsPort): void {
  if (exchange.body && readAssumption(exchange, application, "null-member") === "null-is-absent")
    exchange.body = omitNulls(exchange.body);
}

/** Throws one 400 that names every violation, or sets `parameters` with types and defaults. */
export function validateRequest(exchange: Routed, application: WorldsPort): Promise<void> | undefined {
  const { route } = exchange;
  const { operation } = route;
  const assumes = (id: string) => readAssumption(exchange, application, id);
  // Limits are clamped first, because they change the validated values.
  const clampLimits = assumes("limit-range") === "clamp";
  if (clampLimits) exchange.body = limitBody(exchange.body, operation);
  const given = mergeRepeated(exchange.query, operation, () => assumes("list-parameter-repeated") === "union");
  const query = clampLimits ? limitNumbers(given.query, operation) : given.query;
  const read = query === exchange.query ? exchange : { ...exchange, query };
  const accept = () => {
    exchange.parameters = { path: exchange.params, query: convertQuery(query, operation) };
  };
  const isIgnored = () => assumes("parameter-brackets") === "ignore";
  // AJV would accept these values, but the service does not.
  const loose = [
    ...given.repeated,
    ...findBracketed(query, operation, isIgnored),
    ...findLooseNumbers(query, operation),
  ];
  const sections = findRejectedSections(read, route);
  // The result is a promise only if violations may have to be described.
  if (loose.length > 0 || sections.length > 0) return rejectViolations(read, route, sections, loose).then(accept);
  accept();
  return undefined;
}

/** Asks Prism, which may still accept the request, and throws its violations. Prism is loaded with the first such request. */
async function rejectViolations(
  exchange: Exchange,
  route: Route,
  sections: readonly Section[],
  loose: readonly Violation[],
): Promise<void> {
  if (sections.length === 0) throw new ContractError(loose);
  const { describeRejection } = await import("./prism.ts");
  const { violations: found, count, remark } = await describeRejection(exchange, route, sections);
  // Each path is named once.
  const violations = [...loose, ...found.filter(isNotNamedIn(loose))];
  if (violations.length > 0) throw new ContractError(violations, violations.length + count - found.length, remark);
}

const isNotNamedIn = (named: readonly Violation[]) => (violation: Violation) =>
  !named.some(({ location }) => location.join(".") === violation.location.join("."));

/** Validates the response if --strict-responses is set. */
export function validateResponse({ id, route, answer }: Routed, { settings }: RequestsPort): Promise<void> | undefined {
  return settings.strictResponses && answer ? checkAnswer(answer, route, id) : undefined;
}

/** Throws if a response violates the specification. */
async function checkAnswer(answer: Answer, { operation, id }: Route, requestId: string): Promise<void> {
  if (answer.stream || typeof answer.body === "string" || Buffer.isBuffer(answer.body)) return;
  // The schema is the one of application/json; other media types have their own formats.
  if (answer.headers?.["content-type"]) return;
  if (answer.pieces) {
    answer.body = JSON.parse([...answer.pieces].join(""));
    delete answer.pieces;
  }
  const { listProblems } = await import("./prism.ts");
  const problems = listProblems(operation, answer);
  if (problems.length === 0) return;
  const message = `The answer of ${id} breaks its specification: ${problems.join("; ")}. Request ${requestId}.`;
  throw new HttpError(500, message, { rule: "response-contract" });
}

/** Loads Prism, which takes 150 ms, before the first rejected request needs it. */
export const preparePrism = (): Promise<unknown> => import("./prism.ts");
