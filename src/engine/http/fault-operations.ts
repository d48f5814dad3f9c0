// Which operations a fault of an answer can be of, and which members of their answers take unknown values.

import type { IHttpOperation } from "@stoplight/types";
import operations from "../../contract/generated/operations.json" with { type: "json" };
import type { JsonSchema } from "../../contract/json-schema.ts";
import { extensibleIn } from "./answer-mutators.ts";

/** Lists with a cursor. */
export const PAGED = [
  "listAvailabilities",
  "listBookings",
  "listEventAvailabilities",
  "listEvents",
  "listExperiences",
  "listGiftCards",
  "listInformationRequests",
  "listJournalEntries",
  "listLocations",
  "listMarketingConsents",
  "listOrders",
  "listTicketVariants",
  "listWebhookSubscriptions",
];

/** They say what can be booked. */
export const OFFERING = [
  "getAvailability",
  "getEvent",
  "getEventAvailability",
  "listAvailabilities",
  "listEventAvailabilities",
  "listEvents",
];

export const WITH_BOOKINGS = ["createBooking", "getBooking", "listBookings"];

/** By operation: the members whose values the specification calls extensible, in good answers. */
export function extensibleMembers(): ReadonlyMap<string, readonly string[]> {
  const found = (operations as unknown as IHttpOperation[]).map(({ id, iid, responses }): [string, string[]] => {
    // Good answers only: nobody reads enums in errors.
    const contents = responses.filter(({ code }) => code.startsWith("2")).flatMap((each) => each.contents ?? []);
    const names = contents.flatMap(({ schema }) => extensibleIn((schema ?? {}) as JsonSchema));
    return [iid ?? id, [...new Set(names)]];
  });
  return new Map(found.filter(([, names]) => names.length > 0));
}
