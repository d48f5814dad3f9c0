// Compares the run of a drill with the control run: requests, records, the program's own state and its end. What differs is harm. Only
// harm fails a check; bad practice that only the log shows is a warning.
import { countBookings, findRepeatedBookings, formatBooking } from "./bookings.ts";
import { type Evidence, fail, type Harm, type Judgement, pass, warn } from "./judgement.ts";
import * as log from "./observed.ts";
import { findDifference, toComparableText } from "./program-state.ts";
import { type Attempt, isAccepted, listAttempts, toAttemptEvidence } from "./receiver.ts";

/** A test that compares complete responses fails with any changed response. */
const COMPARISON_FAILURE =
  /AssertionError|assert(?:ion)? failed|toEqual|toStrictEqual|toMatchObject|deep-equal|expected .+ to (?:deeply )?equal/i;

export class Comparison {
  constructor(
    readonly observed: log.Observed,
    readonly control: log.Observed,
    /** The name of the drill, which distinguishes the drills of a check. */
    readonly name: string = "",
  ) {}

  /** The requests that a fault hit. */
  get hits(): log.RequestEntry[] {
    return this.observed.requests.filter(log.isInjected);
  }

  /** The first request that a fault hit. Judges with `unmet` are only called if there is one. */
  get hit(): log.RequestEntry {
    return this.hits[0] as log.RequestEntry;
  }

  /** The attempts that a fault hit and that received a response. */
  get hitAttempts(): Attempt[] {
    return listAttempts(this.observed).filter(({ did, status }) => did !== undefined && status !== null);
  }

  get hasSameEnd(): boolean {
    const { ended } = this.control;
    return this.observed.ended.code === ended.code && this.observed.ended.stopped === ended.stopped;
  }

  get ending(): string {
    return log.formatEnding(this.observed);
  }

  /** The operations that succeeded less often than in the control run. */
  get lostOperations(): string[] {
    const done = log.countSuccesses(this.observed);
    return [...log.countSuccesses(this.control)].flatMap(([name, wanted]) => {
      // An operation whose number varies must succeed at least once.
      const least = this.control.unsteady?.has(name) ? 1 : wanted;
      return (done.get(name) ?? 0) < least ? [name] : [];
    });
  }

  get #lostWrites(): string[] {
    return this.lostOperations.filter((name) => log.findCalls(this.control, name).some(log.isWrite));
  }

  /** The successful writes that the control run does not have. */
  get extraWrites(): log.RequestEntry[] {
    const inControl = log.countSuccesses(this.control, log.isWrite);
    const writes = log.groupSuccesses(this.observed, log.isWrite);
    return [...writes].flatMap(([name, made]) => made.slice(inControl.get(name) ?? 0));
  }

  /** The receiver accepts every message of this kind in the control run. */
  isKindAccepted(kind: string): boolean {
    const alike = listAttempts(this.control).filter(({ message, status }) => message.kind === kind && status !== null);
    return alike.length > 0 && alike.every(isAccepted);
  }

  /**
   * The program's own state equals that of the control run. Undefined without a probe that prints the same in both
   * control runs.
   */
  get hasSameState(): boolean | undefined {
    return this.#isStateAlike(toComparableText);
  }

  #isStateAlike(toText: (probe: unknown) => string): boolean | undefined {
    const { probe, probeVaries } = this.control;
    return probe === undefined || probeVaries ? undefined : toText(this.observed.probe) === toText(probe);
  }

  /** `toText` returns equal texts for states that count as equal. */
  findOtherState(toText = toComparableText): Harm {
    return this.#isStateAlike(toText) === false ? "the program's own state differs" : undefined;
  }

  get secondBooking(): Harm {
    const twice = findRepeatedBookings(this.observed, this.control);
    if (twice.length === 0) return undefined;
    return `the program booked again: ${twice.map(({ booking }) => formatBooking(booking)).join(" and ")}`;
  }

  get hasFewerBookings(): boolean {
    return countBookings(this.observed) < countBookings(this.control);
  }

  /** Any harm of a failure that should cause none. */
  get harm(): Harm {
    const lost = this.#lostWrites;
    const isOther = !this.hasSameEnd && !this.#hasComparisonFailure;
    return (
      this.secondBooking ??
      (lost.length > 0 ? `it called ${lost.join(", ")} less often` : undefined) ??
      (isOther ? `it ended with ${this.ending}` : this.findOtherState())
    );
  }

  /** Such a test does not show what the program does. */
  get #hasComparisonFailure(): boolean {
    return COMPARISON_FAILURE.test(this.observed.ended.output);
  }

  /** The program's own state contains the booking of the request, as in the control run. */
  findInUnchangedState({ request }: log.RequestEntry): Harm {
    if (this.hasSameState !== true) return undefined;
    const { customer, metadata = {} } = (request?.body ?? {}) as { customer?: object; metadata?: object };
    const { email, name } = (customer ?? {}) as { email?: string; name?: string };
    const printed = JSON.stringify(this.observed.probe);
    const isPrinted = (value: unknown) => typeof value === "string" && printed.includes(JSON.stringify(value));
    const known = [...Object.values(metadata), email, name].find(isPrinted);
    return known && `the program's own state has ${JSON.stringify(known)}, as if the booking had succeeded`;
  }

  /** Judges a drill that only changes responses: the program must continue as in the control run. */
  judgeContinuation(what: string): Judgement {
    const { hasSameEnd, lostOperations: lost } = this;
    const evidence = this.#listLastChanges();
    const passed = pass(`it continues after responses with ${what}`);
    if (hasSameEnd && lost.length === 0) return passed;
    if (this.#hasComparisonFailure)
      return warn(
        `a test compares complete responses and fails because of ${what}, which hides what the program does`,
        evidence,
      );
    const change = lost.length > 0 ? `no longer called ${lost.join(", ")}` : `ended with ${this.ending}`;
    const says = `after a response with ${what} it ${change}`;
    // A missing read is harm only if the program's own state shows it.
    if (!hasSameEnd || this.#lostWrites.length > 0) return fail(says, evidence);
    return this.hasSameState ? passed : warn(says, evidence);
  }

  /** Lists the last changed response of each operation, newest first: a program usually stops at its last response. */
  #listLastChanges(): Evidence[] {
    const newest = log.groupBy(this.hits.reverse(), ({ operation }) => operation ?? "");
    return [...newest.values()]
      .slice(0, MAX_CHANGES)
      .flatMap(([each]) => (each ? log.toEvidence(each, `: ${each.faults.map(({ did }) => did).join(", and ")}`) : []));
  }
}

