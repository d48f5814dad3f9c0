// A drill beside the control run: which requests were hit, what of the control run is missing, what is there twice.
import { type Evidence, fail, type Judgement, notExercised, pass, warn } from "./check.ts";
import { probesAlike } from "./hooks.ts";
import {
  callsOf,
  evidenceOf,
  isCall,
  isInjected,
  isWrite,
  keyInWorld,
  type Observed,
  type RequestEntry,
  succeeded,
  whyNone,
} from "./observed.ts";
import { toComparableText } from "./program-state.ts";

export const hitIn = ({ requests }: Observed): RequestEntry[] => requests.filter(isInjected);

/** How often faults hit, also requests that no log has yet. */
export const hits = ({ armed }: Observed): number => armed.reduce((sum, each) => sum + each.hits, 0);

/** Later requests in the same world. */
export const after = ({ requests }: Observed, { seq, world }: RequestEntry): RequestEntry[] =>
  requests.filter((request) => request.seq > seq && request.world === world);

/** The operations that succeeded, with how often. */
export function successesOf({ requests }: Observed, fits = isCall): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { operation } of requests.filter((each) => fits(each) && succeeded(each)))
    counts.set(operation ?? "", (counts.get(operation ?? "") ?? 0) + 1);
  return counts;
}

/** What is not the same in the two control runs, so that nothing can be held against a drill by it. */
export function variesIn(first: Observed, second: Observed): Pick<Observed, "unsteady" | "probeVaries"> {
  const [some, others] = [successesOf(first), successesOf(second)];
  return {
    unsteady: new Set([...some.keys(), ...others.keys()].filter((name) => some.get(name) !== others.get(name))),
    probeVaries: toComparableText(first.probe) !== toComparableText(second.probe),
  };
}

/** The operations that succeeded less often than without the drill. */
export function lostIn(observed: Observed, control: Observed): string[] {
  const done = successesOf(observed);
  return [...successesOf(control)].flatMap(([name, wanted]) => {
    // What varies by itself has only to be there.
    const least = control.unsteady?.has(name) ? 1 : wanted;
    return (done.get(name) ?? 0) < least ? [name] : [];
  });
}

/** Those that change something. */
export const listLostWrites = (observed: Observed, control: Observed): string[] =>
  lostIn(observed, control).filter((name) => callsOf(control, name).some(isWrite));

/** Whether it ended as it does without the drill. */
export const endedAlike = ({ ended }: Observed, control: Observed): boolean =>
  ended.code === control.ended.code && ended.stopped === control.ended.stopped;

/** It did what it does without the drill, and ended alike. */
export const wentOn = (observed: Observed, control: Observed): boolean =>
  endedAlike(observed, control) && lostIn(observed, control).length === 0;

/** A test that compares whole answers says more about the test than about the program. */
const COMPARES =
  /AssertionError|assert(?:ion)? failed|toEqual|toStrictEqual|toMatchObject|deep-equal|expected .+ to (?:deeply )?equal/i;
export const comparesIn = ({ ended }: Observed): boolean => COMPARES.test(ended.output);

/** For drills that only change answers: the calls after it must go on as without it. */
export function goesOn(observed: Observed, control: Observed, what: string): Judgement {
  const hit = hitIn(observed);
  if (hit.length === 0) return notExercised(`the program met no answer with ${what}`);
  const lost = lostIn(observed, control);
  const evidence = changedLast(hit);
  if (wentOn(observed, control)) return pass(`it went on after answers with ${what}`);
  if (comparesIn(observed))
    return warn(
      `a test compares whole answers, and fails at ${what}; so it can't be seen what the program does`,
      evidence,
    );
  const says = `after an answer with ${what} it no longer called ${lost.join(", ")}`;
  // A read that was left out is harm only where the program's own state shows it.
  if (!endedAlike(observed, control) || listLostWrites(observed, control).length > 0)
    return fail(lost.length > 0 ? says : `after an answer with ${what} it ended with ${endingOf(observed)}`, evidence);
  return probesAlike(observed, control) ? pass(`it went on after answers with ${what}`) : warn(says, evidence);
}

const MOST_CHANGED = 3;

/** With what was changed, the last answer of each operation, the newest first: a program mostly stops at what it has just met. */
function changedLast(hit: readonly RequestEntry[]): Evidence[] {
  const last = new Map<string | null, RequestEntry>();
  for (const each of hit) {
    last.delete(each.operation);
    last.set(each.operation, each);
  }
  const newest = [...last.values()].reverse().slice(0, MOST_CHANGED);
  return newest.map((each) => evidenceOf(each, `: ${each.faults.map(({ did }) => did).join(", and ")}`));
}

export const endingOf = ({ ended }: Observed): string =>
  ended.stopped === "too-long" ? "no end" : ended.code === undefined ? "no exit code" : `exit code ${ended.code}`;

export const noRead = ({ requests }: Observed): string | undefined =>
  whyNone(
    requests.filter((each) => each.method === "GET" && isCall(each)),
    "the program reads nothing",
    "read",
  );

/** The read that the program calls most, best one that it never repeats by itself; undefined without one. */
export function readOf(control: Observed): string | undefined {
  const reads = control.requests.filter((each) => each.method === "GET" && isCall(each) && succeeded(each));
  const [known, repeated] = [new Set<string>(), new Set<string | null>()];
  for (const each of reads) {
    if (known.has(keyInWorld(each))) repeated.add(each.operation);
    known.add(keyInWorld(each));
  }
  const alone = reads.filter(({ operation }) => !repeated.has(operation));
  return mostOf((alone.length > 0 ? alone : reads).map(({ operation }) => operation ?? ""));
}

function mostOf(names: readonly string[]): string | undefined {
  const count = (name: string) => names.filter((each) => each === name).length;
  return [...new Set(names)].sort((a, b) => count(b) - count(a))[0];
}
