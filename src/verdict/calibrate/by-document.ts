// What the specification itself tells: an alternative of the register that changes the document is held against every pair, beside the
// other answers to the same question. The answer with fewer differences fits.
import type { Specification, SpecificationDifference } from "./specification.ts";
import { type Exchange, names, type Sighting, succeeded } from "./traffic.ts";

interface Candidate {
  value: string;
  specification: Specification;
}

/** A question that the document of these operations can decide. */
export interface QuestionUnder {
  id: string;
  operations: ReadonlySet<string>;
  candidates: readonly Candidate[];
}

interface FoundId extends Sighting {
  id: string;
}

/**
 * Of one pair; a refusal that several questions would explain says nothing of any. A sighting without a value that fits
 * means that the service does something that the register has not.
 */
export function sightingsIn(exchange: Exchange, questions: readonly QuestionUnder[]): FoundId[] {
  const found = questions.flatMap(({ id, candidates }) => {
    const byAnswer = fewest(candidates.map((each) => [each.value, answerOf(each.specification, exchange).length]));
    const byRequest = requestFits(candidates, exchange);
    // Where every answer fits alike, the pair says nothing about the question.
    const sighting = (fits: readonly string[] | undefined, isRequest: boolean) =>
      fits && fits.length < candidates.length ? [{ id, at: exchange.at, fits, isRequest }] : [];
    return [...sighting(byAnswer, false), ...sighting(byRequest, true)];
  });
  // A 400 has one reason, and nobody can tell which of two questions it was.
  const blamed = found.filter(({ isRequest }) => isRequest && exchange.status === 400);
  return found
    .filter(({ isRequest }) => !isRequest || exchange.status !== 400 || blamed.length === 1)
    .map(({ id, at, fits }) => ({ id, at, fits }));
}

function fewest(counts: readonly (readonly [value: string, differences: number])[]): string[] | undefined {
  const least = Math.min(...counts.map(([, differences]) => differences));
  return counts.filter(([, differences]) => differences === least).map(([value]) => value);
}

/** Without an answer there is nothing to hold against the document. */
export function answerOf(
  specification: Specification,
  { operation, status, output }: Exchange,
): SpecificationDifference[] {
  const own = specification.operations.find(({ id }) => id === operation.id);
  return own && status > 0 ? specification.differencesOfAnswer(own, status, output) : [];
}

function requestFits(candidates: readonly Candidate[], exchange: Exchange): string[] | undefined {
  if (!succeeded(exchange) && exchange.status !== 400) return undefined;
  const differences = candidates.map(({ value, specification }) => ({
    value,
    found: requestOf(specification, exchange),
  }));
  if (succeeded(exchange)) return fewest(differences.map(({ value, found }) => [value, found.length]));
  // A refusal speaks for a candidate only where its message names what the candidate forbids.
  const isBlamed = ({ found }: { found: SpecificationDifference[] }) => found.some(({ name }) => names(exchange, name));
  const blaming = differences.filter(isBlamed);
  return blaming.length > 0 ? blaming.map(({ value }) => value) : undefined;
}

function requestOf(specification: Specification, { operation, query, input }: Exchange): SpecificationDifference[] {
  const own = specification.operations.find(({ id }) => id === operation.id);
  if (!own) return [];
  const values = new Map<string, unknown>();
  for (const [name, text] of query) {
    const type = own.query.get(name)?.type;
    // A list is read by the service; its form is not held against the schema here.
    if (type !== "array") values.set(name, type === "integer" || type === "number" ? Number(text) : text);
  }
  return specification.differencesOfRequest(own, values, input);
}
