// Placing a booking, and what becomes of it. Headings "Bookings" and "Booking status"; assumptions: booking-check-order,
// booking-money, booking-transitions, booking-move, cancel-keeps-money, tickets.
import { type Basket, itemsOf, mergeItems, offersOf, readBasket, type Sheet, sheetsOf } from "./basket.ts";
import { mustBeOpen, mustFit, withSold } from "./capacity.ts";
import type { Desk } from "./desk.ts";
import { after } from "./instant.ts";
import { followRevenue } from "./ledger.ts";
import { type DiscountWish, discounted, feeLine, makeOrder, ticketLines } from "./order.ts";
import { keep, moneyHeld, type PaymentWish, pay } from "./payment.ts";
import type {
  Address,
  Answer,
  Booking,
  BookingFee,
  Customer,
  Experience,
  Item,
  Metadata,
  Order,
  ScheduledEvent,
  Ticket,
} from "./records.ts";
import { refundAll, refundOrder } from "./refund.ts";
import { found, refuse } from "./refusal.ts";
import {
  checkout as checkoutCycle,
  booking as cycle,
  move,
  order as orderCycle,
  ticket as ticketCycle,
} from "./transitions.ts";

/** A customer as someone gives it: one of the two names will do, and acts need no address. */
export interface CustomerWish {
  customer_type: "PRIVATE" | "COMPANY";
  name?: string;
  full_name?: string;
  company_name?: string;
  vat_number?: string;
  email?: string;
  phone?: string;
  address?: Partial<Address>;
}

export interface BookingWish {
  id?: string;
  event_id: string;
  customer: CustomerWish;
  locale?: string;
  items: readonly Item[];
  metadata?: Metadata;
  source?: string;
  internal_note?: string;
  answers?: readonly (Omit<Answer, "ticket_id"> & { ticket?: number })[];
  discounts?: readonly DiscountWish[];
  fee?: BookingFee;
  payments?: readonly PaymentWish[];
  /** A guest's checkout: it holds seats and is not confirmed yet. */
  checkout?: boolean;
}

/** How long a checkout that was never completed holds its seats. */
const CHECKOUT_LIFE = "PT15M";

export function placeBooking(desk: Desk, event: ScheduledEvent, wish: BookingWish): Booking {
  if (wish.id && desk.bookings.get(wish.id)) refuse("ID_TAKEN", { kind: "booking", id: wish.id });
  const experience = found(desk.experiences.get(event.experience_id), "experience", event.experience_id);
  const basket = readBasket(experience, wish.items);
  mustBeOpen(desk, event, experience);
  mustFit(desk, event, basket);
  desk.events.put(withSold(event, basket, 1, event.updated_at));

  const id = wish.id ?? desk.newId();
  const tickets = ticketsFor(desk, { id, event_id: event.id }, sheetsOf(desk, basket));
  const customer = customerOf(wish.customer);
  const status = wish.checkout ? "PROCESSING" : "ACTIVE";
  const booking: Booking = {
    id,
    status,
    created_at: desk.now,
    updated_at: desk.now,
    company_id: desk.company.get("company")?.company_id ?? "",
    experience_id: experience.id,
    event_id: event.id,
    customer,
    locale: wish.locale ?? desk.company.get("company")?.languages[0] ?? "en",
    ...optional({ source: wish.source, internal_note: wish.internal_note, metadata: wish.metadata }),
    order_id: "",
    items: itemsOf(basket),
    answers: answersOf(experience, tickets, wish.answers ?? []),
    ...(wish.checkout ? { lapses_at: after(desk.now, CHECKOUT_LIFE), pending_tickets: tickets } : {}),
  };
  desk.bookings.put(booking);
  if (!wish.checkout) for (const ticket of tickets) desk.tickets.put(ticket);
  const order = orderFor(desk, { experience, booking, tickets, wish });
  const placed = { ...booking, order_id: order.id };
  desk.bookings.put(placed);
  desk.tell(wish.checkout ? "booking.started" : "booking.created", id);
  payAll(desk, order, wish.payments ?? []);
  return placed;
}

/** Confirms a checkout; its tickets come into being, and its order is completed. */
export function completeCheckout(desk: Desk, booking: Booking, payments: readonly PaymentWish[]): Booking {
  endCheckout(booking, "COMPLETED");
  const { lapses_at: _, pending_tickets: tickets = [], ...kept } = booking;
  const confirmed: Booking = {
    ...kept,
    status: move(cycle, booking.id, booking.status, "ACTIVE"),
    updated_at: desk.now,
  };
  desk.bookings.put(confirmed);
  for (const ticket of tickets) desk.tickets.put(ticket);
  const order = orderOf(desk, booking);
  desk.tell("booking.created", booking.id);
  payAll(desk, keep(desk, { ...order, status: move(orderCycle, order.id, order.status, "COMPLETED") }), payments);
  return confirmed;
}

