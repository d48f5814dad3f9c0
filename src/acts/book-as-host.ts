// A host books for a guest: unpaid, part-paid or paid, by any provider, with discounts, a fee or a gift card.
import { placeBooking } from "../domain/booking.ts";
import { wishOf } from "./booking-wish.ts";
import { eventCalled, withOrder } from "./named.ts";
import { act } from "./act.ts";

export const bookAsHost = act("bookAsHost", (desk, input) => {
  const event = eventCalled(desk, input.event_id);
  return withOrder(placeBooking(desk, event, wishOf(desk, event, input, false)));
});
