// How a subscription fares: its deliveries counted by state, and how the last attempt went.
import type { Schemas } from "../../client/control.ts";

export type Message = Schemas["Message"];

interface Failure {
  message: string;
  kind: string;
  at: string;
  outcome: string;
  status: number | null;
}

const MOST_FAILURES = 3;

interface Health {
  delivered: number;
  pending: number;
  lost: number;
  /** The last attempt, and how it went in a word. */
  last?: { at: string; outcome: string; status: number | null };
  /** The newest attempts that failed, newest first. */
  failures: readonly Failure[];
  tone: "ok" | "warn" | "bad" | "quiet";
}

/** From the messages that are listed: older ones are not counted. */
export function healthOf(subscription: string, messages: readonly Message[]): Health {
  const own = messages.flatMap(({ id, kind, deliveries }) =>
    deliveries
      .filter((each) => each.subscription_id === subscription)
      .map((delivery) => ({ ...delivery, message: id, kind })),
  );
  const counted = (...states: string[]) => own.filter(({ state }) => states.includes(state)).length;
  const attempts = own
    .flatMap(({ message, kind, attempts }) => attempts.map((attempt) => ({ ...attempt, message, kind })))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const last = attempts.at(-1);
  const lost = counted("GIVEN_UP", "DROPPED");
  // The last attempt tells how it is now; what was lost before is history.
  const fails = last !== undefined && last.outcome !== "ACCEPTED";
  return {
    delivered: counted("DELIVERED"),
    pending: counted("PENDING"),
    lost,
    ...(last ? { last: { at: last.at, outcome: last.outcome, status: last.answer?.status ?? null } } : {}),
    failures: attempts
      .filter(({ outcome }) => outcome !== "ACCEPTED")
      .slice(-MOST_FAILURES)
      .toReversed()
      .map(({ message, kind, at, outcome, answer }) => ({
        message,
        kind,
        at,
        outcome,
        status: answer?.status ?? null,
      })),
    tone: fails ? "bad" : lost > 0 ? "warn" : last ? "ok" : "quiet",
  };
}
