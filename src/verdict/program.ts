// Runs the program twice without injected failures. To be judged, it must send requests, succeed, and do the same twice.
import type { Schemas } from "../client/control.ts";
import { RelayLost } from "../stories/index.ts";
import { countSuccesses, formatEnding, isWrite, type Observed } from "./observed.ts";
import { toComparableText } from "./program-state.ts";
import { runOnce } from "./run.ts";
import type { RunEnvironment } from "./worlds.ts";

/** The reason why there is no verdict. The codes are printed as JSON, so they are a contract. */
export type NoVerdict = Schemas["NoVerdict"];

interface ControlRuns {
  first: Observed;
  second: Observed;
  /** The environment of later runs. */
  environment: RunEnvironment;
}

/** The longest wait of a drill is 20 s. */
const MIN_LIMIT_MS = 40_000;

/** Returns the reason if the program can't be judged. `report` receives the number of each run. */
export async function runControls(
  environment: RunEnvironment,
  report: (number: 1 | 2) => void,
): Promise<NoVerdict | ControlRuns> {
  report(1);
  const first = await runOnce(environment, { name: "control" });
  const unfit = checkControlRun(first);
  if (unfit) return unfit;
  // A drill may take longer than the control run, because it waits and delays responses.
  const limitMs = Math.min(environment.limitMs, MIN_LIMIT_MS + 4 * first.took_ms);
  const later = { ...environment, serves: first.ended.stopped === "served", limitMs };
  report(2);
  const second = await runOnce(later, { name: "control", control: first });
  return checkSteadiness(first, second) ?? { first, second, environment: later };
}

/** A receiver with a fixed port can't run twice at the same time. */
export function hasFixedPort(first: Observed, second: Observed, webhookUrl: string | undefined): boolean {
  if (webhookUrl !== undefined) return !webhookUrl.includes("{port}");
  const urls = new Set(first.subscriptions.map(({ url }) => url));
  return second.subscriptions.some(({ url }) => urls.has(url));
}

/** Returns undefined if the run can be judged. The checks are ordered, because one reason can hide another. */
function checkControlRun(observed: Observed): NoVerdict | undefined {
  const { ended } = observed;
  if (ended.notStarted !== undefined) return { code: "NOT_STARTED", says: ended.notStarted };
  const uncalled = checkCalls({ ...observed, output: ended.output });
  if (uncalled) return uncalled;
  if (ended.stopped === "too-long") return { code: "TOO_LONG", says: describeTimeout(observed), output: ended.output };
  if (ended.code !== undefined && ended.code !== 0) {
    const says = `The program fails by itself, with exit code ${ended.code} and no failure injected. Make it green first: \`sandbox exec -- <command>\`.`;
    return { code: "RED_BY_ITSELF", says, output: ended.output };
  }
  if (observed.probeFailed !== undefined) return { code: "PROBE", says: observed.probeFailed };
  return undefined;
}

/** Nothing can be judged without the relay. All other errors are rethrown. */
export function toNoVerdict(reason: unknown): NoVerdict {
  if (!(reason instanceof RelayLost)) throw reason;
  return { code: "RELAY_LOST", says: reason.message };
}

/** A program that only receives webhooks sends no requests, so a response to a delivery counts too. */
export function checkCalls({
  requests,
  deliveries,
  connection,
  output,
}: Pick<Observed, "requests" | "deliveries" | "connection"> & { output: string }): NoVerdict | undefined {
  const isReceiving = deliveries.some(({ attempt }) => attempt.status !== null);
  const { url } = connection;
  if (requests.length === 0 && !isReceiving) {
    const says = `The program never called the sandbox at ${url}. Let it read its address from SANDBOX_URL; tests that start a sandbox of their own have to use this one. A program that only receives webhooks needs --webhook-url.`;
    return { code: "NEVER_CALLED", says, output };
  }
  // The sandbox rejects all requests if it does not know their credentials.
  const isStranger = requests.every(({ status, client_id }) => status === 401 && client_id === null);
  if (requests.length === 0 || !isStranger) return undefined;
  const says = `The program called ${url}, but with the credentials of another sandbox. Let it read SANDBOX_CLIENT_ID and SANDBOX_CLIENT_SECRET.`;
  return { code: "OTHER_SANDBOX", says, output };
}

const describeTimeout = ({ took_ms }: Observed): string =>
  `The program neither ended nor came to rest in ${Math.floor(took_ms / 1000)} s, with no failure injected. Give it more time with --timeout.`;

/** Two control runs must make the same changes and end in the same way. */
function checkSteadiness(first: Observed, second: Observed): NoVerdict | undefined {
  const [before, after] = [first, second].map(formatEnding);
  if (before !== after) return createUnsteadyReason(`it ended once with ${before} and once with ${after}`, second);
  const [some, others] = [countSuccesses(first, isWrite), countSuccesses(second, isWrite)];
  // Reads may vary with time, so only writes are compared.
  const names = new Set([...some.keys(), ...others.keys()]);
  for (const name of names) {
    const [one, two] = [some.get(name) ?? 0, others.get(name) ?? 0];
    if (one !== two) return createUnsteadyReason(`it called ${name} ${one} times and then ${two} times`, second);
  }
  return undefined;
}

function createUnsteadyReason(what: string, { ended }: Observed): NoVerdict {
  const says = `The program differs from run to run, with no failure injected: ${what}. A verdict needs a program that does the same twice.`;
  return { code: "NOT_THE_SAME_TWICE", says, output: ended.output };
}

/** Finds what differs between the two control runs, so that a drill is not blamed for it. */
export function findVariations(first: Observed, second: Observed): Pick<Observed, "unsteady" | "probeVaries"> {
  const [some, others] = [countSuccesses(first), countSuccesses(second)];
  return {
    unsteady: new Set([...some.keys(), ...others.keys()].filter((name) => some.get(name) !== others.get(name))),
    probeVaries: toComparableText(first.probe) !== toComparableText(second.probe),
  };
}
