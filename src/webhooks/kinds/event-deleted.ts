// An event was deleted; its record is kept out of sight, so that the payload still knows it. Heading "Event kinds"; assumption:
// payload-event.
import type { Kind } from "./kind.ts";
import { ofEvent } from "./payloads.ts";

export const eventDeleted: Kind<"v1.event.deleted"> = {
  kind: "v1.event.deleted",
  facts: ["event.deleted"],
  payload: ofEvent,
};