/** Ends a checkout that came to nothing; the seats are free again. */
export function dropCheckout(desk: Desk, booking: Booking, end: "ABANDONED" | "LAPSED"): Booking {
  endCheckout(booking, end);
  const { lapses_at: _, pending_tickets: tickets = [], ...kept } = booking;
  const dropped: Booking = {
    ...kept,
    status: move(cycle, booking.id, booking.status, "CANCELLED"),
    updated_at: desk.now,
  };
  desk.bookings.put(dropped);
  giveBack(desk, booking, tickets);
  const order = orderOf(desk, booking);
  keep(desk, { ...order, status: move(orderCycle, order.id, order.status, "CANCELLED") });
  desk.tell(end === "LAPSED" ? "booking.lapsed" : "booking.abandoned", booking.id);
  return dropped;
}

/** A checkout's state is read from its booking. */
function endCheckout({ id, status }: Booking, end: "COMPLETED" | "ABANDONED" | "LAPSED"): void {
  const state = status === "PROCESSING" ? "STARTED" : status === "CANCELLED" ? "ABANDONED" : "COMPLETED";
  move(checkoutCycle, id, state, end);
}

export type RefundChoice = { refund: "full" | "none" | "gift_card" } | { refund: "amount"; amount: number };

export function cancelBooking(desk: Desk, booking: Booking, choice: RefundChoice): Booking {
  const cancelled: Booking = {
    ...booking,
    status: move(cycle, booking.id, booking.status, "CANCELLED"),
    updated_at: desk.now,
  };
  desk.bookings.put(cancelled);
  endTickets(desk, booking);
  desk.tell("booking.cancelled", booking.id);
  const order = orderOf(desk, booking);
  const refunded = payBack(
    desk,
    keep(desk, { ...order, status: move(orderCycle, order.id, order.status, "CANCELLED") }),
    choice,
  );
  // Money kept is earned now: nothing more will be delivered for it.
  if (!refunded.earned_at && moneyHeld(refunded) > 0)
    keep(desk, followRevenue(desk, { ...refunded, earned_at: desk.now }));
  return cancelled;
}

/** The old booking becomes MOVED; a new one on the other event takes over its order and what is left of its tickets. */
export function moveBooking(desk: Desk, booking: Booking, target: ScheduledEvent): Booking {
  const status = move(cycle, booking.id, booking.status, "MOVED");
  if (target.id === booking.event_id) refuse("SAME_EVENT", { booking_id: booking.id, event_id: target.id });
  if (target.experience_id !== booking.experience_id) {
    refuse("OTHER_EXPERIENCE", {
      event_id: target.id,
      experience_id: target.experience_id,
      other: booking.experience_id,
    });
  }
  const old = found(desk.events.get(booking.event_id), "event", booking.event_id);
  if (old.state === "COMPLETED")
    refuse("EVENT_NOT_ACTIVE", { event_id: old.id, why: "it is COMPLETED, and its bookings with it" });
  const experience = found(desk.experiences.get(target.experience_id), "experience", target.experience_id);
  const live = ticketsOf(desk, booking).filter((ticket) => ticket.status === "ACTIVE");
  const basket = readBasket(experience, mergeItems(live.flatMap((ticket) => ticket.items)));
  desk.bookings.put({ ...booking, status, updated_at: desk.now });
  endTickets(desk, booking);
  mustBeOpen(desk, target, experience);
  mustFit(desk, target, basket);
  desk.events.put(withSold(target, basket, 1, target.updated_at));

  const id = desk.newId();
  const tickets = ticketsFor(
    desk,
    { id, event_id: target.id },
    live.map((ticket) => ticket.items),
  );
  const successor = new Map(live.map((ticket, index) => [ticket.id, tickets[index]?.id ?? ticket.id]));
  for (const ticket of tickets) desk.tickets.put(ticket);
  const next = (ticket?: string) => (ticket === undefined ? {} : { ticket_id: successor.get(ticket) ?? ticket });
  const answers = booking.answers.map((answer) => ({ ...answer, ...next(answer.ticket_id) }));
  const { updated_at: _, ...same } = booking;
  const moved: Booking = {
    ...same,
    id,
    event_id: target.id,
    created_at: desk.now,
    updated_at: desk.now,
    items: itemsOf(basket),
    answers,
  };
  desk.bookings.put(moved);
  const order = orderOf(desk, booking);
  const line_items = order.line_items.map((line) => ({
    ...line,
    details: { ...line.details, ...next(line.details.ticket_id) },
  }));
  keep(desk, { ...order, origin: { ...order.origin, id }, line_items });
  desk.tell("booking.moved", booking.id);
  desk.tell("booking.created", id);
  return moved;
}

