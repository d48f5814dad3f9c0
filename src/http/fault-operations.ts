// Which operations a fault of an answer can be of.
import type { Application } from "../app/application.ts";

const PAGED = [
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
const OFFERING = [
  "getAvailability",
  "getEvent",
  "getEventAvailability",
  "listAvailabilities",
  "listEventAvailabilities",
  "listEvents",
];

const WITH_BOOKINGS = ["createBooking", "getBooking", "listBookings"];

export type AnswerThing = "answer" | "page" | "stale" | "move";

export function operationsFor(thing: AnswerThing, { operations }: Pick<Application, "operations">): readonly string[] {
  if (thing === "answer") return [...operations.keys()];
  return { page: PAGED, stale: OFFERING, move: WITH_BOOKINGS }[thing];
}
