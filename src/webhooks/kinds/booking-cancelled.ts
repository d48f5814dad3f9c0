// A booking was cancelled. A checkout that lapses or is abandoned was never told of, and sends nothing. Heading "Event kinds";
// assumptions: payload-booking, checkout-kinds.
import type { Kind } from "./kind.ts";
import { ofBooking } from "./payloads.ts";

export const bookingCancelled: Kind<"v1.booking.cancelled"> = {
  kind: "v1.booking.cancelled",
  facts: ["booking.cancelled"],
  payload: ofBooking,
};
