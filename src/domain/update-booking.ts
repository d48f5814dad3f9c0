// Changing what a booking says of itself, and growing it: items only grow, and cost what they cost now. The booking that holds
// an event exclusively may grow where nobody else can book. Heading "Booking"; assumptions: availability-shape, tickets.
import { type Basket, itemsOf, mergeItems, offers, offersOf, readAdditions } from "./basket.ts";
import { orderOf } from "./booking-order.ts";
import { mustBeOpen, mustFit } from "./capacity.ts";
import { type CustomerWish, customerOf } from "./customer.ts";
import type { Desk } from "./desk.ts";
import { optional } from "./optional.ts";
import { mustBeIn } from "./order.ts";
import { ticketLines, withVat } from "./order-line.ts";
import { keep } from "./payment.ts";
import type { Booking, Experience, Item, Metadata, Ticket } from "./records.ts";
import { found, refuse } from "./refusal.ts";
import { keepSold } from "./seats.ts";
import { sheetOf, sheetsOf } from "./sheets.ts";
import { added, sold } from "./sold.ts";
import { liveTickets, ticketsFor } from "./tickets.ts";
import { changesNothing } from "./unchanged.ts";

export interface BookingChange {
  items?: readonly Item[];
  customer?: CustomerWish;
  locale?: string;
  source?: string;
  internal_note?: string;
  metadata?: Metadata;
}

export function updateBooking(desk: Desk, booking: Booking, { items, customer, ...said }: BookingChange): Booking {
  const { id, status: state } = booking;
  if (state !== "ACTIVE") refuse("WRONG_STATE", { kind: "booking", id, state, wanted: "be changed", from: "ACTIVE" });
  const grown = items ? growBooking(desk, booking, items) : booking;
  const known = customer && customerOf(customer);
  const changed: Booking = { ...grown, ...optional({ ...said, customer: known }), updated_at: desk.now };
  if (changesNothing(desk, booking, changed)) return booking;
  desk.bookings.put(changed);
  const { metadata } = said;
  if (known || metadata) keep(desk, { ...orderOf(desk, changed), ...optional({ customer: known, metadata }) });
  desk.tell("booking.updated", id);
  return changed;
}

function growBooking(desk: Desk, booking: Booking, items: readonly Item[]): Booking {
  const wanted = mergeItems(items);
  const added = additions(booking, wanted);
  if (added.length === 0) return booking;
  const event = found(desk.events.get(booking.event_id), "event", booking.event_id);
  const experience = found(desk.experiences.get(booking.experience_id), "experience", booking.experience_id);
  const basket = readAdditions(experience, added, booking.items);
  mustBeOpen(desk, event, experience, booking.id);
  mustFit(desk, event, basket);
  keepSold(desk, sold(desk, event, basket));
  const lines = spread(desk, booking, experience, basket).flatMap(({ ticket, items }) => {
    desk.tickets.put(ticket);
    return ticketLines(desk, experience, offersOf(experience), ticket.id, items);
  });
  const order = orderOf(desk, booking);
  mustBeIn(order.currency, lines);
  keep(desk, { ...order, line_items: withVat(desk, [...order.line_items, ...lines]) });
  return { ...booking, items: wanted };
}

/** What is wanted beyond what the booking holds. */
function additions(booking: Booking, wanted: readonly Item[]): Item[] {
  const held = new Map(booking.items.map((item) => [item.type_id, item.quantity]));
  for (const [type_id, quantity] of held) {
    const now = wanted.find((item) => item.type_id === type_id)?.quantity ?? 0;
    if (now < quantity) refuse("ITEMS_ONLY_GROW", { booking_id: booking.id, type_id, held: quantity, wanted: now });
  }
  const more = wanted.map((item) => ({ ...item, quantity: item.quantity - (held.get(item.type_id) ?? 0) }));
  return more.filter(({ quantity }) => quantity > 0);
}

/** A ticket that is new or gets more, with the items that it gets. */
interface Given {
  ticket: Ticket;
  items: Item[];
}

/** New variants make new tickets, with the add-ons that go with them; other add-ons go onto the first ticket that takes them. */
function spread(desk: Desk, booking: Booking, experience: Experience, basket: Basket): Given[] {
  const live = liveTickets(desk, booking).filter(({ status }) => status === "ACTIVE");
  const only = live[0];
  if (only && desk.assumes("tickets") === "per-booking") return [grown(experience, only, itemsOf(basket))];
  const goesAlong = (id: string) => basket.variants.some(({ offer }) => offers(offer, id));
  const along = { ...basket, addOns: basket.addOns.filter(({ offer }) => goesAlong(offer.id)) };
  const sheets = basket.variants.length > 0 ? sheetsOf(desk, along) : [];
  const fresh = ticketsFor(desk, booking, sheets).map((ticket) => ({ ticket, items: ticket.items }));
  const changed = new Map<string, Given>();
  for (const { offer, quantity } of basket.addOns.filter(({ offer }) => !goesAlong(offer.id))) {
    const taker = live.find(({ items }) => takes(experience, items, offer.id));
    if (!taker) return refuse("NO_TICKETS_LEFT", { booking_id: booking.id });
    const items = [
      ...(changed.get(taker.id)?.items ?? []),
      { type_id: offer.id, item_type: "ADDON" as const, quantity },
    ];
    changed.set(taker.id, grown(experience, taker, items));
  }
  return [...fresh, ...changed.values()];
}

function grown(experience: Experience, ticket: Ticket, items: Item[]): Given {
  const more = sheetOf(experience, items);
  const held = ticket.resources_used ?? sheetOf(experience, ticket.items).resources_used;
  const resources_used = added(held, more.resources_used);
  const all = mergeItems([...ticket.items, ...items]);
  return { ticket: { ...ticket, items: all, seats: ticket.seats + more.seats, resources_used }, items };
}

function takes(experience: Experience, items: readonly Item[], addOn: string): boolean {
  const variants = experience.ticket_variants.filter(({ id }) => items.some(({ type_id }) => type_id === id));
  return variants.some((variant) => offers(variant, addOn));
}
