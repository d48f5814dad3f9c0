// Holds recorded traffic of the real service against the specification and against every assumption of the register. Nothing is sent,
// and of the traffic only names of the specification, statuses, codes and places are repeated.

import { Ajv2020 } from "ajv/dist/2020.js";
import type { Schemas } from "../../client/control.ts";
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import { answerOf, type QuestionUnder, sightingsIn } from "./by-document.ts";
import { pairDetectors } from "./detectors.ts";
import { overTime } from "./detectors-over-time.ts";
import { type Unknown, unknownsIn } from "./differences.ts";
import type { Pair } from "./har.ts";
import { whySilent } from "./silent.ts";
import { findOperation, Specification } from "./specification.ts";
import type { Detector, Sighting, Traffic } from "./traffic.ts";

export type { Unknown } from "./differences.ts";
export { HarError, readHar } from "./har.ts";

type Question = Pick<Schemas["Assumption"], "id" | "gap" | "default" | "alternatives">;

interface Register {
  questions: readonly Question[];
  /** The specification under some other answers, each as `id=value`. */
  documentUnder(flips: readonly string[]): object;
  /** The flips that change what is checked, and in which operations. */
  changing: ReadonlyMap<string, readonly string[]>;
}

/** What the traffic says of one assumption. It is printed as JSON, so its members are a contract. */
export interface Finding {
  id: string;
  result: "confirmed" | "contradicted" | "inconsistent" | "silent";
  default: string;
  /** The answer that fits, if one does. */
  value: string | null;
  /** `id=value`, for --assume. */
  assume: string | null;
  says: string;
  /** Where each value was seen first, and how often. */
  seen: readonly { value: string; times: number; at: string }[];
}

export interface Calibration {
  pairs: number;
  webhooks: number;
  /** Of each host how many entries were left out. */
  left_out: readonly { host: string; entries: number; matching: boolean }[];
  hosts: readonly string[];
  findings: readonly Finding[];
  differences: readonly Unknown[];
  flips: Readonly<Record<string, string>>;
}

/** Nothing is read or sent. `only`: the hosts of the service; without them the likeliest is taken. */
export function calibrate(recorded: readonly Pair[], register: Register, only: readonly string[] = []): Calibration {
  const under = specifications(register);
  const { operations } = under([]);
  const { traffic, hosts, leftOut } = ofService(recorded, operations, only);
  let flips: string[] = [];
  let findings: Finding[] = [];
  // What one answer settles may show another in a new light; it settles soon.
  for (let round = 0; round < ROUNDS; round++) {
    findings = findingsUnder(flips, traffic, register, under);
    const next = findings.flatMap(({ assume }) => assume ?? []);
    if (next.join() === flips.join()) break;
    flips = next;
  }
  const bound = under(flips);
  return {
    pairs: traffic.exchanges.length,
    webhooks: traffic.deliveries.length,
    hosts,
    left_out: leftOut,
    findings,
    differences: unknownsIn(traffic.exchanges, (exchange) => answerOf(bound, exchange)),
    flips: Object.fromEntries(flips.map((flip) => flip.split("=") as [string, string])),
  };
}

const detectors: Readonly<Record<string, Detector | undefined>> = { ...pairDetectors, ...overTime };

/** At most; four is more than any chain of questions in the register needs. */
const ROUNDS = 4;
/** The documents are the sandbox's own: whether they are schemas is checked where they are made. */
const makeAjv = () =>
  new Ajv2020({
    ...{ strict: false, allErrors: true, verbose: true, validateFormats: false, logger: false },
    validateSchema: false,
  });

/** Many services have /v1/events: the host with most of the operations is taken, and where its tokens come from. */
function ofService(recorded: readonly Pair[], operations: Specification["operations"], only: readonly string[]) {
  const matched = recorded.flatMap((pair) => {
    const found = findOperation(operations, pair.method, pair.path);
    return found ? [{ ...pair, ...found }] : [];
  });
  const kinds = new Map<string, Set<string>>();
  for (const { host, operation } of matched) kinds.set(host, (kinds.get(host) ?? new Set()).add(operation.id));
  const [main] = [...kinds]
    .filter(([, ids]) => !(ids.size === 1 && ids.has("createToken")))
    .sort(([, a], [, b]) => b.size - a.size);
  const isOurs = ({ host, operation }: (typeof matched)[number]) =>
    only.length > 0 ? only.includes(host) : host === main?.[0] || operation.id === "createToken";
  const exchanges = matched.filter(isOurs);
  // A webhook is known by its headers, whoever received it.
  const deliveries = recorded.filter(({ headers }) => headers["webhook-id"] && headers["webhook-signature"]);
  const used = new Set([...exchanges.map(({ at }) => at), ...deliveries.map(({ at }) => at)]);
  const rest = new Map<string, { entries: number; matching: boolean }>();
  for (const { host, at } of recorded) {
    if (used.has(at)) continue;
    const matching = matched.some((pair) => pair.at === at);
    const known = rest.get(host) ?? { entries: 0, matching: false };
    rest.set(host, { entries: known.entries + 1, matching: known.matching || matching });
  }
  return {
    traffic: { exchanges, deliveries },
    hosts: [...new Set(exchanges.map(({ host }) => host))],
    leftOut: [...rest].map(([host, each]) => ({ host, ...each })),
  };
}

