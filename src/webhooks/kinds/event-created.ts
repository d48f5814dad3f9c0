// A new event of an experience, bookable or not. Heading "Event kinds"; assumption: payload-event.
import type { Kind } from "./kind.ts";
import { ofEvent } from "./payloads.ts";

export const eventCreated: Kind<"v1.event.created"> = {
  kind: "v1.event.created",
  facts: ["event.created"],
  payload: ofEvent,
};
