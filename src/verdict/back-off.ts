// Attempts at the same call, and the waits between them in real time.
import { type Evidence, type Judgement, notExercised, pass, undecided, warn } from "./check.ts";
import { arrivedAt, findAlike, mostAlike, type Observed, type RequestEntry, wallOf } from "./observed.ts";

/** A request and those that repeat it unchanged, one after the other. */
export function attemptsOf(observed: Observed, request: RequestEntry): RequestEntry[] {
  return [request, ...findAlike(observed, request).filter(({ seq }) => seq > request.seq)];
}

/** How often the control run sends the same by itself: a receiver reads a booking on each message about it. */
export function expectedTimes(control: Observed, request: RequestEntry): number {
  // An id may be another one in every run.
  return findAlike(control, request).length || Math.max(1, mostAlike(control, request.operation));
}

/** Real milliseconds between an answer and the next attempt. Never negative: two requests may overlap. */
export const gapsOf = (attempts: readonly RequestEntry[]): number[] =>
  attempts.slice(1).map((next, at) => Math.max(0, Math.round(arrivedAt(next) - wallOf(attempts[at] as RequestEntry))));

/** A program that repeats a read at least this often polls, also where the time between two reads varies. */
const FEWEST_TURNS = 20;
/** With fewer turns, most of them must take about as long as the median. */
const FEWEST_STEADY_TURNS = 6;
const MAX_DEVIATION = 0.4;
/** So soon after a message was sent a read is caused by it. */
const CAUSED_MS = 300;
const isWithin = (ms: number, most: number): boolean => ms >= 0 && ms < most;
/** A turn of a busy machine may be so much longer, or shorter, than another. */
const SAME_TURN = 1.3;

/** The real milliseconds between a response and the same read in its next turn, of a program that polls; undefined of another. */
export function turnOf(control: Observed, request: RequestEntry): number | undefined {
  const run = control.longerControl ?? control;
  const same = findAlike(run, request);
  if (request.method !== "GET" || same.length < FEWEST_STEADY_TURNS) return undefined;
  // A read after each message follows no clock.
  const isCaused = (read: RequestEntry) =>
    run.deliveries.some((sent) => isWithin(arrivedAt(read) - wallOf(sent) + sent.attempt.duration_ms, CAUSED_MS));
  if (same.filter(isCaused).length * 2 > same.length) return undefined;
  const gaps = gapsOf(same).sort((a, b) => a - b);
  const median = gaps[Math.floor(gaps.length / 2)] ?? 0;
  const isSteady = gaps.filter((gap) => Math.abs(gap - median) > MAX_DEVIATION * median).length <= 1;
  return isSteady || same.length >= FEWEST_TURNS ? median : undefined;
}

/** Whether each wait is at least as long as a turn without a failure. */
export const waitsForTurn = (gaps: readonly number[], turn: number): boolean =>
  gaps.every((gap) => gap > turn / SAME_TURN);

/** Whether it waits no less, and in the end no longer, than it does without a failure. */
export const isNextTurn = (gaps: readonly number[], turn: number): boolean =>
  waitsForTurn(gaps, turn) && (gaps.at(-1) ?? 0) < turn * SAME_TURN;

/** Closer together they are no waits: a busy machine takes as long. */
const NO_WAIT_MS = 100;
/** A busy machine makes a wait longer by some of it; less than that is no growth. */
const GROWTH = 1.3;
/** Of two waits a busy machine, or chance in the waits, may make the first the longer one: without growth they say nothing. */
const FEWEST_WITHOUT_GROWTH = 3;

/** What the waits between attempts after an answer say: that they grow, that they do not, or nothing. */
export function waitsJudged(gaps: readonly number[], answer: string, evidence: readonly Evidence[]): Judgement {
  const [first = 0, ...later] = gaps;
  const waits = gaps.map((gap) => `${gap} ms`).join(", ");
  if (later.length === 0)
    return notExercised(
      `after ${answer} it asks once more, after ${waits}; one wait says nothing of growth`,
      "let it try at least three times",
    );
  if (gaps.every((gap) => gap < NO_WAIT_MS)) return warn(`after ${answer} it repeats at once (${waits})`, evidence);
  if (Math.max(...later) >= first * GROWTH) return pass(`after ${answer} its waits grow (${waits})`, evidence);
  const says = `after ${answer} its waits do not grow (${waits})`;
  if (gaps.length >= FEWEST_WITHOUT_GROWTH) return warn(says, evidence);
  return undecided(
    `${says}, which of two waits may be chance`,
    "let each wait be twice the one before, and run it again where the machine is not busy",
    evidence,
  );
}
