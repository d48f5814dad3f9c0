// What must be so before anything is judged: the program comes, is green by itself, and does the same twice. Otherwise one sentence says
// what is, and no verdict is invented.

import { RelayLost } from "../stories/index.ts";
import { endingOf, successesOf } from "./compare.ts";
import { isWrite, type Observed, type RequestEntry } from "./observed.ts";

/** Why there is no verdict. The codes are printed as JSON, and are a contract. */
export interface NoVerdict {
  code:
    | "NOT_STARTED"
    | "NEVER_CALLED"
    | "OTHER_SANDBOX"
    | "RED_BY_ITSELF"
    | "TOO_LONG"
    | "PROBE"
    | "RELAY_LOST"
    | "NOT_THE_SAME_TWICE";
  says: string;
  /** The end of what the program printed. */
  output?: string;
}

/** Undefined: the run can be judged. In the order in which one reason hides the next. */
export function whyNotJudged(observed: Observed): NoVerdict | undefined {
  const { ended } = observed;
  if (ended.notStarted !== undefined) return { code: "NOT_STARTED", says: ended.notStarted };
  const absent = whyNotCalled({ ...observed, output: ended.output });
  if (absent) return absent;
  if (ended.stopped === "too-long") return { code: "TOO_LONG", says: tooLong(observed), output: ended.output };
  if (ended.code !== undefined && ended.code !== 0) {
    const says = `The program fails by itself, with exit code ${ended.code} and no failure injected. Make it green first: \`sandbox exec -- <command>\`.`;
    return { code: "RED_BY_ITSELF", says, output: ended.output };
  }
  if (observed.probeFailed !== undefined) return { code: "PROBE", says: observed.probeFailed };
  return undefined;
}

/** Without the relay nothing is judged; what else went wrong is thrown on. */
export function noVerdictOn(reason: unknown): NoVerdict {
  if (!(reason instanceof RelayLost)) throw reason;
  return { code: "RELAY_LOST", says: reason.message };
}

/** A program that only receives has made no call, and was there all the same. */
export function whyNotCalled({
  requests,
  deliveries,
  connection,
  output,
}: Pick<Observed, "requests" | "deliveries" | "connection"> & { output: string }): NoVerdict | undefined {
  const accepted = deliveries.some(({ attempt }) => attempt.status !== null);
  if (requests.length === 0 && !accepted) return { code: "NEVER_CALLED", says: neverCalled(connection.url), output };
  return isStranger(requests) ? { code: "OTHER_SANDBOX", says: stranger(connection.url), output } : undefined;
}

const tooLong = ({ took_ms }: Observed): string =>
  `The program neither ended nor came to rest in ${Math.floor(took_ms / 1000)} s, with no failure injected. Give it more time with --timeout.`;

const neverCalled = (url: string): string =>
  `The program never called the sandbox at ${url}. Let it read its address from SANDBOX_URL; tests that start a sandbox of their own have to use this one. A program that only receives webhooks needs --webhook-url.`;

const stranger = (url: string): string =>
  `The program called ${url}, but with the credentials of another sandbox. Let it read SANDBOX_CLIENT_ID and SANDBOX_CLIENT_SECRET.`;

/** All its calls were refused, because nobody here knows its key or token. */
function isStranger(requests: readonly RequestEntry[]): boolean {
  return requests.length > 0 && requests.every(({ status, client_id }) => status === 401 && client_id === null);
}

/** Two runs without a failure: what they change must be the same, and so must their end. */
export function whyNotSteady(first: Observed, second: Observed): NoVerdict | undefined {
  const [before, after] = [first, second].map(endingOf);
  if (before !== after) return notSteady(`it ended once with ${before} and once with ${after}`, second);
  const [some, others] = [successesOf(first, isWrite), successesOf(second, isWrite)];
  // Only what it changes has to be the same: reads may follow the clock.
  const names = new Set([...some.keys(), ...others.keys()]);
  for (const name of names) {
    const [one, two] = [some.get(name) ?? 0, others.get(name) ?? 0];
    if (one !== two) return notSteady(`it called ${name} ${one} times and then ${two} times`, second);
  }
  return undefined;
}

function notSteady(what: string, { ended }: Observed): NoVerdict {
  const says = `The program differs from run to run, with no failure injected: ${what}. A verdict needs it to do the same twice.`;
  return { code: "NOT_THE_SAME_TWICE", says, output: ended.output };
}
