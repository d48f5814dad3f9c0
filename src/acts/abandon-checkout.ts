// A guest leaves the checkout; its seats are free again.
import { dropCheckout } from "../domain/checkout.ts";
import { bookingCalled, withOrder } from "./named.ts";
import { act } from "./act.ts";

export const abandonCheckout = act("abandonCheckout", (desk, { booking_id }) => withOrder(dropCheckout(desk, bookingCalled(desk, booking_id), "ABANDONED")));
