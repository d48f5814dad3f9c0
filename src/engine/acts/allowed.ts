// Decides whether an act can be done with a record now. If the record alone decides, the act is tried on a copy. For other
// acts, or expensive ones, the life cycle and the counters of events decide.
import { getEvents } from "../domain/event/event-end.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import type { StoredRecord } from "../domain/kernel/record-kinds.ts";
import type { ScheduledEvent } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { bookingStates, eventStates, experienceStates, type LifeCycle } from "../domain/kernel/transitions.ts";
import type { ActId } from "./act.ts";

type ActRule = (record: StoredRecord, tx: Transaction) => boolean;

const canMoveTo =
  ({ moves }: LifeCycle<string>, wanted: string) =>
  ({ status, state }: StoredRecord): boolean =>
    (moves[String(status ?? state)] ?? []).includes(wanted);

/** Whether an event has sold units. Its bookings are not read, because there may be very many. */
const isSold = ({ sold }: Pick<ScheduledEvent, "sold">): boolean => Object.values(sold).some((units) => units > 0);

function isAnySold(tx: Transaction, experienceId: string): boolean {
  for (const event of getEvents(tx, experienceId)) if (isSold(event)) return true;
  return false;
}

const isActive = ({ status, state }: StoredRecord): boolean => (status ?? state) === "ACTIVE";

const BY_STATE: Readonly<Partial<Record<ActId, ActRule>>> = {
  cancelEvent: canMoveTo(eventStates, "CANCELLED"),
  deleteEvent: (event) => !isSold(event as unknown as ScheduledEvent),
  deleteExperience: (experience, tx) =>
    canMoveTo(experienceStates, "DELETED")(experience) && !isAnySold(tx, experience.id),
  moveBooking: canMoveTo(bookingStates, "MOVED"),
  createEvent: isActive,
  bookTimeslot: isActive,
  startCheckout: isActive,
  bookAsHost: isActive,
  lockEvent: (event) => isActive(event) && event.locked_by === undefined,
  adjustGiftCard: isActive,
  spendGiftCard: isActive,
  updateKey: ({ revoked_at }) => revoked_at === undefined,
};

/** Tries `attempt` in a copy of the world. A 400 error does not count, because input is still to be filled in. */
export function isAllowed(
  act: string,
  record: StoredRecord,
  { read, attempt }: { read: <T>(question: (tx: Transaction) => T) => T; attempt: () => unknown },
): boolean {
  const rule = BY_STATE[act as ActId];
  if (rule) return record.deleted_at === undefined && read((tx) => rule(record, tx));
  try {
    attempt();
    return true;
  } catch (reason) {
    if (reason instanceof DomainError) return reason.status === 400;
    throw reason;
  }
}
