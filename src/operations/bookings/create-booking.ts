// POST /v1/bookings. Heading "Bookings"; assumptions: booking-create-status, booking-customer-required,
// booking-event-unknown, booking-money, booking-source.
import { placeBooking } from "../../domain/booking.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Operation } from "../operation.ts";

export const createBooking: Operation<"createBooking"> = {
  id: "createBooking",
  answer(desk, { body, caller }) {
    const event = desk.events.get(body.event_id);
    if (!event || event.deleted_at) {
      const status = desk.assumes("booking-event-unknown") === "404" ? 404 : 400;
      throw new Refusal("EVENT_NOT_FOUND", { event_id: body.event_id }, status);
    }
    const { event_id, customer, locale, items, metadata } = body;
    const wish = { event_id, customer, locale, items, ...(metadata ? { metadata } : {}) };
    const booking = placeBooking(desk, event, {
      ...wish,
      source: caller.name,
      payments: [{ provider: "INTEGRATION" }],
    });
    const status = desk.assumes("booking-create-status") === "200" ? 200 : 201;
    return { status, body: { id: booking.id, status: booking.status } };
  },
};
