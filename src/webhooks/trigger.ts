// Makes the thing happen that sends a kind: which trigger belongs to which kind, and the clock moved for what only time does.
// Heading "Event kinds".

import { found, reject } from "../domain/kernel/domain-error.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { EVENT_KINDS, type EventKind } from "../domain/kernel/kinds.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { showEvent } from "../domain/shown.ts";
import type { Outcome, World } from "../world/state/world.ts";
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
export function trigger(tx: Transaction, kind: string, inputs: Readonly<Record<string, unknown>>): object {
  const known = EVENT_KINDS.find((each) => each === kind);
  if (!known)
    return reject("INVALID_INPUT", {
      place: "body.kind",
      what: `there is no kind ${kind}. Known: ${EVENT_KINDS.join(", ")}.`,
    });
  const result = triggers[known](tx, inputs);
  if (tx.facts.length > 0) return result;
  const what = "what is asked for is there already, and a change of nothing is not told. Ask for something else.";
  return reject("NOTHING_SUITABLE", { kind, what });
}

interface Needs {
  change(world: World, cause: string, work: (tx: Transaction) => object): Outcome<object>;
  look<T>(world: World, question: (tx: Transaction) => T): T;
  advance(world: World, until: Instant): Promise<{ receipt: readonly { id: string; facts: readonly Fact[] }[] }>;
}

export function makeTrigger({ change, look, advance }: Needs) {
  return async (world: World, kind: string, inputs: Readonly<Record<string, unknown>>): Promise<Outcome<object>> => {
    const due = kind === "v1.event.completed" ? look(world, (tx) => completion(tx, inputs)) : undefined;
    if (!due) return change(world, `trigger ${kind}`, (tx) => trigger(tx, kind, inputs));
    const { receipt } = await advance(world, due.at);
    const result = look(world, (tx) => showEvent(found(tx.events.get(due.id), "event", due.id)));
    return { result, facts: receipt.filter(({ id }) => id === due.id).flatMap(({ facts }) => facts) };
  };
}
