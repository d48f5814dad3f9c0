// A guest begins to check out: the booking is PROCESSING and holds its seats for a while. Heading "Booking status".
import { placeBooking } from "../domain/booking.ts";
import { wishOf } from "./booking-wish.ts";
import { eventCalled, withOrder } from "./named.ts";
import { act } from "./act.ts";

export const startCheckout = act("startCheckout", (desk, input) => {
  const event = eventCalled(desk, input.event_id);
  return withOrder(placeBooking(desk, event, { ...wishOf(desk, event, input, true), checkout: true }));
});
