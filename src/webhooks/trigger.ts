// Makes the thing happen that sends a kind: which trigger belongs to which kind, and the clock moved for what only time does.
// Heading "Event kinds".
import type { Desk } from "../domain/desk.ts";
import type { Fact } from "../domain/facts.ts";
import type { Instant } from "../domain/instant.ts";
import { EVENT_KINDS, type EventKind } from "../domain/kinds.ts";
import { found, refuse } from "../domain/refusal.ts";
import { showEvent } from "../domain/shown.ts";
import type { Outcome, World } from "../world/world.ts";
import { bookingCancelled, bookingCreated, bookingUpdated } from "./triggers/bookings.ts";
import { consentCreated } from "./triggers/consents.ts";
import { documentAttached, journalEntryCreated } from "./triggers/entries.ts";
import {
  completion,
  eventCancelled,
  eventCompleted,
  eventCreated,
  eventDeleted,
  eventUpdated,
} from "./triggers/events.ts";
import { experienceCreated, experienceDeleted, experienceUpdated } from "./triggers/experiences.ts";
import type { Trigger } from "./triggers/trigger.ts";

const triggers: Record<EventKind, Trigger> = {
  "v1.event.created": eventCreated,
  "v1.event.updated": eventUpdated,
  "v1.event.cancelled": eventCancelled,
  "v1.event.completed": eventCompleted,
  "v1.event.deleted": eventDeleted,
  "v1.experience.created": experienceCreated,
  "v1.experience.updated": experienceUpdated,
  "v1.experience.deleted": experienceDeleted,
  "v1.booking.created": bookingCreated,
  "v1.booking.updated": bookingUpdated,
  "v1.booking.cancelled": bookingCancelled,
  "v1.journal_entry.created": journalEntryCreated,
  "v1.journal_entry.document_attached": documentAttached,
  "v1.marketing_consent.created": consentCreated,
};

/** `wishes`: members of what the trigger does, by path, such as `event_id` or `customer.email`. */
export function trigger(desk: Desk, kind: string, wishes: Readonly<Record<string, unknown>>): object {
  const known = EVENT_KINDS.find((each) => each === kind);
  if (!known)
    return refuse("INVALID_INPUT", {
      place: "body.kind",
      what: `there is no kind ${kind}. Known: ${EVENT_KINDS.join(", ")}.`,
    });
  const result = triggers[known](desk, wishes);
  if (desk.facts.length > 0) return result;
  const what = "what is asked for is there already, and a change of nothing is not told. Ask for something else.";
  return refuse("NOTHING_SUITABLE", { kind, what });
}

interface Needs {
  change(world: World, cause: string, work: (desk: Desk) => object): Outcome<object>;
  look<T>(world: World, question: (desk: Desk) => T): T;
  advance(world: World, until: Instant): Promise<{ receipt: readonly { id: string; facts: readonly Fact[] }[] }>;
}

export function makeTrigger({ change, look, advance }: Needs) {
  return async (world: World, kind: string, wishes: Readonly<Record<string, unknown>>): Promise<Outcome<object>> => {
    const due = kind === "v1.event.completed" ? look(world, (desk) => completion(desk, wishes)) : undefined;
    if (!due) return change(world, `trigger ${kind}`, (desk) => trigger(desk, kind, wishes));
    const { receipt } = await advance(world, due.at);
    const result = look(world, (desk) => showEvent(found(desk.events.get(due.id), "event", due.id)));
    return { result, facts: receipt.filter(({ id }) => id === due.id).flatMap(({ facts }) => facts) };
  };
}
