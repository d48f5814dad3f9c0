// Finds the harm of an injected failure: what differs from the control run in the sandbox's records and in the
// program's own state. Only harm fails a check; bad practice that only the log shows is a warning.
import { findRepeatedBookings, formatBooking } from "./bookings.ts";
import { type Evidence, fail, type Judgement, warn } from "./check.ts";
import { formatEnding, hasComparisonFailure, hasSameEnd, listLostWrites } from "./compare.ts";
import type { Observed, RequestEntry } from "./observed.ts";
import { hasSameState } from "./receiver.ts";

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
