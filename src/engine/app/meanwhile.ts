// What others do right after an answer was made, so that it is out of date when it arrives: the host moves a booking, another party books
// what is left, a list changes between two of its pages. Each is done by the ordinary acts, and the log has it with the request.

import { countFreeUnits } from "../domain/event/capacity.ts";
import { isOpen } from "../domain/event/opening.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { LIST_CHANGES } from "../domain/kernel/fault-rules.ts";
import { endOf, two } from "../domain/kernel/index-keys.ts";
import type { Booking, ScheduledEvent } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import type { RequestsPort, WebhooksPort } from "./application.ts";

/** An answer, as others may come before it. */
export interface Answered {
  operation: string;
  /** Those of its path, and of what was answered. */
  ids: readonly string[];
  /** The request, which the log has these acts with. */
  cause: Cause;
  world: World;
  application: RequestsPort & WebhooksPort;
}

const MAX_CANDIDATES = 20;
const OTHER_PARTY = {
  customer_type: "PRIVATE",
  name: "Somebody Else",
  email: "somebody.else@example.com",
  phone: "+4520304050",
};

/** Returns what was done in words; undefined when nothing could be. */
export async function changeList({ operation, cause, world, application }: Answered): Promise<string | undefined> {
  const done: string[] = [];
  for (const kind of LIST_CHANGES[operation] ?? []) {
    // An existing booking; for the others the act makes what it needs.
    const input = kind === "v1.booking.cancelled" ? application.read(world, findOldestBooking) : {};
    if (await isDone(() => application.messages.trigger(world, kind, input, cause))) done.push(kind);
  }
  return done.length === 0 ? undefined : `changed the list after this page (${done.join(", ")})`;
}

/** Not one that the program may just have made: what it does with that is another matter. */
function findOldestBooking(tx: Transaction): { booking_id?: string } {
  const active = { from: two("ACTIVE", ""), until: endOf("ACTIVE") };
  for (const { id, event_id } of tx.bookings.walk("statusCreated", active))
    if (tx.events.get(event_id)?.state === "ACTIVE") return { booking_id: id };
  return {};
}

/** Moves the booking of the answer to another event of its experience. Returns undefined when it can't be moved. */
export async function moveBooking({ ids, cause, application, world }: Answered): Promise<string | undefined> {
  const booking = application.read(world, (tx) =>
    ids.map((id) => tx.bookings.get(id)).find((each) => each?.status === "ACTIVE"),
  );
  if (!booking) return undefined;
  const { id: booking_id, experience_id } = booking;
  const move = async (): Promise<string | undefined> => {
    // The first that takes it: some are full or closed.
    for (const event_id of application.read(world, (tx) => listOtherEvents(tx, booking)))
      if (await isDone(() => application.acts.perform(world, "moveBooking", { booking_id, event_id }, cause)))
        return `the host moved booking ${booking_id} to event ${event_id} after the answer`;
    return undefined;
  };
  const moved = await move();
  if (moved !== undefined) return moved;
  // There was nowhere to go, so an event is made for it.
  await isDone(() => application.messages.trigger(world, "v1.event.created", { experience_id }, cause));
  return move();
}

function listOtherEvents(tx: Transaction, { experience_id, event_id }: Booking): string[] {
  return [...tx.events.walk("start", { from: tx.now })]
    .filter((event) => event.state === "ACTIVE" && event.experience_id === experience_id && event.id !== event_id)
    .map(({ id }) => id)
    .slice(0, MAX_CANDIDATES);
}

/** Books what is left of every event in the answer. */
export async function bookAllThatIsLeft(answered: Answered): Promise<string | undefined> {
  const booked: string[] = [];
  for (const id of answered.ids) if (booked.length < MAX_CANDIDATES && (await buyOut(answered, id))) booked.push(id);
  if (booked.length === 0) return undefined;
  const named = booked.length === 1 ? `event ${booked[0]}` : `${booked.length} events`;
  return `another party booked all that was left of ${named} after the answer`;
}

/** Returns false for the id of something else, and for an event that takes no bookings. */
async function buyOut({ application, world, cause }: Answered, event_id: string): Promise<boolean> {
  let isBought = false;
  for (const { id: type_id } of application.read(world, (tx) => listVariants(tx, event_id))) {
    // One variant may use up what another one needs, so each is counted again. None is taken of what nothing limits.
    const quantity = application.read(world, (tx) => {
      const variant = listVariants(tx, event_id).find(({ id }) => id === type_id);
      return variant ? (countFreeUnits(tx, tx.events.get(event_id) as ScheduledEvent, variant) ?? 0) : 0;
    });
    const items = [{ type_id, item_type: "VARIANT", quantity }];
    // As the host, who is asked no questions.
    const input = { event_id, customer: OTHER_PARTY, items, skip_answers: true };
    if (quantity > 0 && (await isDone(() => application.acts.perform(world, "bookAsHost", input, cause))))
      isBought = true;
  }
  return isBought;
}

function listVariants(tx: Transaction, eventId: string) {
  const event = tx.events.get(eventId);
  const experience = event && tx.experiences.get(event.experience_id);
  return experience && !event.deleted_at && isOpen(tx, event, experience) ? experience.ticket_variants : [];
}

/** Whether the rules let the work be done. */
async function isDone(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (reason) {
    if (reason instanceof DomainError) return false;
    throw reason;
  }
}
