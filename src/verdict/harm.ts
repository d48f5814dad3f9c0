// What a failure left behind in the records of the sandbox and in the program's own state, compared with the control run. A check fails a
// program for harm alone. What only the log shows is bad practice, and a warning.
import { bookedTwice, bookingText, evidenceOfTwice } from "./booked.ts";
import { type Evidence, fail, type Judgement, warn } from "./check.ts";
import { comparesIn, endedAlike, endingOf, endOf, lostIn } from "./compare.ts";
import { probeEvidence, probesAlike } from "./hooks.ts";
import { isWrite, type Observed, type RequestEntry } from "./observed.ts";

interface Harm {
  /** Continues a sentence: `a second booking was made`. */
  says: string;
  evidence: readonly Evidence[];
}

/** A failure where there is harm, otherwise a warning. */
export function judgeHarm(says: string, evidence: readonly Evidence[], harm: Harm | undefined): Judgement {
  return harm ? fail(`${says}: ${harm.says}`, [...evidence, ...harm.evidence]) : warn(says, evidence);
}

export function findSecondBooking(observed: Observed, control: Observed): Harm | undefined {
  const twice = bookedTwice(observed, control);
  if (twice.length === 0) return undefined;
  const names = twice.map(({ booking }) => bookingText(booking)).join(" and ");
  return { says: `the program booked again: ${names}`, evidence: evidenceOfTwice(twice) };
}

/** Any trace of a failure that should leave none. */
export const findHarm = (observed: Observed, control: Observed): Harm | undefined =>
  findSecondBooking(observed, control) ??
  findLostWrite(observed, control) ??
  findOtherEnd(observed, control) ??
  findOtherState(observed, control);

function findLostWrite(observed: Observed, control: Observed): Harm | undefined {
  const writes = new Set(control.requests.filter(isWrite).map(({ operation }) => operation));
  const lost = lostIn(observed, control).filter((operation) => writes.has(operation));
  return lost.length > 0
    ? { says: `it no longer called ${lost.join(", ")} as often`, evidence: endOf(observed) }
    : undefined;
}

function findOtherEnd(observed: Observed, control: Observed): Harm | undefined {
  // A test that compares whole responses says nothing of the program.
  if (endedAlike(observed, control) || comparesIn(observed)) return undefined;
  return { says: `it ended with ${endingOf(observed)}`, evidence: endOf(observed) };
}

/** `toText` is equal for states that count as the same. */
export function findOtherState(
  observed: Observed,
  control: Observed,
  toText?: (probe: unknown) => string,
): Harm | undefined {
  if (probesAlike(observed, control, toText) !== false) return undefined;
  return { says: "another state was left behind", evidence: [probeEvidence(observed, control)] };
}

/** The program's own state has the booking of the request, just as where nothing went wrong. */
export function findInUnchangedState(
  observed: Observed,
  control: Observed,
  { request }: RequestEntry,
): Harm | undefined {
  if (probesAlike(observed, control) !== true) return undefined;
  const { customer, metadata = {} } = (request?.body ?? {}) as { customer?: object; metadata?: object };
  const { email, name } = (customer ?? {}) as { email?: string; name?: string };
  const printed = JSON.stringify(observed.probe);
  const known = [...Object.values(metadata), email, name].find(
    (each) => typeof each === "string" && printed.includes(JSON.stringify(each)),
  );
  if (known === undefined) return undefined;
  return {
    says: "the program's own state has the booking as before",
    evidence: [{ id: "probe", says: `${JSON.stringify(known)}, as where the booking was made` }],
  };
}
