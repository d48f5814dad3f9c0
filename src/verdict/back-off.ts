// Attempts at the same call, and the waits between them in real time.
import { arrivedAt, byKey, type Observed, type RequestEntry, sameKey, wallOf } from "./observed.ts";

/** A request and those that repeat it unchanged, one after the other. */
export function attemptsOf(observed: Observed, request: RequestEntry): RequestEntry[] {
  return [request, ...alike(observed, request).filter(({ seq }) => seq > request.seq)];
}

const alike = (observed: Observed, request: RequestEntry): readonly RequestEntry[] =>
  byKey(observed).get(sameKey(request)) ?? [];

/** How often the control run sends the same by itself: a receiver reads a booking on each message about it. */
export function expectedTimes(control: Observed, request: RequestEntry): number {
  // An id may be another one in every run.
  return alike(control, request).length || most(control, request);
}

function most(control: Observed, { operation }: RequestEntry): number {
  let times = 1;
  for (const group of byKey(control).values())
    if (group[0]?.operation === operation) times = Math.max(times, group.length);
  return times;
}

/** Real milliseconds between an answer and the next attempt. Never negative: two requests may overlap. */
export const gapsOf = (attempts: readonly RequestEntry[]): number[] =>
  attempts.slice(1).map((next, at) => Math.max(0, Math.round(arrivedAt(next) - wallOf(attempts[at] as RequestEntry))));

/** So often the control run of a program that polls repeats a read, at least. */
export const FEWEST_TURNS = 20;
/** A turn of a busy machine may be so much longer, or shorter, than another. */
const SAME_TURN = 1.3;

/** The real milliseconds between an answer and the same read in its next turn, of a program that polls; undefined of another. */
export function turnOf(control: Observed, request: RequestEntry): number | undefined {
  const same = alike(control, request);
  if (same.length < FEWEST_TURNS) return undefined;
  return gapsOf(same).sort((a, b) => a - b)[Math.floor(same.length / 2)];
}

/** Whether it waits no less, and in the end no longer, than it does without a failure. */
export const isNextTurn = (gaps: readonly number[], turn: number): boolean =>
  gaps.every((gap) => gap > turn / SAME_TURN) && (gaps.at(-1) ?? 0) < turn * SAME_TURN;

/** Closer together they are no waits: a busy machine takes as long. */
const NO_WAIT_MS = 100;
/** Of two waits a busy machine may make the first the longer one. */
const FEWEST_GROWING = 3;

/** Undefined where attempts back off. */
export function whyNoBackOff(gaps: readonly number[]): string | undefined {
  // One wait says nothing about growth.
  if (gaps.length < 2) return undefined;
  const gapsText = gaps
    .slice(0, 6)
    .map((gap) => `${gap} ms`)
    .join(", ");
  if (gaps.every((gap) => gap < NO_WAIT_MS)) return `it repeats at once (${gapsText})`;
  if (gaps.length < FEWEST_GROWING) return undefined;
  const [first = 0, last = 0] = [gaps[0], Math.max(...gaps.slice(1))];
  // A busy machine makes a wait longer by some of it; less than that is no growth.
  return last < first * 1.3 ? `its waits do not grow (${gapsText})` : undefined;
}
