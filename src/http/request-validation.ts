// The gate of the specification. The quick yes passes nearly everything at once; what words the no is loaded with the first request
// that does not plainly fit. Assumptions: violations, limit-range, null-member, list-parameter-repeated.
import { ContractError, HttpError } from "./errors.ts";
import type { Answer, Exchange, Route, Violation } from "./exchange.ts";
import { plainlyFits } from "./fast-validators.ts";
import { clamped, clampedBody, givenOnce, looseNumbers, typed, withoutNulls } from "./parameters.ts";

/** Throws one 400 that names every violation; otherwise fills in `asked`, with types and defaults. */
export async function checkRequest(exchange: Exchange, route: Route, assumes: (id: string) => string): Promise<void> {
  const { operation } = route;
  const clampLimits = assumes("limit-range") === "clamp";
  if (clampLimits) exchange.body = clampedBody(exchange.body, operation);
  if (exchange.body && assumes("null-member") === "null-is-absent") exchange.body = withoutNulls(exchange.body);
  const given = givenOnce(exchange.query, operation, () => assumes("list-parameter-repeated") === "union");
  const query = clampLimits ? clamped(given.query, operation) : given.query;
  const asked = query === exchange.query ? exchange : { ...exchange, query };
  const loose = [...given.repeated, ...looseNumbers(query, operation)];
  if (loose.length > 0 || !plainlyFits(asked, route)) {
    const { violationsOf } = await import("./violations.ts");
    const { violations: found, count, more } = violationsOf(asked, operation);
    const violations = [...loose, ...found.filter(isNotSaidIn(loose))];
    if (violations.length > 0) throw new ContractError(violations, violations.length + count - found.length, more);
  }
  exchange.asked = { path: exchange.params, query: typed(query, operation) };
}

const isNotSaidIn = (said: readonly Violation[]) => (violation: Violation) =>
  !said.some(({ location }) => location.join(".") === violation.location.join("."));

/** Throws when an answer is not what the specification promises. */
export async function checkAnswer(exchange: Exchange, { operation, id }: Route, answer: Answer): Promise<void> {
  if (answer.pieces || typeof answer.body === "string" || Buffer.isBuffer(answer.body)) return;
  const { faultsOfAnswer } = await import("./contract.ts");
  const faults = faultsOfAnswer(operation, answer);
  if (faults.length === 0) return;
  throw new HttpError(
    500,
    `The answer of ${id} breaks its specification: ${faults.join("; ")}. Request ${exchange.id}.`,
  );
}
