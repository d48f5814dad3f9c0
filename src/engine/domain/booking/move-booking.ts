// Moves a booking to another event of its experience. The old booking becomes MOVED; a new one takes over its order and its
// remaining tickets. Assumption: booking-move.

import { mustFit } from "../event/capacity.ts";
import { mustBeOpen } from "../event/opening.ts";
import { keepSold } from "../event/seats.ts";
import { type Demand, sell, toResources, toTicketDemand } from "../event/sold.ts";
import { must } from "../kernel/checks.ts";
import { mustExist, reject } from "../kernel/domain-error.ts";
import type { Booking, ScheduledEvent, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { bookingStates, move } from "../kernel/transitions.ts";
import { getTicketId } from "../money/order-line.ts";
import { saveOrder } from "../money/payment.ts";
import { mergeItems } from "./basket.ts";
import { getOrder } from "./booking-order.ts";
import { addTickets, endTickets, listLiveTickets, release, releaseLock } from "./tickets.ts";

/**
 * Returns the booking that is valid afterwards. Rejects with WRONG_STATE, SAME_EVENT, OTHER_EXPERIENCE,
 * NO_TICKETS_LEFT, or the errors of a new booking on the target.
 */
export function moveBooking(tx: Transaction, booking: Booking, target: ScheduledEvent): Booking {
  // The status is checked first: a booking that can't move gets no other reason.
  const status = move(bookingStates, booking.id, booking.status, "MOVED");
  mustBeMovable(tx, booking, target);
  const experience = mustExist(tx.experiences.get(target.experience_id), "experience", target.experience_id);
  const live = listLiveTickets(tx, booking);
  if (live.length === 0) reject("NO_TICKETS_LEFT", { booking_id: booking.id });
  // The tickets move as they were sold, even if that is not offered any more (assumption: resources-sold).
  const demand = toTicketDemand(experience, live);
  mustBeOpen(tx, target, experience);
  if (tx.assumes("booking-move") === "same-booking") return moveSameBooking(tx, booking, target, { demand, live });
  // The old seats are freed first, because both events may share a resource.
  tx.bookings.put({ ...booking, status, updated_at: tx.now });
  endTickets(tx, booking);
  mustFit(tx, target, demand);
  keepSold(tx, sell(tx, target, demand));

  const id = tx.newId();
  // New tickets are created, because a printed ticket names its event.
  const plan = live.map((ticket) => ({ ...ticket, resources_used: toResources(experience, ticket) }));
  const tickets = addTickets(tx, { id, event_id: target.id }, plan);
  for (const ticket of tickets) tx.tickets.put(ticket);
  const moved = createSuccessor(tx, booking, { id, event_id: target.id, live, tickets });
  // The old booking is announced first: receivers drop it before they read about its successor.
  tx.emit("booking.moved", booking.id);
  tx.emit("booking.created", id);
  // The old event is unlocked, because the booking that locked it is elsewhere.
  releaseLock(tx, booking);
  return moved;
}

interface HeldTickets {
  demand: Demand;
  live: readonly Ticket[];
}

/** Applies the other value of booking-move: the booking and its tickets keep their ids, and only the event changes. */
function moveSameBooking(
  tx: Transaction,
  booking: Booking,
  target: ScheduledEvent,
  { demand, live }: HeldTickets,
): Booking {
  // The old seats are freed before the check, because both events may share a resource.
  release(tx, booking, live);
  releaseLock(tx, booking);
  mustFit(tx, target, demand);
  keepSold(tx, sell(tx, target, demand));
  for (const ticket of live) tx.tickets.put({ ...ticket, event_id: target.id });
  const moved = { ...booking, event_id: target.id, updated_at: tx.now };
  tx.bookings.put(moved);
  tx.emit("booking.updated", booking.id);
  return moved;
}

function mustBeMovable(tx: Transaction, booking: Booking, target: ScheduledEvent): void {
  const { id, event_id, experience_id } = booking;
  // Checked before the experience: the same event has the same experience anyway.
  const isSame = target.id === event_id && { booking_id: id, event_id };
  must(tx, "SAME_EVENT", isSame, () => `from ${event_id} to ${target.id}`);
  const { experience_id: theirs } = target;
  const isForeign = theirs !== experience_id && { event_id: target.id, experience_id: theirs, other: experience_id };
  must(tx, "OTHER_EXPERIENCE", isForeign, () => `from ${experience_id} to ${theirs}`);
  const old = mustExist(tx.events.get(event_id), "event", event_id);
  // A tour that is over can't be taken on another day.
  if (old.state === "COMPLETED") {
    reject("WRONG_STATE", {
      kind: "booking",
      id,
      state: "on a completed event",
      wanted: "become MOVED",
      from: "ACTIVE",
    });
  }
}

interface Successor {
  id: string;
  event_id: string;
  live: readonly Ticket[];
  tickets: readonly Ticket[];
}

/** Creates the new booking and gives it the order. Both then name the new tickets. */
function createSuccessor(tx: Transaction, booking: Booking, { id, event_id, live, tickets }: Successor): Booking {
  // Tickets match by position: each live ticket has one new ticket, in the same order.
  const nextOf = new Map(live.map((ticket, index) => [ticket.id, tickets[index]?.id ?? ticket.id]));
  // An answer about a voided ticket stays with the old booking, which has the ticket.
  const answers = booking.answers.flatMap((answer) => {
    if (answer.ticket_id === undefined) return [answer];
    const ticket_id = nextOf.get(answer.ticket_id);
    return ticket_id === undefined ? [] : [{ ...answer, ticket_id }];
  });
  // A line of a voided ticket keeps naming it, because its money can still be refunded.
  const toNext = (ticket?: string) => (ticket === undefined ? {} : { ticket_id: nextOf.get(ticket) ?? ticket });
  const items = mergeItems(live.flatMap((ticket) => ticket.items));
  const moved: Booking = { ...booking, id, event_id, created_at: tx.now, updated_at: tx.now, items, answers };
  tx.bookings.put(moved);
  const order = getOrder(tx, booking);
  const line_items = order.line_items.map((line) => ({
    ...line,
    details: { ...line.details, ...toNext(getTicketId(line)) },
  }));
  // The order stays the same one, with its number, payments and receipts.
  saveOrder(tx, { ...order, origin: { ...order.origin, id }, line_items });
  return moved;
}
