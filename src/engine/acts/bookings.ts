// Acts on bookings and their tickets. Headings "Bookings", "Order" and "Ticket status".
import { placeBooking } from "../domain/booking/booking.ts";
import { cancelBooking } from "../domain/booking/cancellation.ts";
import { checkIn, undoCheckIn, voidTicket } from "../domain/booking/check-in.ts";
import { moveBooking } from "../domain/booking/move-booking.ts";
import { updateBooking } from "../domain/booking/update-booking.ts";
import { claimSlot, slotCalled } from "../domain/event/timeslots.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { bookingById, eventById, experienceById, orderById, ticketById } from "../domain/kernel/lookups.ts";
import { showTicket } from "../domain/views.ts";
import { act } from "./act.ts";
import { bookingInput } from "./booking-input.ts";
import { minorUnits } from "./fields.ts";
import { bookingResult } from "./results.ts";

export const bookingActs = [
  // Unpaid, part-paid or paid, by any provider, with discounts, a fee or a gift card.
  act("bookAsHost", (tx, { event_id, ...input }) => {
    const event = eventById(tx, event_id);
    return bookingResult(tx, placeBooking(tx, event, bookingInput(tx, event, input, false)));
  }),

  // Booking a free slot of the opening rules creates its event. Assumption: timeslots.
  act("bookTimeslot", (tx, input) => {
    const { experience_id, start_time, location_id, new_event_id, ...rest } = input;
    const experience = experienceById(tx, experience_id);
    const event = claimSlot(tx, experience, start_time, { locationId: location_id, eventId: new_event_id });
    const name = new_event_id ? {} : { name: slotCalled(start_time) };
    return bookingResult(tx, placeBooking(tx, event, { ...bookingInput(tx, event, rest, false), ...name }));
  }),

  // Assumption: availability-shape (only the holder of a locked event may grow).
  act("updateBooking", (tx, { booking_id, ...change }) =>
    bookingResult(tx, updateBooking(tx, bookingById(tx, booking_id), change)),
  ),

  // Moves a booking to another event of its experience; the result is the new booking. Assumption: booking-move.
  act("moveBooking", (tx, { booking_id, event_id }) =>
    bookingResult(tx, moveBooking(tx, bookingById(tx, booking_id), eventById(tx, event_id))),
  ),

  // Assumptions: booking-transitions, cancel-keeps-money.
  act("cancelBooking", (tx, { booking_id, refund = "full", amount }) => {
    const booking = bookingById(tx, booking_id);
    if (refund !== "amount") {
      if (amount === undefined) return bookingResult(tx, cancelBooking(tx, booking, { refund }));
      return reject("INVALID_INPUT", {
        path: "body.amount",
        what: `an amount is only allowed with \`refund: amount\`, not with \`refund: ${refund}\`.`,
      });
    }
    if (amount === undefined)
      return reject("INVALID_INPUT", { path: "body.amount", what: "`refund: amount` needs an amount." });
    const { currency } = orderById(tx, booking.order_id);
    const minor = minorUnits(amount, currency, "body.amount");
    return bookingResult(tx, cancelBooking(tx, booking, { refund, amount: minor }));
  }),

  act("checkInTicket", (tx, { ticket_id, checked_in_by, method = "MANUAL" }) => {
    const by = checked_in_by ?? tx.company.get("company")?.user_id ?? "";
    return showTicket(tx, checkIn(tx, ticketById(tx, ticket_id), { checked_in_by: by, method }));
  }),

  act("undoCheckIn", (tx, { ticket_id }) => showTicket(tx, undoCheckIn(tx, ticketById(tx, ticket_id)))),

  // Frees the seats of the ticket.
  act("voidTicket", (tx, { ticket_id }) => showTicket(tx, voidTicket(tx, ticketById(tx, ticket_id)))),
];
