// Triggers of the booking kinds. Heading "Event kinds". A booking is placed on the first event that has a seat left.
import { placeBooking } from "../../domain/booking.ts";
import { cancelBooking } from "../../domain/cancellation.ts";
import { unitsLeft, whyNotActive } from "../../domain/capacity.ts";
import type { Desk } from "../../domain/desk.ts";
import { endOf, two } from "../../domain/index-keys.ts";
import type { EventKind } from "../../domain/kinds.ts";
import type { Booking, ScheduledEvent, Variant } from "../../domain/records.ts";
import { found } from "../../domain/refusal.ts";
import { showBooking } from "../../domain/shown.ts";
import { updateBooking } from "../../domain/update-booking.ts";
import { nothingFor, type Trigger } from "./trigger.ts";
import { changed, idIn, oneOf, type Wishes, wished } from "./wish.ts";

export const bookingCreated: Trigger = (desk, wishes) => {
  const event = eventFor(desk, wishes);
  const sample = {
    event_id: event.id,
    customer: { name: "Anna Holm", email: "anna@example.com", phone: "+4520304050" },
    locale: desk.company.get("company")?.languages[0] ?? "en",
    items: [{ type_id: variantFor(desk, event) ?? "none", item_type: "VARIANT" as const, quantity: 1 }],
  };
  const { customer, ...wish } = wished(sample, wishes);
  return showBooking(placeBooking(desk, event, { ...wish, customer: { customer_type: "PRIVATE", ...customer } }));
};

export const bookingUpdated: Trigger = (desk, wishes) => {
  const booking = bookingFor(desk, "v1.booking.updated", wishes);
  const sample = { booking_id: booking.id, locale: booking.locale, internal_note: "A note", source: "A source" };
  return showBooking(updateBooking(desk, booking, changed(sample, wishes, booking)));
};

export const bookingCancelled: Trigger = (desk, wishes) => {
  const booking = bookingFor(desk, "v1.booking.cancelled", wishes);
  const refund = oneOf(wishes, "refund", ["full", "none", "gift_card"]);
  wished({ booking_id: booking.id, refund }, wishes);
  return showBooking(cancelBooking(desk, booking, { refund }));
};

/** The named one, or the newest ACTIVE one of an event that is still to come. */
function bookingFor(desk: Desk, kind: EventKind, wishes: Wishes): Booking {
  const id = idIn(wishes, "booking_id");
  if (id !== undefined) return found(desk.bookings.get(id), "booking", id);
  const active = { from: two("ACTIVE", ""), until: endOf("ACTIVE"), descending: true };
  for (const booking of desk.bookings.walk("statusCreated", active)) {
    if (desk.events.get(booking.event_id)?.state === "ACTIVE") return booking;
  }
  return nothingFor(
    kind,
    "no ACTIVE booking is for an event still to come. Name one in `booking_id`, or trigger v1.booking.created first.",
  );
}

function eventFor(desk: Desk, wishes: Wishes): ScheduledEvent {
  const id = idIn(wishes, "event_id");
  if (id !== undefined) return found(desk.events.get(id), "event", id);
  for (const event of desk.events.walk("start", { from: desk.now })) {
    if (
      whyNotActive(event, desk.experiences.get(event.experience_id)) ||
      desk.now >= event.cutoff_at ||
      event.locked_by
    )
      continue;
    if (variantLeft(desk, event) !== undefined) return event;
  }
  return nothingFor(
    "v1.booking.created",
    "no event can be booked now. Trigger v1.event.created first, or name one in `event_id`.",
  );
}

function variantsOf(desk: Desk, event: ScheduledEvent): readonly Variant[] {
  return desk.experiences.get(event.experience_id)?.ticket_variants ?? [];
}

/** The first ticket variant of which something is left. */
function variantLeft(desk: Desk, event: ScheduledEvent): string | undefined {
  return variantsOf(desk, event).find((variant) => unitsLeft(desk, event, variant) !== 0)?.id;
}

/** Of a full event any will do: the rule then says what is short. */
function variantFor(desk: Desk, event: ScheduledEvent): string | undefined {
  return variantLeft(desk, event) ?? variantsOf(desk, event)[0]?.id;
}