export interface BookingChange {
  items?: readonly Item[];
  customer?: CustomerWish;
  locale?: string;
  source?: string;
  internal_note?: string;
  metadata?: Metadata;
}

/** Changes what a booking says of itself; items only grow, and cost what they cost now. */
export function updateBooking(desk: Desk, booking: Booking, { items, customer, ...said }: BookingChange): Booking {
  if (booking.status !== "ACTIVE")
    refuse("WRONG_STATE", {
      kind: "booking",
      id: booking.id,
      state: booking.status,
      wanted: "changed",
      from: "ACTIVE",
    });
  const grown = items ? growBooking(desk, booking, items) : booking;
  const changed: Booking = {
    ...grown,
    ...optional(said),
    ...(customer ? { customer: customerOf(customer) } : {}),
    updated_at: desk.now,
  };
  desk.bookings.put(changed);
  if (customer) keep(desk, { ...orderOf(desk, changed), customer: changed.customer });
  desk.tell("booking.updated", booking.id);
  return changed;
}

function growBooking(desk: Desk, booking: Booking, items: readonly Item[]): Booking {
  const wanted = mergeItems(items);
  const held = new Map(booking.items.map((item) => [item.type_id, item]));
  for (const { type_id, quantity } of held.values()) {
    const now = wanted.find((item) => item.type_id === type_id)?.quantity ?? 0;
    if (now < quantity) refuse("ITEMS_ONLY_GROW", { booking_id: booking.id, type_id, held: quantity, wanted: now });
  }
  const more = wanted.map((item) => ({ ...item, quantity: item.quantity - (held.get(item.type_id)?.quantity ?? 0) }));
  const event = found(desk.events.get(booking.event_id), "event", booking.event_id);
  const experience = found(desk.experiences.get(booking.experience_id), "experience", booking.experience_id);
  readBasket(experience, wanted);
  const offers = offersOf(experience);
  const added = more.filter(({ quantity }) => quantity > 0);
  if (added.length === 0) return booking;
  const basket = basketOf(experience, added);
  mustBeOpen(desk, event, experience, booking.id);
  mustFit(desk, event, basket);
  desk.events.put(withSold(event, basket, 1, event.updated_at));
  const { fresh, changed } = spreadMore(desk, booking, basket);
  for (const ticket of [...fresh, ...changed.map(({ ticket }) => ticket)]) desk.tickets.put(ticket);
  const lines = [...fresh.map((ticket) => ({ ticket, sheet: ticket.items })), ...changed].flatMap(({ ticket, sheet }) =>
    ticketLines(desk, experience, offers, ticket.id, sheet),
  );
  const order = orderOf(desk, booking);
  keep(desk, { ...order, line_items: [...order.line_items, ...lines] });
  return { ...booking, items: wanted };
}

/** New variants make new tickets; add-ons without one go onto the first ticket. */
function spreadMore(desk: Desk, booking: Booking, basket: Basket) {
  if (basket.variants.length > 0) return { fresh: ticketsFor(desk, booking, sheetsOf(desk, basket)), changed: [] };
  const first =
    ticketsOf(desk, booking).find((ticket) => ticket.status === "ACTIVE") ??
    refuse("WRONG_STATE", {
      kind: "booking",
      id: booking.id,
      state: "without tickets",
      wanted: "grown",
      from: "one with an ACTIVE ticket",
    });
  const sheet = itemsOf(basket);
  return { fresh: [], changed: [{ ticket: { ...first, items: mergeItems([...first.items, ...sheet]) }, sheet }] };
}

/** Like `readBasket`, for additions: an add-on's variant may be in the booking already. */
function basketOf(experience: Experience, items: readonly Item[]): Basket {
  const variants = items.filter(({ item_type }) => item_type === "VARIANT");
  const addOns = items.filter(({ item_type }) => item_type === "ADDON");
  const offers = offersOf(experience);
  return {
    variants: variants.length > 0 ? readBasket(experience, variants).variants : [],
    addOns: addOns.flatMap(({ type_id, quantity }) => {
      const offer = offers.get(type_id);
      return offer ? [{ offer, quantity }] : [];
    }),
  };
}

