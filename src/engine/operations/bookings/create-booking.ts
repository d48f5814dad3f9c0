// POST /v1/bookings. Heading "Bookings"; assumptions: booking-create-status, booking-customer-required,
// booking-event-unknown, booking-fee, booking-money, booking-source.

import { optional } from "../../../platform/optional.ts";
import { placeBooking } from "../../domain/booking/booking.ts";
import { must } from "../../domain/kernel/checks.ts";
import { DomainError } from "../../domain/kernel/domain-error.ts";
import type { Operation } from "../operation.ts";

export const createBooking: Operation<"createBooking"> = {
  id: "createBooking",
  answer(tx, { body, caller }) {
    const event = tx.events.get(body.event_id);
    if (!event || event.deleted_at) {
      const status = tx.assumes("booking-event-unknown") === "404" ? 404 : 400;
      throw new DomainError("EVENT_NOT_FOUND", { path: "body.event_id", event_id: body.event_id }, status);
    }
    // The check is recorded although it passed.
    must(tx, "EVENT_NOT_FOUND", undefined, () => event.id);
    const { event_id, customer, locale, items, metadata } = body;
    // An integration has collected the money itself, unless an assumption says otherwise.
    const paid = tx.assumes("booking-money") === "unpaid" ? [] : [{ provider: "INTEGRATION" as const }];
    const charged = tx.assumes("booking-fee") === "charged-on-integrations";
    const fee = charged ? tx.experiences.get(event.experience_id)?.booking_fee : undefined;
    const given = { event_id, customer, locale, items, source: caller.name, payments: paid };
    const booking = placeBooking(tx, event, { ...given, ...optional({ metadata, fee }) });
    const status = tx.assumes("booking-create-status") === "200" ? 200 : 201;
    return { status, body: { id: booking.id, status: booking.status } };
  },
};
