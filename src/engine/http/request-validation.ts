// A request held against the specification, and an answer too. The compiled validators accept nearly every request at once; the code
// that words a rejection is loaded with the first request that they don't accept. Assumptions: violations, limit-range, null-member,
// list-parameter-repeated, parameter-brackets.
import { setImmediate as turn } from "node:timers/promises";
import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { ContractError, HttpError } from "./errors.ts";
import type { Answer, Exchange, Route, Routed, Violation } from "./exchange.ts";
import { plainlyFits } from "./fast-validators.ts";
import { assumed } from "./in-force.ts";
import { bracketed, clamped, clampedBody, givenOnce, looseNumbers, typed, withoutNulls } from "./parameters.ts";

/** A member that is null counts as absent where the world assumes so, whether it is documented or not. */
export function leaveOutNulls(exchange: Routed, application: WorldsPort): void {
  if (exchange.body && assumed(exchange, application, "null-member") === "null-is-absent")
    exchange.body = withoutNulls(exchange.body);
}

export function validateRequest(exchange: Routed, application: WorldsPort): Promise<void> | undefined {
  return checkRequest(exchange, exchange.route, (id) => assumed(exchange, application, id));
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
  if (clampLimits) exchange.body = clampedBody(exchange.body, operation);
  const given = givenOnce(exchange.query, operation, () => assumes("list-parameter-repeated") === "union");
  const query = clampLimits ? clamped(given.query, operation) : given.query;
  const read = query === exchange.query ? exchange : { ...exchange, query };
  const accept = () => {
    exchange.parameters = { path: exchange.params, query: typed(query, operation) };
  };
  const ignored = () => assumes("parameter-brackets") === "ignore";
  // What AJV would accept and the service does not.
  const loose = [...given.repeated, ...bracketed(query, operation, ignored), ...looseNumbers(query, operation)];
  // The answer is a promise only where a rejection has to be worded.
  if (loose.length > 0 || !plainlyFits(read, route)) return rejectViolations(read, route, loose).then(accept);
  accept();
  return undefined;
}

/** Bytes of a body that is read, and looked through for every error, in turns of the loop by themselves. */
const LONG = 64 << 10;

/** What the compiled validators did not accept may still be valid. What words a rejection is loaded and compiled when it is first needed. */
async function rejectViolations(exchange: Exchange, { operation }: Route, loose: readonly Violation[]): Promise<void> {
  const isLong = (exchange.raw?.length ?? 0) > LONG;
  if (isLong) await turn();
  const { isCompiled, validatorOf } = await import("./request-validators.ts");
  const { violationsOf } = await import("./violations.ts");
  const isFirst = exchange.body && !isCompiled(operation, "body");
  if (isFirst) {
    await turn();
    validatorOf(operation, "body");
  }
  if (isFirst || isLong) await turn();
  const { violations: found, count, more } = violationsOf(exchange, operation);
  // One place is named once.
  const violations = [...loose, ...found.filter(isNotNamedIn(loose))];
  if (violations.length > 0) throw new ContractError(violations, violations.length + count - found.length, more);
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
async function bodyIn(answer: Answer, pieces: Iterator<string>): Promise<unknown> {
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
  const body = answer.pieces ? await bodyIn(answer, answer.pieces[Symbol.iterator]()) : answer.body;
  if (answer.pieces && body === undefined) return;
  const { problemsOfAnswer } = await import("./contract.ts");
  const problems = problemsOfAnswer(operation, { ...answer, body });
  if (problems.length === 0) return;
  throw new HttpError(
    500,
    `The answer of ${id} breaks its specification: ${problems.join("; ")}. Request ${requestId}.`,
    {
      rule: "response-contract",
    },
  );
}
