// A request is checked by the specification, and a response too. The compiled validators accept nearly every request at once; Prism
// decides about the others. Assumptions: violations, limit-range, null-member,
// list-parameter-repeated, parameter-brackets.
import { setImmediate as turn } from "node:timers/promises";
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

/** A member that is null counts as absent where the world assumes so, whether it is documented or not. */
export function leaveOutNulls(exchange: Routed, application: WorldsPort): void {
  if (exchange.body && readAssumption(exchange, application, "null-member") === "null-is-absent")
    exchange.body = omitNulls(exchange.body);
}

export function validateRequest(exchange: Routed, application: WorldsPort): Promise<void> | undefined {
  return checkRequest(exchange, exchange.route, (id) => readAssumption(exchange, application, id));
}

/** Throws one 400 that names every violation; otherwise fills in `parameters`, with types and defaults. */
export function checkRequest(
  exchange: Exchange,
  route: Route,
  assumes: (id: string) => string,
): Promise<void> | undefined {
  const { operation } = route;
  // Changes what is checked, so it comes first.
  const clampLimits = assumes("limit-range") === "clamp";
  if (clampLimits) exchange.body = limitBody(exchange.body, operation);
  const given = mergeRepeated(exchange.query, operation, () => assumes("list-parameter-repeated") === "union");
  const query = clampLimits ? limitNumbers(given.query, operation) : given.query;
  const read = query === exchange.query ? exchange : { ...exchange, query };
  const accept = () => {
    exchange.parameters = { path: exchange.params, query: convertQuery(query, operation) };
  };
  const ignored = () => assumes("parameter-brackets") === "ignore";
  // What AJV would accept and the service does not.
  const loose = [...given.repeated, ...findBracketed(query, operation, ignored), ...findLooseNumbers(query, operation)];
  const sections = findRejectedSections(read, route);
  // The result is a promise only where a rejection may have to be worded.
  if (loose.length > 0 || sections.length > 0) return rejectViolations(read, route, sections, loose).then(accept);
  accept();
  return undefined;
}

/** Prism may still accept what the compiled validators rejected. It is loaded with the first such request. */
async function rejectViolations(
  exchange: Exchange,
  route: Route,
  sections: readonly Section[],
  loose: readonly Violation[],
): Promise<void> {
  if (sections.length === 0) throw new ContractError(loose);
  const { describeRejection } = await import("./prism-rejection.ts");
  const { violations: found, count, remark } = await describeRejection(exchange, route, sections);
  // One place is named once.
  const violations = [...loose, ...found.filter(isNotNamedIn(loose))];
  if (violations.length > 0) throw new ContractError(violations, violations.length + count - found.length, remark);
}

const isNotNamedIn = (named: readonly Violation[]) => (violation: Violation) =>
  !named.some(({ location }) => location.join(".") === violation.location.join("."));

/** With --strict-responses. */
export function validateResponse({ id, route, answer }: Routed, { settings }: RequestsPort): Promise<void> | undefined {
  return settings.strictResponses && answer ? checkAnswer(answer, route, id) : undefined;
}

/** Characters of an answer in pieces: one that is longer is not held against the specification. */
const MOST_HELD = 1 << 20;

/** The body that the pieces of an answer make, which are put back; undefined where it is too long to be held. */
async function readPieces(answer: Answer, pieces: Iterator<string>): Promise<unknown> {
  const read: string[] = [];
  const rest = { [Symbol.iterator]: () => pieces };
  answer.pieces = (function* () {
    yield* read;
    yield* rest;
  })();
  let length = 0;
  for (let next = pieces.next(); !next.done; next = pieces.next()) {
    read.push(next.value);
    length += next.value.length;
    if (length > MOST_HELD) return undefined;
    await turn();
  }
  return JSON.parse(read.join(""));
}

/** Throws when an answer is not what the specification promises. */
async function checkAnswer(answer: Answer, { operation, id }: Route, requestId: string): Promise<void> {
  if (answer.stream || typeof answer.body === "string" || Buffer.isBuffer(answer.body)) return;
  // The schema is that of application/json; another media type has its own format.
  if (answer.headers?.["content-type"]) return;
  const body = answer.pieces ? await readPieces(answer, answer.pieces[Symbol.iterator]()) : answer.body;
  if (answer.pieces && body === undefined) return;
  const { problemsOfAnswer } = await import("./contract.ts");
  const problems = problemsOfAnswer(operation, { ...answer, body });
  if (problems.length === 0) return;
  const message = `The answer of ${id} breaks its specification: ${problems.join("; ")}. Request ${requestId}.`;
  throw new HttpError(500, message, { rule: "response-contract" });
}

/** Loads Prism, which takes 150 ms, before the first rejected request needs it. */
export async function preparePrism(): Promise<void> {
  await import("./prism-rejection.ts");
}
