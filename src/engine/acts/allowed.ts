// Whether an act can be done with a record as it is now. What the record alone decides is tried; of an act that takes more than the record,
// or does much, its life cycle says it.
import { DomainError } from "../domain/kernel/domain-error.ts";
import type { StoredRecord } from "../domain/kernel/record-kinds.ts";
import { bookingStates, eventStates, type LifeCycle } from "../domain/kernel/transitions.ts";
import type { ActId } from "./act.ts";

type ActRule = (record: StoredRecord) => boolean;

const leadsTo =
  ({ moves }: LifeCycle<string>, wanted: string): ActRule =>
  ({ status, state }) =>
    (moves[String(status ?? state)] ?? []).includes(wanted);

const isActive: ActRule = ({ status, state }) => (status ?? state) === "ACTIVE";

const BY_STATE: Readonly<Partial<Record<ActId, ActRule>>> = {
  cancelEvent: leadsTo(eventStates, "CANCELLED"),
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
export function isAllowed(act: string, record: StoredRecord, attempt: () => unknown): boolean {
  const rule = BY_STATE[act as ActId];
  if (rule) return record.deleted_at === undefined && rule(record);
  try {
    attempt();
    return true;
  } catch (reason) {
    if (reason instanceof DomainError) return reason.status === 400;
    throw reason;
  }
}
