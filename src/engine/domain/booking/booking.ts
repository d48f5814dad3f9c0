// Places a booking. Headings "Bookings" and "Booking status"; assumptions: booking-check-order, booking-money,
// booking-transitions, tickets.

import { optional } from "../../../platform/optional.ts";
import { mustBeOneBooking, mustFit } from "../event/capacity.ts";
import { mustBeOpen } from "../event/opening.ts";
import { keepSold } from "../event/seats.ts";
import { sell, toDemand } from "../event/sold.ts";
import { must } from "../kernel/checks.ts";
import { mustExist, reject } from "../kernel/domain-error.ts";
import { after } from "../kernel/instant.ts";
import type { Booking, BookingFee, Item, Metadata, ScheduledEvent } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import type { DiscountInput } from "../money/order-line.ts";
import type { PaymentInput } from "../money/payment.ts";
import { type AnswerInput, mustBeAnswered, readAnswers } from "./answers.ts";
import { mustDiscountOffers, readBasket } from "./basket.ts";
import { createOrder, payAll } from "./booking-order.ts";
import { type CustomerInput, toCustomer } from "./customer.ts";
import { planTickets } from "./ticket-plan.ts";
import { addTickets } from "./tickets.ts";

export interface BookingInput {
  id?: string;
  event_id: string;
  customer: CustomerInput;
  locale?: string;
  items: readonly Item[];
  metadata?: Metadata;
  source?: string;
  internal_note?: string;
  answers?: readonly AnswerInput[];
  /** Rejects the booking while a required question has no answer. Callers set it if their request can carry answers. */
  must_answer?: boolean;
  discounts?: readonly DiscountInput[];
  fee?: BookingFee;
  payments?: readonly PaymentInput[];
  /** Names the event in messages while it has no id yet. */
  name?: string;
  /** A guest's checkout: it holds seats and is not confirmed yet. */
  checkout?: boolean;
}

/** How long a checkout that was never completed holds its seats. Assumption: checkout-hold. */
const CHECKOUT_LIFE = "PT15M";

/**
 * Checks id, items, state of the event, seats and answers, in the order of booking-check-order. A rejection undoes
 * everything.
 */
export function placeBooking(tx: Transaction, event: ScheduledEvent, input: BookingInput): Booking {
  // A fixture or an act may choose the id; a second record with it would replace the first.
  if (input.id && tx.bookings.get(input.id)) reject("ID_TAKEN", { kind: "booking", id: input.id });
  const experience = mustExist(tx.experiences.get(event.experience_id), "experience", event.experience_id);
  const basket = readBasket(experience, input.items);
  const { discounts = [], fee } = input;
  mustDiscountOffers(experience, discounts);
  // The check is recorded although it passed, so that the explanation of the response lists it.
  must(tx, "INVALID_ITEM", undefined, () => `${input.items.length} of ${input.items.length} items are offered`);
  mustBeOpen(tx, event, experience);
  const demand = toDemand(basket);
  mustBeOneBooking(tx, demand.items);
  mustFit(tx, event, demand, input.name);
  // The seats are taken first; a rejection further down undoes this with the whole transaction.
  keepSold(tx, sell(tx, event, demand));

  const id = input.id ?? tx.newId();
  // The ids of the tickets are derived from that of the booking.
  const tickets = addTickets(tx, { id, event_id: event.id }, planTickets(tx, basket));
  const answers = readAnswers(experience, tickets, input.answers ?? []);
  if (input.must_answer) mustBeAnswered(experience, tickets, answers, " Or set `skip_answers` to true.");
  const booking = buildBooking(tx, event, input, { id, items: demand.items, answers });
  // The tickets of a checkout are kept in its booking: a guest has no ticket before the checkout is completed.
  const placed = input.checkout
    ? { ...booking, lapses_at: after(tx.now, CHECKOUT_LIFE), pending_tickets: tickets }
    : booking;
  tx.bookings.put(placed);
  if (!input.checkout) for (const ticket of tickets) tx.tickets.put(ticket);
  // The order of a checkout is open until the checkout is completed.
  const status = input.checkout ? "PENDING" : "COMPLETED";
  const order = createOrder(tx, { experience, booking, tickets, discounts, fee, status });
  const ordered = { ...placed, order_id: order.id };
  // The booking is stored again with its order, which could only refer to a stored booking.
  tx.bookings.put(ordered);
  // The booking is announced before its payments, so that a receiver knows what is paid for.
  tx.emit(input.checkout ? "booking.started" : "booking.created", id);
  payAll(tx, order, input.payments ?? [], true);
  return ordered;
}

/** Builds the booking, still without its order. */
function buildBooking(
  tx: Transaction,
  event: ScheduledEvent,
  input: BookingInput,
  { id, items, answers }: Pick<Booking, "id" | "items" | "answers">,
): Booking {
  const company = mustExist(tx.company.get("company"), "company", "company");
  return {
    status: input.checkout ? "PROCESSING" : "ACTIVE",
    created_at: tx.now,
    updated_at: tx.now,
    company_id: company.company_id,
    experience_id: event.experience_id,
    event_id: event.id,
    customer: toCustomer(input.customer),
    locale: input.locale ?? company.languages[0] ?? "en",
    ...optional({ source: input.source, internal_note: input.internal_note, metadata: input.metadata }),
    id,
    items,
    answers,
    order_id: "",
  };
}
