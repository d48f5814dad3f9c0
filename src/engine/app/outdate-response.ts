// Makes a response out of date before it arrives: the host moves a booking, another party books the remaining seats, or
// a list changes between two of its pages. Ordinary acts do so, and the log lists them with the request.

import { countFreeUnits } from "../domain/event/capacity.ts";
import { isOpen } from "../domain/event/opening.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { LIST_CHANGES } from "../domain/kernel/fault-rules.ts";
import { joinKeys, toPrefixEnd } from "../domain/kernel/index-keys.ts";
import type { Booking } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import type { RequestsPort, WebhooksPort } from "./application.ts";

/** A request with a response that others may make out of date. */
export interface FaultTarget {
  operation: string;
  /** The ids in its path, then those in its response. */
  ids: readonly string[];
  /** The request, which is the cause of the acts in the log. */
  cause: Cause;
  world: World;
  application: RequestsPort & WebhooksPort;
}

const MAX_CANDIDATES = 20;
const OTHER_PARTY = {
  customer_type: "PRIVATE",
  name: "Robin Other",
  email: "robin.other@example.com",
  phone: "+4520304050",
};

/** Changes the list of the response. Returns what was done in words; undefined if nothing could be changed. */
export async function changeList({ operation, cause, world, application }: FaultTarget): Promise<string | undefined> {
  const done: string[] = [];
  for (const kind of LIST_CHANGES[operation] ?? []) {
    // A cancellation needs an existing booking. Other triggers create the records that they need.
    const input = kind === "v1.booking.cancelled" ? application.read(world, findOldestBooking) : {};
    if (await tryWork(() => application.messages.trigger(world, kind, input, cause))) done.push(kind);
  }
  return done.length === 0 ? undefined : `changed the list after this page (${done.join(", ")})`;
}

/** Finds the oldest active booking. A newer one may be the program's own, whose cancellation would be another fault. */
function findOldestBooking(tx: Transaction): { booking_id?: string } {
  const active = { from: joinKeys("ACTIVE", ""), until: toPrefixEnd("ACTIVE") };
  for (const { id, event_id } of tx.bookings.walk("statusCreated", active))
    if (tx.events.get(event_id)?.state === "ACTIVE") return { booking_id: id };
  return {};
}

/** Moves the booking of the answer to another event of its experience. Returns undefined when it can't be moved. */
export async function moveBooking({ ids, cause, application, world }: FaultTarget): Promise<string | undefined> {
  const booking = application.read(world, (tx) =>
    ids.map((id) => tx.bookings.get(id)).find((each) => each?.status === "ACTIVE"),
  );
  if (!booking) return undefined;
  const { id: booking_id, experience_id } = booking;
  for (const isLastTry of [false, true]) {
    // No event accepted the booking, so a new one is created.
    if (isLastTry)
      await tryWork(() => application.messages.trigger(world, "v1.event.created", { experience_id }, cause));
    for (const event_id of application.read(world, (tx) => listOtherEvents(tx, booking)))
      if (await tryWork(() => application.acts.perform(world, "moveBooking", { booking_id, event_id }, cause)))
        return `the host moved booking ${booking_id} to event ${event_id} after the answer`;
  }
  return undefined;
}

/** Some events are full or closed, so several are tried. */
function listOtherEvents(tx: Transaction, { experience_id, event_id }: Booking): string[] {
  return [...tx.events.walk("start", { from: tx.now })]
    .filter((event) => event.state === "ACTIVE" && event.experience_id === experience_id && event.id !== event_id)
    .map(({ id }) => id)
    .slice(0, MAX_CANDIDATES);
}

/** Books the remaining seats of every event in the response. */
export async function bookAllThatIsLeft(answered: FaultTarget): Promise<string | undefined> {
  const booked: string[] = [];
  for (const id of answered.ids) if (booked.length < MAX_CANDIDATES && (await bookSeats(answered, id))) booked.push(id);
  if (booked.length === 0) return undefined;
  const named = booked.length === 1 ? `event ${booked[0]}` : `${booked.length} events`;
  return `another party booked all that was left of ${named} after the answer`;
}

/** Returns false for ids of other records, and for events that accept no bookings. */
async function bookSeats({ application, world, cause }: FaultTarget, event_id: string): Promise<boolean> {
  let isBooked = false;
  for (const variant of application.read(world, (tx) => listVariants(tx, event_id))) {
    // Variants may share seats, so those of each are counted when it is booked. Variants without a limit are not booked.
    const quantity = application.read(world, (tx) => {
      const event = tx.events.get(event_id);
      return (event && countFreeUnits(tx, event, variant)) ?? 0;
    });
    const items = [{ type_id: variant.id, item_type: "VARIANT", quantity }];
    // The host may skip the information requests.
    const input = { event_id, customer: OTHER_PARTY, items, skip_answers: true };
    if (quantity > 0 && (await tryWork(() => application.acts.perform(world, "bookAsHost", input, cause))))
      isBooked = true;
  }
  return isBooked;
}

function listVariants(tx: Transaction, eventId: string) {
  const event = tx.events.get(eventId);
  const experience = event && tx.experiences.get(event.experience_id);
  return experience && !event.deleted_at && isOpen(tx, event, experience) ? experience.ticket_variants : [];
}

/** Returns false if a rule rejects the work. */
async function tryWork(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (reason) {
    if (reason instanceof DomainError) return false;
    throw reason;
  }
}
