// Compares a drill with the control run: which requests were hit by faults, and which successes are missing.
import { type Evidence, fail, type Judgement, notExercised, pass, warn } from "./check.ts";
import {
  explainNoSuccess,
  findCalls,
  isCall,
  isInjected,
  isSuccess,
  isWrite,
  type Observed,
  type RequestEntry,
  toEvidence,
  toKeyInWorld,
} from "./observed.ts";
import { toComparableText } from "./program-state.ts";
import { hasSameState } from "./receiver.ts";

export const findHits = ({ requests }: Observed): RequestEntry[] => requests.filter(isInjected);

/** Counts how often faults hit, including requests that are not in the log yet. */
export const countHits = ({ armed }: Observed): number => armed.reduce((sum, each) => sum + each.hits, 0);

/** Lists the later requests in the same world. */
export const findLater = ({ requests }: Observed, { seq, world }: RequestEntry): RequestEntry[] =>
  requests.filter((request) => request.seq > seq && request.world === world);

/** Counts the successful requests of each operation. */
export function countSuccesses({ requests }: Observed, fits = isCall): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { operation } of requests.filter((each) => fits(each) && isSuccess(each)))
    counts.set(operation ?? "", (counts.get(operation ?? "") ?? 0) + 1);
  return counts;
}

/** Finds what differs between the two control runs, so that a drill is not blamed for it. */
export function findVariations(first: Observed, second: Observed): Pick<Observed, "unsteady" | "probeVaries"> {
  const [some, others] = [countSuccesses(first), countSuccesses(second)];
  return {
    unsteady: new Set([...some.keys(), ...others.keys()].filter((name) => some.get(name) !== others.get(name))),
    probeVaries: toComparableText(first.probe) !== toComparableText(second.probe),
  };
}

/** Lists the operations that succeeded less often than in the control run. */
export function listLostOperations(observed: Observed, control: Observed): string[] {
  const done = countSuccesses(observed);
  return [...countSuccesses(control)].flatMap(([name, wanted]) => {
    // An operation whose number varies must succeed at least once.
    const least = control.unsteady?.has(name) ? 1 : wanted;
    return (done.get(name) ?? 0) < least ? [name] : [];
  });
}

export const listLostWrites = (observed: Observed, control: Observed): string[] =>
  listLostOperations(observed, control).filter((name) => findCalls(control, name).some(isWrite));

export const hasSameEnd = ({ ended }: Observed, control: Observed): boolean =>
  ended.code === control.ended.code && ended.stopped === control.ended.stopped;

/** The program made all requests of the control run, and ended in the same way. */
const isUnaffected = (observed: Observed, control: Observed): boolean =>
  hasSameEnd(observed, control) && listLostOperations(observed, control).length === 0;

/** A test that compares complete responses fails with any changed response. */
const COMPARISON_FAILURE =
  /AssertionError|assert(?:ion)? failed|toEqual|toStrictEqual|toMatchObject|deep-equal|expected .+ to (?:deeply )?equal/i;
export const hasComparisonFailure = ({ ended }: Observed): boolean => COMPARISON_FAILURE.test(ended.output);

/** Judges drills that only change responses: the program must continue as in the control run. */
export function judgeContinuation(observed: Observed, control: Observed, what: string): Judgement {
  const hit = findHits(observed);
  if (hit.length === 0) return notExercised(`the program received no response with ${what}`);
  const lost = listLostOperations(observed, control);
  const evidence = listLastChanges(hit);
  const passed = pass(`it continues after responses with ${what}`);
  if (isUnaffected(observed, control)) return passed;
  if (hasComparisonFailure(observed))
    return warn(
      `a test compares complete responses and fails because of ${what}, which hides what the program does`,
      evidence,
    );
  const change = lost.length > 0 ? `no longer called ${lost.join(", ")}` : `ended with ${formatEnding(observed)}`;
  const says = `after a response with ${what} it ${change}`;
  // A missing read is harm only if the program's own state shows it.
  if (!hasSameEnd(observed, control) || listLostWrites(observed, control).length > 0) return fail(says, evidence);
  return hasSameState(observed, control) ? passed : warn(says, evidence);
}

const MAX_CHANGES = 3;

/**
 * Lists the last changed response of each operation, newest first, because a program usually stops at its last
 * response.
 */
function listLastChanges(hit: readonly RequestEntry[]): Evidence[] {
  const last = new Map<string | null, RequestEntry>();
  for (const each of hit) {
    last.delete(each.operation);
    last.set(each.operation, each);
  }
  const newest = [...last.values()].reverse().slice(0, MAX_CHANGES);
  return newest.map((each) => toEvidence(each, `: ${each.faults.map(({ did }) => did).join(", and ")}`));
}

export const formatEnding = ({ ended }: Observed): string =>
  ended.stopped === "too-long" ? "no end" : ended.code === undefined ? "no exit code" : `exit code ${ended.code}`;

const listReads = ({ requests }: Observed): RequestEntry[] =>
  requests.filter((each) => each.method === "GET" && isCall(each));

export const explainNoRead = (observed: Observed): string | undefined =>
  explainNoSuccess(listReads(observed), "the program sends no read request", "read");

/** Returns the read that the program sends most often, preferably one that it never repeats by itself. */
export function chooseRead(control: Observed): string | undefined {
  const reads = listReads(control).filter(isSuccess);
  const [known, repeated] = [new Set<string>(), new Set<string | null>()];
  for (const each of reads) {
    if (known.has(toKeyInWorld(each))) repeated.add(each.operation);
    known.add(toKeyInWorld(each));
  }
  const alone = reads.filter(({ operation }) => !repeated.has(operation));
  return findMostFrequent((alone.length > 0 ? alone : reads).map(({ operation }) => operation ?? ""));
}

function findMostFrequent(names: readonly string[]): string | undefined {
  const count = (name: string) => names.filter((each) => each === name).length;
  return [...new Set(names)].sort((a, b) => count(b) - count(a))[0];
}
