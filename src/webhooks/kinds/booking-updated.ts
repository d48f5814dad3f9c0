// A booking was changed, or became MOVED. Heading "Event kinds"; assumptions: payload-booking, move-kinds.
import type { Kind } from "./kind.ts";
import { ofBooking } from "./payloads.ts";

export const bookingUpdated: Kind<"v1.booking.updated"> = {
  kind: "v1.booking.updated",
  facts: ["booking.updated", "booking.moved"],
  payload: ofBooking,
};
