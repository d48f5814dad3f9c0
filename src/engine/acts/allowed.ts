// Whether an act can be done with a record as it is now. What the record alone decides is tried; of an act that takes more than the record,
// or does much or looks at much, its life cycle says it, and what events say of themselves.
import { getEvents } from "../domain/event/event-end.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import type { StoredRecord } from "../domain/kernel/record-kinds.ts";
import type { ScheduledEvent } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { bookingStates, eventStates, experienceStates, type LifeCycle } from "../domain/kernel/transitions.ts";
import type { ActId } from "./act.ts";

type ActRule = (record: StoredRecord, tx: Transaction) => boolean;

const leadsTo =
  ({ moves }: LifeCycle<string>, wanted: string) =>
  ({ status, state }: StoredRecord): boolean =>
    (moves[String(status ?? state)] ?? []).includes(wanted);

/** Whether anybody is on it, without looking at its bookings, which may be very many. */
const isSold = ({ sold }: Pick<ScheduledEvent, "sold">): boolean => Object.values(sold).some((units) => units > 0);

function isAnySold(tx: Transaction, experienceId: string): boolean {
  for (const event of getEvents(tx, experienceId)) if (isSold(event)) return true;
  return false;
}

const isActive = ({ status, state }: StoredRecord): boolean => (status ?? state) === "ACTIVE";

const BY_STATE: Readonly<Partial<Record<ActId, ActRule>>> = {
  cancelEvent: leadsTo(eventStates, "CANCELLED"),
  deleteEvent: (event) => !isSold(event as unknown as ScheduledEvent),
  deleteExperience: (experience, tx) =>
    leadsTo(experienceStates, "DELETED")(experience) && !isAnySold(tx, experience.id),
  moveBooking: leadsTo(bookingStates, "MOVED"),
  createEvent: isActive,
  bookTimeslot: isActive,
  startCheckout: isActive,
  bookAsHost: isActive,
  lockEvent: (event) => isActive(event) && event.locked_by === undefined,
  adjustGiftCard: isActive,
  spendGiftCard: isActive,
  updateKey: ({ revoked_at }) => revoked_at === undefined,
};

/** `attempt` does it in a copy of the world. Bad input is no reason against it: more has to be filled in. */
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
