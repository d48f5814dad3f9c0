// A confirmed booking: placed, a completed checkout, or the new one of a move. A checkout that is only begun sends nothing.
// Heading "Event kinds"; assumptions: payload-booking, move-kinds, checkout-kinds.
import type { Kind } from "./kind.ts";
import { ofBooking } from "./payloads.ts";

export const bookingCreated: Kind<"v1.booking.created"> = {
  kind: "v1.booking.created",
  facts: ["booking.created"],
  payload: ofBooking,
};
