// Every kind of message. It only lists. Heading "Event kinds".
import { bookingCancelled } from "./booking-cancelled.ts";
import { bookingCreated } from "./booking-created.ts";
import { bookingUpdated } from "./booking-updated.ts";
import { eventCancelled } from "./event-cancelled.ts";
import { eventCompleted } from "./event-completed.ts";
import { eventCreated } from "./event-created.ts";
import { eventDeleted } from "./event-deleted.ts";
import { eventUpdated } from "./event-updated.ts";
import { experienceCreated } from "./experience-created.ts";
import { experienceDeleted } from "./experience-deleted.ts";
import { experienceUpdated } from "./experience-updated.ts";
import { journalEntryCreated } from "./journal-entry-created.ts";
import { journalEntryDocumentAttached } from "./journal-entry-document-attached.ts";
import type { Kind } from "./kind.ts";
import { marketingConsentCreated } from "./marketing-consent-created.ts";

export const kinds: readonly Kind[] = [
  eventCreated,
  eventUpdated,
  eventCancelled,
  eventCompleted,
  eventDeleted,
  experienceCreated,
  experienceUpdated,
  experienceDeleted,
  bookingCreated,
  bookingUpdated,
  bookingCancelled,
  journalEntryCreated,
  journalEntryDocumentAttached,
  marketingConsentCreated,
];
