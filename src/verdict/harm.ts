// What a failure left behind in the records of the sandbox and in the program's own state, compared with the control run. A check fails a
// program for harm alone. What only the log shows is bad practice, and a warning.
import { bookedTwice, bookingText } from "./booked.ts";
import { type Evidence, fail, type Judgement, warn } from "./check.ts";
import { comparesIn, endedAlike, endingOf, listLostWrites } from "./compare.ts";
import { probesAlike } from "./hooks.ts";
import type { Observed, RequestEntry } from "./observed.ts";

/** What is wrong now, such as `the program booked again`. Undefined if nothing is. */
type Harm = string | undefined;

/** A failure where there is harm, otherwise a warning. */
export const judgeHarm = (says: string, evidence: readonly Evidence[], harm: Harm): Judgement =>
  harm === undefined ? warn(says, evidence) : fail(`${says}: ${harm}`, evidence);

export function findSecondBooking(observed: Observed, control: Observed): Harm {
  const twice = bookedTwice(observed, control);
  if (twice.length === 0) return undefined;
  return `the program booked again: ${twice.map(({ booking }) => bookingText(booking)).join(" and ")}`;
}

/** Any trace of a failure that should leave none. */
export const findHarm = (observed: Observed, control: Observed): Harm =>
  findSecondBooking(observed, control) ??
  findLostWrite(observed, control) ??
  findOtherEnd(observed, control) ??
  findOtherState(observed, control);

function findLostWrite(observed: Observed, control: Observed): Harm {
  const lost = listLostWrites(observed, control);
  return lost.length > 0 ? `it no longer called ${lost.join(", ")} as often` : undefined;
}

/** A test that compares whole responses says nothing of the program. */
const findOtherEnd = (observed: Observed, control: Observed): Harm =>
  endedAlike(observed, control) || comparesIn(observed) ? undefined : `it ended with ${endingOf(observed)}`;

/** `toText` is equal for states that count as the same. */
export const findOtherState = (observed: Observed, control: Observed, toText?: (probe: unknown) => string): Harm =>
  probesAlike(observed, control, toText) === false ? "another state was left behind" : undefined;

/** The program's own state has the booking of the request, just as where nothing went wrong. */
export function findInUnchangedState(observed: Observed, control: Observed, { request }: RequestEntry): Harm {
  if (probesAlike(observed, control) !== true) return undefined;
  const { customer, metadata = {} } = (request?.body ?? {}) as { customer?: object; metadata?: object };
  const { email, name } = (customer ?? {}) as { email?: string; name?: string };
  const printed = JSON.stringify(observed.probe);
  const isPrinted = (value: unknown) => typeof value === "string" && printed.includes(JSON.stringify(value));
  const known = [...Object.values(metadata), email, name].find(isPrinted);
  return known && `the program's own state has ${JSON.stringify(known)}, as where the booking was made`;
}
