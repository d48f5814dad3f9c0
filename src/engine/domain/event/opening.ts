// Decides whether an event takes bookings, independent of the seats left: its state, its cut-off, and its lock. Booking and
// both availabilities use it. Assumption: booking-check-order.
import { type Check, mustPass } from "../kernel/checks.ts";
import type { Experience, ScheduledEvent } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";

/** Whether the event takes bookings, independent of the seats left. */
export function isOpen(tx: Transaction, event: ScheduledEvent, experience: Experience | undefined): boolean {
  return explainInactive(event, experience) === undefined && tx.now < event.cutoff_at && event.locked_by === undefined;
}

/** Whether any event of the world can be booked, by time and state. */
export function hasOpenEvent(tx: Transaction): boolean {
  for (const { state, cutoff_at } of tx.events.walk("due")) if (state === "ACTIVE" && tx.now < cutoff_at) return true;
  return false;
}

/** The world of a fixture that runs in real time has no open event after some weeks. */
export const NO_OPEN_EVENT =
  "No event of this world can be booked any more: reset it with `sandbox world reset`, or create an event.";

/** Returns the advice of an error: choose another event, if any is open. */
const adviseToChoose = (tx: Transaction, what: string): string =>
  hasOpenEvent(tx) ? `Choose ${what}.` : NO_OPEN_EVENT;

interface Opening {
  tx: Transaction;
  event: ScheduledEvent;
  experience: Experience;
  /** The booking that may hold the event exclusively. */
  claim: string | undefined;
}

/** The checks before seats are counted, in the order of the assumption booking-check-order. */
const openChecks: readonly Check<Opening>[] = [
  {
    code: "EVENT_NOT_ACTIVE",
    describe: ({ event, experience }) => `${event.id} is ${event.state}, its experience ${experience.state}`,
    findViolation({ event, experience, tx }) {
      const why = explainInactive(event, experience);
      if (why === undefined) return undefined;
      return { event_id: event.id, why, advice: adviseToChoose(tx, "an ACTIVE event of an ACTIVE experience") };
    },
  },
  {
    code: "EVENT_PAST_CUTOFF",
    describe: ({ event, tx }) => `closes ${event.cutoff_at}; it is ${tx.now}`,
    findViolation: ({ event, tx }) =>
      tx.now >= event.cutoff_at
        ? {
            event: formatEventName(event.id),
            cutoff: event.cutoff_at,
            now: tx.now,
            advice: adviseToChoose(tx, "a later one"),
          }
        : undefined,
  },
  {
    code: "EVENT_EXCLUSIVITY_LOCKED",
    describe: ({ event }) => (event.locked_by ? `locked by booking ${event.locked_by}` : "not locked"),
    findViolation: ({ event, claim }) =>
      event.locked_by && event.locked_by !== claim ? { event_id: event.id } : undefined,
  },
];

/** Rejects when the event takes no bookings. */
export function mustBeOpen(tx: Transaction, event: ScheduledEvent, experience: Experience, claim?: string): void {
  mustPass(tx, openChecks, { tx, event, experience, claim }, ["NOT_ENOUGH_RESOURCES"]);
}

/** Formats the name of an event for messages. */
export function formatEventName(id: string): string {
  return `Event ${id}`;
}

export function explainInactive(event: ScheduledEvent, experience: Experience | undefined): string | undefined {
  if (event.state !== "ACTIVE") return `it is ${event.state}`;
  if (experience?.state !== "ACTIVE") return `its experience is ${experience?.state ?? "gone"}`;
  return undefined;
}
