// Triggers the booking kinds. A new booking is placed on the first event with a free seat. Heading "Event kinds".

import { placeBooking } from "../../domain/booking/booking.ts";
import { cancelBooking } from "../../domain/booking/cancellation.ts";
import { updateBooking } from "../../domain/booking/update-booking.ts";
import { countFreeUnits } from "../../domain/event/capacity.ts";
import { explainInactive } from "../../domain/event/opening.ts";
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { joinKeys, toPrefixEnd } from "../../domain/kernel/index-keys.ts";
import type { EventKind } from "../../domain/kernel/kinds.ts";
import { loadBooking } from "../../domain/kernel/lookups.ts";
import type { Booking, ScheduledEvent, Variant } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { showBooking } from "../../domain/views.ts";
import {
  addOptional,
  applyInputs,
  readChoice,
  readId,
  rejectKind,
  type Trigger,
  type TriggerInput,
  toChange,
} from "./input.ts";

/** Books one ticket for an example guest, unpaid. */
export const create: Trigger = (tx, inputs) => {
  const event = findBookableEvent(tx, inputs);
  const sample = {
    event_id: event.id,
    customer: { name: "Anna Holm", email: "anna@example.com", phone: "+4520304050" },
    locale: tx.company.get("company")?.languages[0] ?? "en",
    items: [{ type_id: selectVariant(tx, event) ?? "none", item_type: "VARIANT" as const, quantity: 1 }],
  };
  const { customer, ...input } = applyInputs(
    addOptional(sample, inputs, ["metadata", "source", "internal_note"]),
    inputs,
  );
  return showBooking(placeBooking(tx, event, { ...input, customer: { customer_type: "PRIVATE", ...customer } }));
};

export const update: Trigger = (tx, inputs) => {
  const booking = findBooking(tx, "v1.booking.updated", inputs);
  const sample = { booking_id: booking.id, locale: booking.locale, internal_note: "A note", source: "A source" };
  return showBooking(updateBooking(tx, booking, toChange(addOptional(sample, inputs, ["metadata"]), inputs, booking)));
};

export const cancel: Trigger = (tx, inputs) => {
  const booking = findBooking(tx, "v1.booking.cancelled", inputs);
  const refund = readChoice(inputs, "refund", ["full", "none", "gift_card"]);
  // The call only rejects inputs that this trigger does not have.
  applyInputs({ booking_id: booking.id, refund }, inputs);
  return showBooking(cancelBooking(tx, booking, { refund }));
};

/** Returns the booking in the input, or the newest ACTIVE booking of an ACTIVE event. */
function findBooking(tx: Transaction, kind: EventKind, inputs: TriggerInput): Booking {
  const id = readId(inputs, "booking_id");
  if (id !== undefined) return loadBooking(tx, id);
  // The newest booking is usually the one that a test just created.
  const active = { from: joinKeys("ACTIVE", ""), until: toPrefixEnd("ACTIVE"), descending: true };
  for (const booking of tx.bookings.walk("statusCreated", active)) {
    if (tx.events.get(booking.event_id)?.state === "ACTIVE") return booking;
  }
  return rejectKind(
    kind,
    "there is no ACTIVE booking of an ACTIVE event. Name one in `booking_id`, or trigger v1.booking.created first.",
  );
}

function findBookableEvent(tx: Transaction, inputs: TriggerInput): ScheduledEvent {
  const id = readId(inputs, "event_id");
  if (id !== undefined) return mustExist(tx.events.get(id), "event", id);
  for (const event of tx.events.walk("start", { from: tx.now })) {
    if (explainInactive(event, tx.experiences.get(event.experience_id)) || tx.now >= event.cutoff_at || event.locked_by)
      continue;
    if (findAvailableVariant(tx, event) !== undefined) return event;
  }
  return rejectKind(
    "v1.booking.created",
    "no event can be booked now. Name one in `event_id`, or trigger v1.event.created first.",
  );
}

function listVariants(tx: Transaction, event: ScheduledEvent): readonly Variant[] {
  return tx.experiences.get(event.experience_id)?.ticket_variants ?? [];
}

/** Returns the first ticket variant that is not sold out. */
function findAvailableVariant(tx: Transaction, event: ScheduledEvent): string | undefined {
  return listVariants(tx, event).find((variant) => countFreeUnits(tx, event, variant) !== 0)?.id;
}

/** Returns the first variant if the event is full, so that the booking is rejected with the reason. */
function selectVariant(tx: Transaction, event: ScheduledEvent): string | undefined {
  return findAvailableVariant(tx, event) ?? listVariants(tx, event)[0]?.id;
}
