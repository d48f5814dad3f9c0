// What others do right after an answer was made, so that it is out of date when it arrives: the host moves a booking, another party books
// what is left, a list changes between two of its pages. Each is done by the ordinary acts, and the log has it with the request.

import { unitsLeft } from "../domain/event/capacity.ts";
import { isOpen } from "../domain/event/opening.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { CHANGES } from "../domain/kernel/fault-rules.ts";
import { endOf, two } from "../domain/kernel/index-keys.ts";
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

/** More than so many candidates are not tried. */
const MOST = 20;
const SOMEBODY = {
  customer_type: "PRIVATE",
  name: "Somebody Else",
  email: "somebody.else@example.com",
  phone: "+4520304050",
};

/** In words what was done; undefined when nothing could be. */
export async function changeList({ operation, cause, world, application }: Answered): Promise<string | undefined> {
  const done: string[] = [];
  for (const kind of CHANGES[operation] ?? []) {
    // A booking that is there; for the others the act makes what it needs.
    const input = kind === "v1.booking.cancelled" ? application.read(world, oldestBooking) : {};
    const isDone = await tried(() => application.messages.trigger(world, kind, input, cause));
    if (isDone) done.push(kind);
  }
  return done.length === 0 ? undefined : `changed the list after this page (${done.join(", ")})`;
}

/** Not one that the program may just have made: what it does with that is another matter. */
function oldestBooking(tx: Transaction): { booking_id?: string } {
  const active = { from: two("ACTIVE", ""), until: endOf("ACTIVE") };
  for (const { id, event_id } of tx.bookings.walk("statusCreated", active))
    if (tx.events.get(event_id)?.state === "ACTIVE") return { booking_id: id };
  return {};
}

/** The booking of the answer, to another event of its experience. Undefined when it can't be moved. */
export async function moveBooking(answered: Answered): Promise<string | undefined> {
  const { ids, cause, application, world } = answered;
  const booking = application.read(world, (tx) => {
    const found = ids.flatMap((id) => tx.bookings.get(id) ?? []);
    return found.find(({ status }) => status === "ACTIVE");
  });
  if (!booking) return undefined;
  const others = () =>
    application.read(world, (tx) =>
      upcoming(tx).filter((event) => event.experience_id === booking.experience_id && event.id !== booking.event_id),
    );
  const move = async (): Promise<string | undefined> => {
    // The first that takes it: some are full or closed.
    for (const { id } of others().slice(0, MOST))
      if (await performed(answered, "moveBooking", { booking_id: booking.id, event_id: id }))
        return `the host moved booking ${booking.id} to event ${id} after the answer`;
    return undefined;
  };
  const moved = await move();
  if (moved !== undefined) return moved;
  const { experience_id } = booking;
  // There was nowhere to go, so an event is made for it.
  await tried(() => application.messages.trigger(world, "v1.event.created", { experience_id }, cause));
  return move();
}

/** Of every event in the answer. */
export async function bookAllThatIsLeft(answered: Answered): Promise<string | undefined> {
  const { ids, application, world } = answered;
  const events = application.read(world, (tx) => ids.filter((id) => isBookable(tx, id)));
  const gone: string[] = [];
  for (const event_id of events.slice(0, MOST)) if (await buyOut(answered, event_id)) gone.push(event_id);
  if (gone.length === 0) return undefined;
  const named = gone.length === 1 ? `event ${gone[0]}` : `${gone.length} events`;
  return `another party booked all that was left of ${named} after the answer`;
}

/** One variant may use up what another one needs, so each is counted anew. */
async function buyOut(answered: Answered, event_id: string): Promise<boolean> {
  const variants = answered.application.read(answered.world, (tx) => variantsOf(tx, event_id).map(({ id }) => id));
  let isDone = false;
  for (const type_id of variants) {
    const quantity = answered.application.read(answered.world, (tx) => leftOf(tx, event_id, type_id));
    const items = [{ type_id, item_type: "VARIANT", quantity }];
    const input = { event_id, customer: SOMEBODY, items, skip_answers: true };
    // As the host, who is asked no questions.
    if (quantity > 0 && (await performed(answered, "bookAsHost", input))) isDone = true;
  }
  return isDone;
}

function variantsOf(tx: Transaction, eventId: string) {
  const event = tx.events.get(eventId);
  return tx.experiences.get(event?.experience_id ?? "")?.ticket_variants ?? [];
}

/** None of what nothing limits. */
function leftOf(tx: Transaction, eventId: string, variantId: string): number {
  const event = tx.events.get(eventId);
  const variant = variantsOf(tx, eventId).find(({ id }) => id === variantId);
  return event && variant ? (unitsLeft(tx, event, variant) ?? 0) : 0;
}

function isBookable(tx: Transaction, id: string): boolean {
  const event = tx.events.get(id);
  if (!event || event.deleted_at || !isOpen(tx, event, tx.experiences.get(event.experience_id))) return false;
  return variantsOf(tx, id).some((variant) => (unitsLeft(tx, event, variant) ?? 0) > 0);
}

const upcoming = (tx: Transaction) =>
  [...tx.events.walk("start", { from: tx.now })].filter((event) => !event.deleted_at && event.state === "ACTIVE");

function performed({ cause, world, application }: Answered, act: string, input: object): Promise<boolean> {
  return tried(() => application.acts.perform(world, act, input, cause));
}

/** What a rule refuses is not done. */
async function tried(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (reason) {
    if (reason instanceof DomainError) return false;
    throw reason;
  }
}
