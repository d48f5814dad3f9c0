// The kinds of webhook events. Heading "Event kinds".
export const EVENT_KINDS = [
  "v1.event.created",
  "v1.event.updated",
  "v1.event.cancelled",
  "v1.event.completed",
  "v1.event.deleted",
  "v1.experience.created",
  "v1.experience.updated",
  "v1.experience.deleted",
  "v1.booking.created",
  "v1.booking.updated",
  "v1.booking.cancelled",
  "v1.journal_entry.created",
  "v1.journal_entry.document_attached",
  "v1.marketing_consent.created",
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];
