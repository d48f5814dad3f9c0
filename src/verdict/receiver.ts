// Reads how a receiver responds to each delivery attempt, and which requests follow.
import { count } from "../platform/count.ts";
import type { Evidence } from "./judgement.ts";
import { groupBy, type Message, memoizePerRun, type Observed, type RequestEntry } from "./observed.ts";

export interface Attempt {
  message: Message;
  /** Null if there was no response. */
  status: number | null;
  outcome: string;
  /** The reason why there was no response. */
  error: string | undefined;
  /** The id of the record that the message is about. */
  subject: string | undefined;
  /** The fault that hit the attempt, such as `altered`. */
  did: string | undefined;
  /** The fault that hit the previous attempt of the same delivery. */
  after: string | undefined;
}

/** Lists every attempt of every delivery, in the order of the messages. */
export const listAttempts = ({ messages }: Observed): Attempt[] =>
  messages.flatMap((message) =>
    message.deliveries.flatMap(({ attempts }) =>
      attempts.map((each, at) => ({
        message,
        status: each.answer?.status ?? null,
        outcome: each.outcome,
        error: each.error,
        subject: readSubjectIds(message)[0],
        did: each.fault?.name,
        after: attempts[at - 1]?.fault?.name,
      })),
    ),
  );

export const isAccepted = ({ status }: Attempt): boolean => status !== null && status < 300;

/** Lists the attempts that the receiver accepted. */
export const listAccepted = (observed: Observed): Attempt[] => listAttempts(observed).filter(isAccepted);

/** Returns undefined if the control run has a receiver that accepts messages. */
export function explainNoReceiver(control: Observed): string | undefined {
  const attempts = listAttempts(control);
  if (attempts.some(isAccepted)) return undefined;
  const [blocked] = attempts.filter(({ outcome }) => outcome === "BLOCKED");
  if (blocked) return `no message was sent: ${blocked.error}`;
  const rejected = attempts.flatMap(({ status }) => status ?? []);
  const responses = `${count(rejected.length, "genuine one")} received ${[...new Set(rejected)].join(", ")}`;
  return `no receiver of the program accepted a message${rejected.length > 0 ? `; ${responses}` : ""}`;
}

export const toAttemptEvidence = ({ message, status, did, outcome }: Attempt, more = ""): Evidence => ({
  id: message.id,
  at: message.created_at,
  says: `${message.kind}${did === undefined ? "" : ` (${did})`} → ${status ?? outcome.toLowerCase()}${more}`,
});

const MAX_LISTED = 4;

export const listAttemptEvidence = (attempts: readonly Attempt[], more = ""): Evidence[] =>
  attempts.slice(0, MAX_LISTED).map((each) => toAttemptEvidence(each, more));

/** Suggests what the user can add to show the state of a receiver. */
export const suggestProbe = ({ probeVaries }: Observed): string =>
  probeVaries
    ? "let the probe print the same in equal runs, without times and generated ids"
    : 'add --probe "command that prints its state as JSON"';

/**
 * Returns the ids of the subject of a message: `booking_id` of a `v1.booking.created`, which also names the event and
 * the order.
 */
export function readSubjectIds({ kind, body }: Message): string[] {
  const payload = body.payload as Readonly<Record<string, unknown>>;
  const own = payload[`${kind.split(".")[1]}_id`];
  return [own === undefined ? Object.values(payload) : own].flat().filter((id) => typeof id === "string");
}

/** Finds reads of the message's subject. */
export function findReads(observed: Observed, message: Message): RequestEntry[] {
  const reads = groupReads(observed);
  return [...new Set(readSubjectIds(message))].flatMap((id) => reads.get(id) ?? []);
}

/** The index by each part of the path is built once, because every message is looked up. */
const groupReads = memoizePerRun(({ requests }) =>
  groupBy(
    requests.filter(({ method }) => method === "GET"),
    ({ path }) => new Set(path.split("/")),
  ),
);