const MAX_CHANGES = 3;

/** A program that fails completely differs in every request. */
const MAX_LISTED = 20;

/** Adds to a failure or warning the requests, deliveries and state that differ, and the last output of the program. */
export function addDifferences(judgement: Judgement, run: Comparison): Judgement {
  const { outcome, evidence = [] } = judgement;
  if (outcome !== "fail" && outcome !== "warn") return judgement;
  const { observed, control } = run;
  const known = new Set(evidence.map(({ id }) => id));
  const isNew = ({ id }: Evidence) => !known.has(id);
  const added = [...listRequests(run), ...listDeliveries(run)].filter(isNew);
  const left = added.length - MAX_LISTED;
  const more = left > 0 ? [{ id: "log", says: `… and ${left} more requests and deliveries with other outcomes` }] : [];
  const state = run.findOtherState()
    ? [{ id: "probe", says: findDifference(observed.probe, control.probe) ?? "no difference" }]
    : [];
  const rest = [...state, ...listLastOutput(run)].filter(isNew);
  return { ...judgement, evidence: [...evidence, ...added.slice(0, MAX_LISTED), ...more, ...rest] };
}

function listRequests({ observed, control, hasSameEnd }: Comparison): Evidence[] {
  const toOutcome = ({ operation, path, status, code }: log.RequestEntry) => `${operation ?? path} ${status} ${code}`;
  const expected = log.groupBy(control.requests, toOutcome);
  // Reads may be repeated, but each write counts.
  const found = [...log.groupBy(observed.requests, toOutcome)].flatMap(([outcome, requests]) => {
    const known = expected.get(outcome)?.length ?? 0;
    return known === 0 ? requests : requests.filter(log.isWrite).slice(known);
  });
  const last = hasSameEnd ? [] : observed.requests.slice(-1).map((each) => log.toEvidence(each, ", the last request"));
  return [...found.sort((a, b) => a.seq - b.seq).map((each) => log.toEvidence(each)), ...last];
}

function listDeliveries({ observed, control }: Comparison): Evidence[] {
  const toOutcome = ({ message, status, outcome }: Attempt) => `${message.kind} ${status} ${outcome}`;
  const expected = new Set(listAttempts(control).map(toOutcome));
  const found = listAttempts(observed).filter((each) => !expected.has(toOutcome(each)));
  return found.map((each) => toAttemptEvidence(each, each.error === undefined ? "" : `: ${each.error}`));
}

const ERROR = /error|exception|cannot|undefined/i;
const MAX_OUTPUT_LINES = 3;

/** Returns the lines from the last error on. A program that continues writes its errors to stderr. */
function listLastOutput({ observed: { ended }, control, hasSameEnd }: Comparison): Evidence[] {
  const lines = log.listNewLines(hasSameEnd ? ended.errors : ended.output, control);
  // Lines of a stack trace are skipped.
  const from = lines.findLastIndex((each) => ERROR.test(each) && !/^at /.test(each));
  const last = from < 0 ? lines.slice(-MAX_OUTPUT_LINES) : lines.slice(from, from + MAX_OUTPUT_LINES);
  return last.map((line) => ({ id: "output", says: line.slice(0, 160) }));
}
