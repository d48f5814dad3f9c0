// Finds the harm of an injected failure: what differs from the control run in the sandbox's records and in the
// program's own state. Only harm fails a check; bad practice that only the log shows is a warning.
import { findRepeatedBookings, formatBooking } from "./bookings.ts";
import { type Evidence, fail, type Judgement, warn } from "./check.ts";
import { formatEnding, hasComparisonFailure, hasSameEnd, listLostWrites } from "./compare.ts";
import { groupBy, isWrite, type Observed, type RequestEntry, toEvidence } from "./observed.ts";
import { findDifference } from "./program-state.ts";
import { hasSameState, listAttempts, toAttemptEvidence } from "./receiver.ts";

/** The harm as a clause, such as `the program booked again`. */
type Harm = string | undefined;

/** Fails if there is harm, and warns otherwise. */
export const judgeHarm = (says: string, evidence: readonly Evidence[], harm: Harm): Judgement =>
  harm === undefined ? warn(says, evidence) : fail(`${says}: ${harm}`, evidence);

export function findSecondBooking(observed: Observed, control: Observed): Harm {
  const twice = findRepeatedBookings(observed, control);
  if (twice.length === 0) return undefined;
  return `the program booked again: ${twice.map(({ booking }) => formatBooking(booking)).join(" and ")}`;
}

/** Finds any harm of a failure that should cause none. */
export const findHarm = (observed: Observed, control: Observed): Harm =>
  findSecondBooking(observed, control) ??
  findLostWrite(observed, control) ??
  findOtherEnd(observed, control) ??
  findOtherState(observed, control);

function findLostWrite(observed: Observed, control: Observed): Harm {
  const lost = listLostWrites(observed, control);
  return lost.length > 0 ? `it called ${lost.join(", ")} less often` : undefined;
}

/** A test that compares complete responses does not show what the program does. */
const findOtherEnd = (observed: Observed, control: Observed): Harm =>
  hasSameEnd(observed, control) || hasComparisonFailure(observed)
    ? undefined
    : `it ended with ${formatEnding(observed)}`;

/** `toText` returns equal texts for states that count as equal. */
export const findOtherState = (observed: Observed, control: Observed, toText?: (probe: unknown) => string): Harm =>
  hasSameState(observed, control, toText) === false ? "the program's own state differs" : undefined;

/** The program's own state contains the booking of the request, as in the control run. */
export function findInUnchangedState(observed: Observed, control: Observed, { request }: RequestEntry): Harm {
  if (hasSameState(observed, control) !== true) return undefined;
  const { customer, metadata = {} } = (request?.body ?? {}) as { customer?: object; metadata?: object };
  const { email, name } = (customer ?? {}) as { email?: string; name?: string };
  const printed = JSON.stringify(observed.probe);
  const isPrinted = (value: unknown) => typeof value === "string" && printed.includes(JSON.stringify(value));
  const known = [...Object.values(metadata), email, name].find(isPrinted);
  return known && `the program's own state has ${JSON.stringify(known)}, as if the booking had succeeded`;
}

/** A program that fails completely differs in every request. */
const MAX_LISTED = 20;

/** Adds the requests, deliveries and state that differ from the control run. */
export function addDifferences(judgement: Judgement, observed: Observed, control: Observed): Judgement {
  const { outcome, evidence = [] } = judgement;
  if (outcome !== "fail" && outcome !== "warn") return judgement;
  const known = new Set(evidence.map(({ id }) => id));
  const differences = [...listRequests(observed, control), ...listDeliveries(observed, control)];
  const added = differences.filter(({ id }) => !known.has(id));
  const left = added.length - MAX_LISTED;
  const more = left > 0 ? [{ id: "log", says: `… and ${left} more requests and deliveries with other outcomes` }] : [];
  const rest = [...more, ...listStateDifferences(observed, control), ...listLastOutput(observed, control)];
  return {
    ...judgement,
    evidence: [...evidence, ...added.slice(0, MAX_LISTED), ...rest.filter(({ id }) => !known.has(id))],
  };
}

function listRequests(observed: Observed, control: Observed): Evidence[] {
  const toOutcome = ({ operation, path, status, code }: RequestEntry) => `${operation ?? path} ${status} ${code}`;
  const expected = groupBy(control.requests, toOutcome);
  const seen = groupBy(observed.requests, toOutcome);
  // Reads may be repeated, but each write counts.
  const found = [...seen].flatMap(([outcome, requests]) => {
    const known = expected.get(outcome)?.length ?? 0;
    return known === 0 ? requests : requests.filter(isWrite).slice(known);
  });
  const isEarly = hasSameEnd(observed, control);
  const last = isEarly ? [] : observed.requests.slice(-1).map((each) => toEvidence(each, ", the last request"));
  return [...found.sort((a, b) => a.seq - b.seq).map((each) => toEvidence(each)), ...last];
}

function listDeliveries(observed: Observed, control: Observed): Evidence[] {
  const toOutcome = ({ message, status, outcome }: ReturnType<typeof listAttempts>[number]) =>
    `${message.kind} ${status} ${outcome}`;
  const expected = new Set(listAttempts(control).map(toOutcome));
  const found = listAttempts(observed).filter((each) => !expected.has(toOutcome(each)));
  return found.map((each) => toAttemptEvidence(each, each.error === undefined ? "" : `: ${each.error}`));
}

function listStateDifferences(observed: Observed, control: Observed): Evidence[] {
  if (hasSameState(observed, control) !== false) return [];
  return [{ id: "probe", says: findDifference(observed.probe, control.probe) ?? "no difference" }];
}

const ERROR = /error|exception|cannot|undefined/i;
const MAX_OUTPUT_LINES = 3;

/** Returns the lines from the last error on. A program that continues writes its errors to stderr. */
function listLastOutput(observed: Observed, control: Observed): Evidence[] {
  const text = hasSameEnd(observed, control) ? observed.ended.errors : observed.ended.output;
  const expected = new Set(toLines(control.ended.output));
  const lines = toLines(text).filter((line) => !expected.has(line));
  // Lines of a stack trace are skipped.
  const from = lines.findLastIndex((each) => ERROR.test(each) && !/^at /.test(each));
  const last = from < 0 ? lines.slice(-MAX_OUTPUT_LINES) : lines.slice(from, from + MAX_OUTPUT_LINES);
  return last.map((line) => ({ id: "output", says: line.slice(0, 160) }));
}

/** Node ends every crash with its version, which is no evidence. */
const toLines = (text = ""): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^Node\.js v\d/.test(line));
