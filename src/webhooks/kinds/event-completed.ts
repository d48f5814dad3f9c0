// The end of the last session of an event was reached. Heading "Event kinds"; assumption: payload-event.
import type { Kind } from "./kind.ts";
import { ofEvent } from "./payloads.ts";

export const eventCompleted: Kind<"v1.event.completed"> = {
  kind: "v1.event.completed",
  facts: ["event.completed"],
  payload: ofEvent,
};
