// Updates a booking and adds items to it: items only grow, at the current price. The booking that holds an event exclusively
// can grow where other bookings are rejected. Heading "Booking"; assumptions: availability-shape, tickets.

import { optional } from "../../../platform/optional.ts";
import { mustBeOneBooking, mustFit } from "../event/capacity.ts";
import { mustBeOpen } from "../event/opening.ts";
import { keepSold } from "../event/seats.ts";
import { addUnits, sell, toDemand, toResources } from "../event/sold.ts";
import { mustExist, reject } from "../kernel/domain-error.ts";
import type { Booking, Experience, Item, Metadata, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { isUnchanged } from "../kernel/unchanged.ts";
import { mustHaveCurrency } from "../money/order.ts";
import { toLines, withVat } from "../money/order-line.ts";
import { saveOrder } from "../money/payment.ts";
import { type Basket, canOffer, getItems, getOffers, mergeItems, mustBeCountable, readAdditions } from "./basket.ts";
import { getOrder } from "./booking-order.ts";
import { type CustomerInput, changeCustomer } from "./customer.ts";
import { planTicket, planTickets } from "./ticket-plan.ts";
import { addTickets, listLiveTickets } from "./tickets.ts";

/** Missing fields stay unchanged. `items` is the complete list, not only what is added. */
interface BookingChange {
  items?: readonly Item[];
  customer?: CustomerInput;
  locale?: string;
  source?: string;
  internal_note?: string;
  metadata?: Metadata;
}

/** Rejects with WRONG_STATE, ITEMS_ONLY_GROW, or the errors of a new booking of the added items. */
export function updateBooking(
  tx: Transaction,
  booking: Booking,
  { items, customer, ...given }: BookingChange,
): Booking {
  const { id, status: state } = booking;
  if (state !== "ACTIVE") reject("WRONG_STATE", { kind: "booking", id, state, wanted: "be changed", from: "ACTIVE" });
  const grown = items ? addToBooking(tx, booking, items) : booking;
  const known = customer && changeCustomer(booking.customer, customer);
  const changed: Booking = { ...grown, ...optional({ ...given, customer: known }), updated_at: tx.now };
  // An unchanged booking emits no fact and keeps `updated_at`, so that a retry has no effect.
  if (isUnchanged(tx, booking, changed)) return booking;
  tx.bookings.put(changed);
  const { metadata } = given;
  // The order has its own copy of customer and metadata, which its receipts show.
  if (known || metadata) saveOrder(tx, { ...getOrder(tx, changed), ...optional({ customer: known, metadata }) });
  tx.emit("booking.updated", id);
  return changed;
}

function addToBooking(tx: Transaction, booking: Booking, items: readonly Item[]): Booking {
  mustBeCountable(items, "body.items");
  const wanted = mergeItems(items);
  const added = listAddedItems(booking, wanted);
  // There is nothing to sell, so a closed event doesn't matter.
  if (added.length === 0) return booking;
  const event = mustExist(tx.events.get(booking.event_id), "event", booking.event_id);
  const experience = mustExist(tx.experiences.get(booking.experience_id), "experience", booking.experience_id);
  const basket = readAdditions(experience, added, booking.items);
  // The booking passes its own id, because its own lock must not stop it.
  mustBeOpen(tx, event, experience, booking.id);
  const demand = toDemand(basket);
  mustBeOneBooking(tx, wanted);
  mustFit(tx, event, demand);
  keepSold(tx, sell(tx, event, demand));
  const lines = spreadOverTickets(tx, booking, experience, basket).flatMap(({ ticket, items }) => {
    tx.tickets.put(ticket);
    return toLines(tx, experience, getOffers(experience), { id: ticket.id, items });
  });
  const order = getOrder(tx, booking);
  // The price list may have changed to another currency.
  mustHaveCurrency(order.currency, lines);
  // VAT is computed again over all lines, because rounding may be per order.
  saveOrder(tx, { ...order, line_items: withVat(tx, [...order.line_items, ...lines]) });
  return { ...booking, items: wanted };
}

/** Lists what the wanted items have beyond those that the booking holds. */
function listAddedItems(booking: Booking, wanted: readonly Item[]): Item[] {
  const held = new Map(booking.items.map((item) => [item.type_id, item.quantity]));
  // A type that is missing from the wanted items counts as 0.
  for (const [type_id, quantity] of held) {
    const now = wanted.find((item) => item.type_id === type_id)?.quantity ?? 0;
    if (now < quantity) reject("ITEMS_ONLY_GROW", { booking_id: booking.id, type_id, held: quantity, wanted: now });
  }
  const more = wanted.map((item) => ({ ...item, quantity: item.quantity - (held.get(item.type_id) ?? 0) }));
  return more.filter(({ quantity }) => quantity > 0);
}

/** A ticket that is new or grows, with the items that it gets. */
interface TicketAddition {
  ticket: Ticket;
  items: Item[];
}

/** New variants get new tickets with their add-ons. Other add-ons go onto the first ticket that accepts them. */
function spreadOverTickets(
  tx: Transaction,
  booking: Booking,
  experience: Experience,
  basket: Basket,
): TicketAddition[] {
  const live = listLiveTickets(tx, booking).filter(({ status }) => status === "ACTIVE");
  const only = live[0];
  // The booking's single ticket gets all items.
  if (only && tx.assumes("tickets") === "per-booking") return [addItems(experience, only, getItems(basket))];
  const canGoAlong = (id: string) => basket.variants.some(({ offer }) => canOffer(offer, id));
  const along = { ...basket, addOns: basket.addOns.filter(({ offer }) => canGoAlong(offer.id)) };
  const plan = basket.variants.length > 0 ? planTickets(tx, along) : [];
  // Existing tickets are counted too, because ids are made of the number of a ticket.
  const fresh = addTickets(tx, booking, plan, tx.tickets.count("booking", booking.id)).map((ticket) => ({
    ticket,
    items: ticket.items,
  }));
  const changed = new Map<string, TicketAddition>();
  for (const { offer, quantity } of basket.addOns.filter(({ offer }) => !canGoAlong(offer.id))) {
    const taker = live.find(({ items }) => canTake(experience, items, offer.id));
    if (!taker) return reject("NO_TICKETS_LEFT", { booking_id: booking.id });
    // A ticket may get two add-ons.
    const items = [
      ...(changed.get(taker.id)?.items ?? []),
      { type_id: offer.id, item_type: "ADDON" as const, quantity },
    ];
    changed.set(taker.id, addItems(experience, taker, items));
  }
  return [...fresh, ...changed.values()];
}

function addItems(experience: Experience, ticket: Ticket, items: Item[]): TicketAddition {
  const more = planTicket(experience, items);
  const resources_used = addUnits(toResources(experience, ticket), more.resources_used);
  const all = mergeItems([...ticket.items, ...items]);
  return { ticket: { ...ticket, items: all, seats: ticket.seats + more.seats, resources_used }, items };
}

function canTake(experience: Experience, items: readonly Item[], addOn: string): boolean {
  const variants = experience.ticket_variants.filter(({ id }) => items.some(({ type_id }) => type_id === id));
  return variants.some((variant) => canOffer(variant, addOn));
}
