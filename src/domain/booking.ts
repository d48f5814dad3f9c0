// Placing a booking. Headings "Bookings" and "Booking status"; assumptions: booking-check-order, booking-money,
// booking-transitions, tickets.
import { type AnswerWish, answersOf, mustBeAnswered } from "./answers.ts";
import { itemsOf, readBasket } from "./basket.ts";
import { orderFor, payAll } from "./booking-order.ts";
import { mustBeOpen, mustFit } from "./capacity.ts";
import { type CustomerWish, customerOf } from "./customer.ts";
import type { Desk } from "./desk.ts";
import { after } from "./instant.ts";
import { optional } from "./optional.ts";
import type { DiscountWish } from "./order-line.ts";
import type { PaymentWish } from "./payment.ts";
import type { Booking, BookingFee, Item, Metadata, ScheduledEvent } from "./records.ts";
import { found, refuse } from "./refusal.ts";
import { keepSold } from "./seats.ts";
import { sheetsOf } from "./sheets.ts";
import { sold } from "./sold.ts";
import { ticketsFor } from "./tickets.ts";

export interface BookingWish {
  id?: string;
  event_id: string;
  customer: CustomerWish;
  locale?: string;
  items: readonly Item[];
  metadata?: Metadata;
  source?: string;
  internal_note?: string;
  answers?: readonly AnswerWish[];
  /** Where answers can be given, required ones must be. */
  must_answer?: boolean;
  discounts?: readonly DiscountWish[];
  fee?: BookingFee;
  payments?: readonly PaymentWish[];
  /** What sentences call the event, when nobody knows its id yet. */
  name?: string;
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
  mustFit(desk, event, basket, wish.name);
  keepSold(desk, sold(desk, event, basket));

  const id = wish.id ?? desk.newId();
  const tickets = ticketsFor(desk, { id, event_id: event.id }, sheetsOf(desk, basket));
  const answers = answersOf(experience, tickets, wish.answers ?? []);
  if (wish.must_answer) mustBeAnswered(experience, tickets, answers, " Or set `skip_answers` to true.");
  const booking: Booking = { ...described(desk, event, wish), id, items: itemsOf(basket), answers, order_id: "" };
  const held = { ...booking, lapses_at: after(desk.now, CHECKOUT_LIFE), pending_tickets: tickets };
  const placed = wish.checkout ? held : booking;
  desk.bookings.put(placed);
  if (!wish.checkout) for (const ticket of tickets) desk.tickets.put(ticket);
  const { discounts = [], fee } = wish;
  const status = wish.checkout ? "PENDING" : "COMPLETED";
  const order = orderFor(desk, { experience, booking, tickets, discounts, fee, status });
  const ordered = { ...placed, order_id: order.id };
  desk.bookings.put(ordered);
  desk.tell(wish.checkout ? "booking.started" : "booking.created", id);
  payAll(desk, order, wish.payments ?? []);
  return ordered;
}

function described(desk: Desk, event: ScheduledEvent, wish: BookingWish) {
  const company = found(desk.company.get("company"), "company", "company");
  return {
    status: wish.checkout ? ("PROCESSING" as const) : ("ACTIVE" as const),
    created_at: desk.now,
    updated_at: desk.now,
    company_id: company.company_id,
    experience_id: event.experience_id,
    event_id: event.id,
    customer: customerOf(wish.customer),
    locale: wish.locale ?? company.languages[0] ?? "en",
    ...optional({ source: wish.source, internal_note: wish.internal_note, metadata: wish.metadata }),
  };
}
