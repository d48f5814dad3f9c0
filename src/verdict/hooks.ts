// What a receiver is seen to do: how it answers each attempt, and which calls follow.
import type { Evidence } from "./check.ts";
import { grouped, isWrite, type Message, type Observed, onceForRun, type RequestEntry, succeeded } from "./observed.ts";
import { toComparableText } from "./program-state.ts";

export interface Attempt {
  message: Message;
  /** Null where nobody answered. */
  status: number | null;
  duration_ms: number;
  outcome: string;
  /** Why there was no response. */
  error: string | undefined;
  /** The fault that it met, such as `altered`. */
  did: string | undefined;
  /** The fault that the attempt before it met, of the same delivery. */
  after: string | undefined;
}

/** Every attempt of every delivery, in the order of the messages. */
export const attemptsIn = ({ messages }: Observed): Attempt[] =>
  messages.flatMap((message) =>
    message.deliveries.flatMap(({ attempts }) =>
      attempts.map((each, at) => ({
        ...{ message, status: each.answer?.status ?? null, duration_ms: each.duration_ms, outcome: each.outcome },
        ...{ error: each.error, did: each.fault?.name, after: attempts[at - 1]?.fault?.name },
      })),
    ),
  );

export const isAccepted = ({ status }: Attempt): boolean => status !== null && status < 300;

/** Whether the receiver takes every message of this kind without the drill. */
export function isTaken(kind: string, control: Observed): boolean {
  const alike = attemptsIn(control).filter(({ message, status }) => message.kind === kind && status !== null);
  return alike.length > 0 && alike.every(isAccepted);
}

/** Where the control run shows a receiver that takes messages. */
export function noReceiver(control: Observed): string | undefined {
  const attempts = attemptsIn(control);
  if (attempts.some(isAccepted)) return undefined;
  const [blocked] = attempts.filter(({ outcome }) => outcome === "BLOCKED");
  if (blocked) return `no message was sent: ${blocked.error}`;
  const refused = attempts.flatMap(({ status }) => status ?? []);
  const answers = `${refused.length} genuine ${refused.length === 1 ? "one was" : "ones were"} answered ${[...new Set(refused)].join(", ")}`;
  return `no receiver of the program took a message${refused.length > 0 ? `; ${answers}` : ""}`;
}

export const attemptEvidence = ({ message, status, did, outcome }: Attempt, more = ""): Evidence => ({
  id: message.id,
  at: message.created_at,
  says: `${message.kind}${did === undefined ? "" : ` (${did})`} → ${status ?? outcome.toLowerCase()}${more}`,
});

const MAX_LISTED = 4;

/** The first of several attempts, as evidence. */
export const listAttempts = (attempts: readonly Attempt[], more = ""): Evidence[] =>
  attempts.slice(0, MAX_LISTED).map((each) => attemptEvidence(each, more));

/** What the program changed, as `createBooking`, with how often. */
const writesIn = ({ requests }: Observed): Map<string, RequestEntry[]> =>
  grouped(
    requests.filter((each) => isWrite(each) && succeeded(each)),
    ({ operation }) => operation ?? "",
  );

/** Writes that the control run does not have. */
export function moreWrites(observed: Observed, control: Observed): RequestEntry[] {
  const inControl = writesIn(control);
  return [...writesIn(observed)].flatMap(([name, made]) => made.slice(inControl.get(name)?.length ?? 0));
}

/**
 * Whether the program says of itself what it says without the drill; undefined without a probe that says the same each time. `toText`
 * is equal for states that count as the same.
 */
export function probesAlike(
  observed: Observed,
  control: Observed,
  toText: (probe: unknown) => string = toComparableText,
): boolean | undefined {
  if (control.probe === undefined || control.probeVaries) return undefined;
  return toText(observed.probe) === toText(control.probe);
}

/** Its names and values in no order, since what has to be repeated is done later than without the failure. */
export const inAnyOrder = (probe: unknown): string => partsOf(probe).sort().join("\n");

function partsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [JSON.stringify(value) ?? ""];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(partsOf)];
}

/** What a check asks for that can't see what a receiver keeps. */
export const probeWanted = ({ probeVaries }: Observed): string =>
  probeVaries
    ? "let the probe print the same in equal runs: without times and ids of its own"
    : 'add --probe "command that prints its state as JSON"';

/** What a message is about: `booking_id` of a `v1.booking.created`, which names the event and the order as well. */
export function idsOf({ kind, body }: Message): string[] {
  const payload = body.payload as Readonly<Record<string, unknown>>;
  const own = payload[`${kind.split(".")[1]}_id`];
  return [own === undefined ? Object.values(payload) : own].flat().filter((id) => typeof id === "string");
}

/** Reads of what a message is about, after it was delivered. */
export function readsOf(observed: Observed, message: Message): RequestEntry[] {
  const reads = readsIn(observed);
  return [...new Set(idsOf(message))].flatMap((id) => reads.get(id) ?? []);
}

/** By each part of their paths, since as many messages as requests are looked for. */
const readsIn = onceForRun(({ requests }) =>
  grouped(
    requests.filter(({ method }) => method === "GET"),
    ({ path }) => new Set(path.split("/")),
  ),
);