export function ticketsOf(desk: Desk, booking: Pick<Booking, "id">): Ticket[] {
  return desk.tickets.where("booking", booking.id).sort((a, b) => a.place - b.place);
}

export function orderOf(desk: Desk, booking: Booking): Order {
  return found(desk.orders.get(booking.order_id), "order", booking.order_id);
}

/** Voids every ticket that is still good and gives its units back to the event. */
function endTickets(desk: Desk, booking: Booking): void {
  const live = ticketsOf(desk, booking).filter((ticket) => ticket.status !== "VOIDED");
  for (const ticket of live)
    desk.tickets.put({ ...ticket, status: move(ticketCycle, ticket.id, ticket.status, "VOIDED") });
  giveBack(desk, booking, live);
}

/** Gives the units of these tickets back; a booking that ends holds its event no longer. */
export function giveBack(desk: Desk, booking: Booking, tickets: readonly Ticket[], ends = true): void {
  const event = desk.events.get(booking.event_id);
  const experience = desk.experiences.get(booking.experience_id);
  if (!event || !experience) return;
  const basket = basketOf(experience, mergeItems(tickets.flatMap((ticket) => ticket.items)));
  const { locked_by, ...freed } = withSold(event, basket, -1, event.updated_at);
  const keepsLock = locked_by !== undefined && !(ends && locked_by === booking.id);
  desk.events.put(keepsLock ? { ...freed, locked_by } : freed);
}

function ticketsFor(desk: Desk, booking: Pick<Booking, "id" | "event_id">, sheets: readonly Sheet[]): Ticket[] {
  const place = ticketsOf(desk, booking).length;
  return sheets.map((items, index) => ({
    id: desk.newId(),
    status: "ACTIVE",
    items,
    booking_id: booking.id,
    event_id: booking.event_id,
    place: place + index,
  }));
}

interface OrderParts {
  experience: Experience;
  booking: Booking;
  tickets: readonly Ticket[];
  wish: BookingWish;
}

function orderFor(desk: Desk, { experience, booking, tickets, wish }: OrderParts): Order {
  const offers = offersOf(experience);
  const plain = tickets.flatMap((ticket) => ticketLines(desk, experience, offers, ticket.id, ticket.items));
  const lines = (wish.discounts ?? []).reduce(discounted, plain);
  return makeOrder(desk, {
    origin: { type: "BOOKING", id: booking.id },
    customer: booking.customer,
    currency: plain[0]?.unit_price.currency ?? "",
    lines: wish.fee ? [...lines, feeLine(desk, experience, wish.fee)] : lines,
    status: wish.checkout ? "PENDING" : "COMPLETED",
    ...optional({ metadata: wish.metadata }),
  });
}

function payAll(desk: Desk, order: Order, payments: readonly PaymentWish[]): Order {
  return payments.reduce((open, payment) => pay(desk, open, payment), order);
}

function payBack(desk: Desk, order: Order, choice: RefundChoice): Order {
  if (choice.refund === "none") return order;
  if (choice.refund === "amount") return refundOrder(desk, order, { amount: choice.amount });
  return refundAll(desk, order, choice.refund === "gift_card" ? "gift_card" : "payment_method");
}

/** Both names, equal (assumption: booking-customer-names). */
export function customerOf({ name, full_name, address, ...rest }: CustomerWish): Customer {
  const known = name ?? full_name ?? rest.company_name ?? "";
  return {
    ...rest,
    name: known,
    full_name: known,
    ...(address ? { address: { address_lines: [], ...address } } : {}),
  } as Customer;
}

function answersOf(
  experience: Experience,
  tickets: readonly Ticket[],
  given: NonNullable<BookingWish["answers"]>,
): Answer[] {
  return given.map(({ ticket, ...answer }, index) => {
    const question = experience.information_requests.find(({ id }) => id === answer.information_request_id);
    if (!question)
      return refuse("INVALID_INPUT", {
        place: `body.answers.${index}`,
        what: `${experience.id} has no information request ${answer.information_request_id}.`,
      });
    if (question.scope === "BOOKING") return answer;
    const about = tickets[ticket ?? 0];
    return about
      ? { ...answer, ticket_id: about.id }
      : refuse("INVALID_INPUT", {
          place: `body.answers.${index}.ticket`,
          what: `the booking has ${tickets.length} tickets.`,
        });
  });
}

/** Only the members that are there. */
export function optional<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