type Under = (flips: readonly string[]) => Specification;

/** Each is made once, with the validators that it needs: they cost more than all the rest. */
const made = new WeakMap<Register["documentUnder"], Map<string, Specification>>();

function specifications({ documentUnder }: Register): Under {
  // By the function, so that two calibrations with one register share the work.
  const known = made.get(documentUnder) ?? new Map<string, Specification>();
  made.set(documentUnder, known);
  return (flips) => {
    const key = [...flips].sort().join();
    const found = known.get(key) ?? new Specification(withoutUnions(documentUnder(flips)) as never, makeAjv);
    known.set(key, found);
    return found;
  };
}

function findingsUnder(flips: readonly string[], traffic: Traffic, register: Register, under: Under): Finding[] {
  const questions = register.questions.flatMap((question) => questionsOf(question, flips, register, under));
  const byDocument = traffic.exchanges.flatMap((exchange) =>
    sightingsIn(
      exchange,
      questions.filter(({ operations }) => operations.has(exchange.operation.id)),
    ),
  );
  return register.questions.map((question) => {
    const detector = detectors[question.id];
    const own = byDocument.filter(({ id }) => id === question.id);
    return findingOf(question, [...(detector?.(traffic) ?? []), ...own]);
  });
}

/** What the document can decide; a largest limit in it would be taken for one that is refused, so pages decide that. */
function questionsOf(
  question: Question,
  flips: readonly string[],
  { changing }: Register,
  under: Under,
): QuestionUnder[] {
  const { id, default: byDefault, alternatives } = question;
  const operations = new Set(alternatives.flatMap(({ value }) => changing.get(`${id}=${value}`) ?? []));
  if (operations.size === 0 || id === "event-query") return [];
  // The question itself is varied; what is settled about the others stays.
  const others = flips.filter((flip) => !flip.startsWith(`${id}=`));
  const candidates = [byDefault, ...alternatives.map(({ value }) => value)].map((value) => ({
    value,
    specification: under(value === byDefault ? others : [...others, `${id}=${value}`]),
  }));
  return [{ id, operations, candidates }];
}

function findingOf(question: Question, sightings: readonly Sighting[]): Finding {
  const { id, default: byDefault, alternatives } = question;
  const values = [byDefault, ...alternatives.map(({ value }) => value)];
  // A value holds only where no sighting speaks against it.
  const left = values.filter((value) => sightings.every(({ fits }) => fits.includes(value)));
  const base = { id, default: byDefault, value: null, assume: null, seen: seenIn(sightings) };
  const [value = ""] = left;
  if (sightings.length === 0) return { ...base, result: "silent", says: whySilent(id) };
  if (left.length === 0) {
    // One that fits no value at all: the register lacks an answer.
    const isOther = sightings.some(({ fits }) => fits.length === 0);
    return isOther
      ? { ...base, result: "contradicted", says: `Something else was seen than ${values.join(" or ")}; no flip fits.` }
      : { ...base, result: "inconsistent", says: "The traffic contradicts itself; both were seen." };
  }
  // As long as the default is possible nothing is to be changed.
  if (left.length > 1 && left.includes(byDefault))
    return { ...base, result: "silent", says: `What was seen fits ${left.join(" and ")}.` };
  if (left.length > 1)
    return { ...base, result: "contradicted", says: `It is not ${byDefault}, but ${left.join(" or ")}.` };
  if (value === byDefault) return { ...base, result: "confirmed", value, says: `It is ${byDefault}.` };
  return {
    ...base,
    result: "contradicted",
    value,
    assume: `${id}=${value}`,
    says: `It is ${value}, not ${byDefault}.`,
  };
}

/** What the document and a detector see in one place was seen once. */
function seenIn(sightings: readonly Sighting[]): Finding["seen"] {
  const seen = new Map<string, Set<string>>();
  for (const { fits, at } of sightings) {
    const value = fits.length === 0 ? "something else" : fits.join(" or ");
    seen.set(value, (seen.get(value) ?? new Set()).add(at));
  }
  return Array.from(seen, ([value, places]) => ({ value, times: places.size, at: [...places][0] ?? "" }));
}
