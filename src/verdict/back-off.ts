// Finds repeated requests, measures the waits between them in real time, and recognizes programs that poll.
import { type Evidence, type Judgement, notExercised, pass, undecided, warn } from "./judgement.ts";
import * as log from "./observed.ts";

/** Lists the request and its later repetitions, which are equal and in the same world. */
export function findRepeats(observed: log.Observed, request: log.RequestEntry): log.RequestEntry[] {
  return [request, ...log.findAlike(observed, request).filter(({ seq }) => seq > request.seq)];
}

/**
 * Counts how often the control run sends the same request, for example because a receiver reads a booking on each
 * message about it.
 */
export function countExpectedRepeats(control: log.Observed, request: log.RequestEntry): number {
  // Ids may differ between runs, so the most frequent request of the operation is counted instead.
  return log.findAlike(control, request).length || Math.max(1, log.countMostAlike(control, request.operation));
}

/**
 * The real milliseconds from each response to the next request. Requests may overlap, so negative values count as 0.
 */
export const measureGaps = (attempts: readonly log.RequestEntry[]): number[] =>
  attempts
    .slice(1)
    .map((next, at) => Math.max(0, Math.round(log.toArrivalMs(next) - log.toWallMs(attempts[at] as log.RequestEntry))));

/** A program that repeats a read at least this often polls, even if the intervals vary. */
const MIN_POLLS = 20;
/** A program with fewer reads polls only if there are this many intervals, and most are close to the median. */
const MIN_INTERVALS = 5;
const MAX_OTHER_SHARE = 0.2;
const MAX_DEVIATION = 0.4;
/** A read that arrives this soon after a message was sent is caused by it. */
const MAX_REACTION_MS = 300;
/** Equal intervals are a timer. A program that reads when it needs to is not steady. */
export function isSteady(gaps: readonly number[]): boolean {
  const median = findMedian(gaps);
  const others = gaps.filter((gap) => Math.abs(gap - median) > MAX_DEVIATION * median);
  return gaps.length >= MIN_INTERVALS && others.length <= Math.max(1, gaps.length * MAX_OTHER_SHARE);
}

export const findMedian = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** An interval may differ from another by this factor on a busy machine. */
const MAX_INTERVAL_RATIO = 1.3;

/**
 * Returns the milliseconds from a response to the next poll of the same read; undefined if the program does not poll.
 */
export function findPollInterval(control: log.Observed, request: log.RequestEntry): number | undefined {
  const run = control.longerControl ?? control;
  const same = log.findAlike(run, request);
  if (request.method !== "GET") return undefined;
  // A receiver that reads after each message does not poll.
  const isCaused = (read: log.RequestEntry) =>
    run.deliveries.some((sent) => {
      const reactionMs = log.toArrivalMs(read) - log.toWallMs(sent) + sent.attempt.duration_ms;
      return reactionMs >= 0 && reactionMs < MAX_REACTION_MS;
    });
  if (same.filter(isCaused).length * 2 > same.length) return undefined;
  const gaps = measureGaps(same);
  return isSteady(gaps) || same.length >= MIN_POLLS ? findMedian(gaps) : undefined;
}

export const hasFullPollIntervals = (gaps: readonly number[], interval: number): boolean =>
  gaps.every((gap) => gap > interval / MAX_INTERVAL_RATIO);

/** The program waits as long as between two polls, so that a retry can't be distinguished from a poll. */
export const isNextPoll = (gaps: readonly number[], interval: number): boolean =>
  hasFullPollIntervals(gaps, interval) && (gaps.at(-1) ?? 0) < interval * MAX_INTERVAL_RATIO;

/** A shorter wait may just be the time that a busy machine takes. */
const MIN_WAIT_MS = 100;
/** A busy machine makes waits slightly longer, so less growth does not count. */
const MIN_GROWTH = 1.3;
/** Chance may make the first of only two waits the longer one. */
const MIN_WAITS_WITHOUT_GROWTH = 3;

/** Judges whether the waits grow between attempts that receive this response. */
export function judgeWaits(gaps: readonly number[], answer: string, evidence: readonly Evidence[]): Judgement {
  const [first = 0, ...later] = gaps;
  const waits = gaps.map((gap) => `${gap} ms`).join(", ");
  if (later.length === 0)
    return notExercised(
      `after ${answer} it retries once, after ${waits}; a single wait shows no growth`,
      "let it retry at least twice",
    );
  if (gaps.every((gap) => gap < MIN_WAIT_MS))
    return warn(`after ${answer} it retries immediately (${waits})`, evidence);
  if (Math.max(...later) >= first * MIN_GROWTH) return pass(`after ${answer} its waits grow (${waits})`, evidence);
  const says = `after ${answer} its waits do not grow (${waits})`;
  if (gaps.length >= MIN_WAITS_WITHOUT_GROWTH) return warn(says, evidence);
  return undecided(
    `${says}, but two waits may be chance`,
    "double each wait, and repeat the check while the machine is not busy",
    evidence,
  );
}

const listReads = ({ requests }: log.Observed): log.RequestEntry[] =>
  requests.filter((each) => each.method === "GET" && log.isCall(each));

export const explainNoRead = (observed: log.Observed): string | undefined =>
  log.explainNoSuccess(listReads(observed), "the program sends no read request", "read");

/** Returns the read that the program sends most often, preferably one that it never repeats by itself. */
export function chooseRead(control: log.Observed): string {
  const reads = listReads(control).filter(log.isSuccess);
  const repeated = [...log.groupBy(reads, log.toKeyInWorld).values()].filter(({ length }) => length > 1);
  const isRepeated = ({ operation }: log.RequestEntry) => repeated.some(([each]) => each?.operation === operation);
  const alone = reads.filter((each) => !isRepeated(each));
  const groups = log.groupBy(alone.length > 0 ? alone : reads, ({ operation }) => operation ?? "");
  return log.findLongest(groups.values())[0]?.operation ?? "";
}
