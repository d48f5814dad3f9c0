// The gate of the specification. The quick yes passes nearly everything at once; Prism is loaded with the first request that does
// not plainly fit, and words the no. Assumptions: violations, limit-range.
import { ContractError, HttpError } from "./errors.ts";
import type { Answer, Exchange, Route, Violation } from "./exchange.ts";
import { clamped, clampedBody, looseNumbers, typed } from "./parameters.ts";
import { plainlyFits } from "./quick.ts";

/** Throws one 400 that names every violation; otherwise fills in `asked`, with types and defaults. */
export async function checkRequest(exchange: Exchange, route: Route, clampLimits: boolean): Promise<void> {
  const { operation } = route;
  if (clampLimits) exchange.body = clampedBody(exchange.body, operation);
  const query = clampLimits ? clamped(exchange.query, operation) : exchange.query;
  const asked = query === exchange.query ? exchange : { ...exchange, query };
  const loose = looseNumbers(query, operation);
  if (loose.length > 0 || !plainlyFits(asked, route)) {
    const { violationsOf } = await import("./contract.ts");
    const { violations: found, count } = violationsOf(asked, operation);
    const violations = [...loose, ...found.filter(isNotSaidIn(loose))];
    if (violations.length > 0) throw new ContractError(violations, violations.length + count - found.length);
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
