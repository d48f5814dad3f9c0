// An event was changed. A booking alone does not send it, unless the assumption capacity-kind is event-updated (domain/seats.ts).
// Heading "Event kinds"; assumption: payload-event.
import type { Kind } from "./kind.ts";
import { ofEvent } from "./payloads.ts";

export const eventUpdated: Kind<"v1.event.updated"> = {
  kind: "v1.event.updated",
  facts: ["event.updated"],
  payload: ofEvent,
};
