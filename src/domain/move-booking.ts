// Moving a booking to another event of its experience: the old one becomes MOVED, a new one takes over its order and what is left
// of its tickets. Assumption: booking-move.
import { type Basket, mergeItems } from "./basket.ts";
import { orderOf } from "./booking-order.ts";
import { mustBeOpen, mustFit } from "./capacity.ts";
import type { Desk } from "./desk.ts";
import { heldBasket } from "./held-basket.ts";
import { keep } from "./payment.ts";
import type { Booking, ScheduledEvent, Ticket } from "./records.ts";
import { found, refuse } from "./refusal.ts";
import { keepSold } from "./seats.ts";
import { sheetsWith } from "./sheets.ts";
import { sold } from "./sold.ts";
import { endTickets, giveBack, liveTickets, releaseLock, ticketsFor } from "./tickets.ts";
import { booking as cycle, move } from "./transitions.ts";

export function moveBooking(desk: Desk, booking: Booking, target: ScheduledEvent): Booking {
  const status = move(cycle, booking.id, booking.status, "MOVED");
  mustBeMovable(desk, booking, target);
  const experience = found(desk.experiences.get(target.experience_id), "experience", target.experience_id);
  const live = liveTickets(desk, booking);
  if (live.length === 0) refuse("NO_TICKETS_LEFT", { booking_id: booking.id });
  const basket = heldBasket(experience, live);
  mustBeOpen(desk, target, experience);
  if (desk.assumes("booking-move") === "same-booking") return moveAlong(desk, booking, target, { basket, live });
  // Its seats are free first: both events may share a resource.
  desk.bookings.put({ ...booking, status, updated_at: desk.now });
  endTickets(desk, booking);
  mustFit(desk, target, basket);
  keepSold(desk, sold(desk, target, basket));

  const id = desk.newId();
  const tickets = ticketsFor(desk, { id, event_id: target.id }, sheetsWith(basket, live));
  for (const ticket of tickets) desk.tickets.put(ticket);
  const moved = successor(desk, booking, { id, event_id: target.id, live, tickets });
  desk.tell("booking.moved", booking.id);
  desk.tell("booking.created", id);
  releaseLock(desk, booking);
  return moved;
}

interface Held {
  basket: Basket;
  live: readonly Ticket[];
}

/** The other answer to booking-move: the booking keeps its id, and its tickets theirs; only the event is another. */
function moveAlong(desk: Desk, booking: Booking, target: ScheduledEvent, { basket, live }: Held): Booking {
  giveBack(desk, booking, live);
  releaseLock(desk, booking);
  mustFit(desk, target, basket);
  keepSold(desk, sold(desk, target, basket));
  for (const [index, sheet] of sheetsWith(basket, live).entries()) {
    const ticket = live[index];
    if (ticket) desk.tickets.put({ ...ticket, ...sheet, event_id: target.id });
  }
  const moved = { ...booking, event_id: target.id, updated_at: desk.now };
  desk.bookings.put(moved);
  desk.tell("booking.updated", booking.id);
  return moved;
}

function mustBeMovable(desk: Desk, booking: Booking, target: ScheduledEvent): void {
  const { id, event_id, experience_id } = booking;
  if (target.id === event_id) refuse("SAME_EVENT", { booking_id: id, event_id });
  if (target.experience_id !== experience_id) {
    refuse("OTHER_EXPERIENCE", { event_id: target.id, experience_id: target.experience_id, other: experience_id });
  }
  const old = found(desk.events.get(event_id), "event", event_id);
  if (old.state === "COMPLETED") {
    refuse("WRONG_STATE", {
      kind: "booking",
      id,
      state: "on a completed event",
      wanted: "become MOVED",
      from: "ACTIVE",
    });
  }
}

interface Passage {
  id: string;
  event_id: string;
  live: readonly Ticket[];
  tickets: readonly Ticket[];
}

/** The new booking and the order that is now its own; both name the new tickets where they named the old. */
function successor(desk: Desk, booking: Booking, { id, event_id, live, tickets }: Passage): Booking {
  const nextOf = new Map(live.map((ticket, index) => [ticket.id, tickets[index]?.id ?? ticket.id]));
  const next = (ticket?: string) => (ticket === undefined ? {} : { ticket_id: nextOf.get(ticket) ?? ticket });
  const answers = booking.answers.map((answer) => ({ ...answer, ...next(answer.ticket_id) }));
  const items = mergeItems(live.flatMap((ticket) => ticket.items));
  const moved: Booking = { ...booking, id, event_id, created_at: desk.now, updated_at: desk.now, items, answers };
  desk.bookings.put(moved);
  const order = orderOf(desk, booking);
  const line_items = order.line_items.map((line) => ({
    ...line,
    details: { ...line.details, ...next(line.details.ticket_id) },
  }));
  keep(desk, { ...order, origin: { ...order.origin, id }, line_items });
  return moved;
}
