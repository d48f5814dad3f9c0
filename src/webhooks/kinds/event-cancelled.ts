// An event was called off; the v1.booking.cancelled of its bookings follow it. Heading "Event kinds"; assumption: payload-
// event.
import type { Kind } from "./kind.ts";
import { ofEvent } from "./payloads.ts";

export const eventCancelled: Kind<"v1.event.cancelled"> = {
  kind: "v1.event.cancelled",
  facts: ["event.cancelled"],
  payload: ofEvent,
};
