// Acts on bookings and their tickets. Headings "Bookings", "Order" and "Ticket status".
import { placeBooking } from "../domain/booking/booking.ts";
import { cancelBooking } from "../domain/booking/cancellation.ts";
import { checkIn, undoCheckIn, voidTicket } from "../domain/booking/check-in.ts";
import { moveBooking } from "../domain/booking/move-booking.ts";
import { updateBooking } from "../domain/booking/update-booking.ts";
import { claimSlot, toSlotName } from "../domain/event/timeslots.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { loadBooking, loadEvent, loadExperience, loadOrder, loadTicket } from "../domain/kernel/lookups.ts";
import { showTicket } from "../domain/views.ts";
import { act } from "./act.ts";
import { toBookingInput } from "./booking-input.ts";
import { toMinor } from "./fields.ts";
import { toBookingResult } from "./results.ts";

export const bookingActs = [
  // Unpaid, part-paid or paid, by any provider, with discounts, a fee or a gift card.
  act("bookAsHost", (tx, { event_id, ...input }) => {
    const event = loadEvent(tx, event_id);
    return toBookingResult(tx, placeBooking(tx, event, toBookingInput(tx, event, input, false)));
  }),

  // Booking a free slot of the opening rules creates its event. Assumption: timeslots.
  act("bookTimeslot", (tx, input) => {
    const { experience_id, start_time, location_id, new_event_id, ...rest } = input;
    const experience = loadExperience(tx, experience_id);
    const event = claimSlot(tx, experience, start_time, { locationId: location_id, eventId: new_event_id });
    const name = new_event_id ? {} : { name: toSlotName(start_time) };
    return toBookingResult(tx, placeBooking(tx, event, { ...toBookingInput(tx, event, rest, false), ...name }));
  }),

  // Assumption: availability-shape (only the holder of a locked event may grow).
  act("updateBooking", (tx, { booking_id, ...change }) =>
    toBookingResult(tx, updateBooking(tx, loadBooking(tx, booking_id), change)),
  ),

  // Moves a booking to another event of its experience; the result is the new booking. Assumption: booking-move.
  act("moveBooking", (tx, { booking_id, event_id }) =>
    toBookingResult(tx, moveBooking(tx, loadBooking(tx, booking_id), loadEvent(tx, event_id))),
  ),

  // Assumptions: booking-transitions, cancel-keeps-money.
  act("cancelBooking", (tx, { booking_id, refund = "full", amount }) => {
    const booking = loadBooking(tx, booking_id);
    if (refund !== "amount") {
      if (amount === undefined) return toBookingResult(tx, cancelBooking(tx, booking, { refund }));
      return reject("INVALID_INPUT", {
        path: "body.amount",
        what: `an amount is only allowed with \`refund: amount\`, not with \`refund: ${refund}\`.`,
      });
    }
    if (amount === undefined)
      return reject("INVALID_INPUT", { path: "body.amount", what: "`refund: amount` needs an amount." });
    const { currency } = loadOrder(tx, booking.order_id);
    const minor = toMinor(amount, currency, "body.amount");
    return toBookingResult(tx, cancelBooking(tx, booking, { refund, amount: minor }));
  }),

  act("checkInTicket", (tx, { ticket_id, checked_in_by, method = "MANUAL" }) => {
    const by = checked_in_by ?? tx.company.get("company")?.user_id ?? "";
    return showTicket(tx, checkIn(tx, loadTicket(tx, ticket_id), { checked_in_by: by, method }));
  }),

  act("undoCheckIn", (tx, { ticket_id }) => showTicket(tx, undoCheckIn(tx, loadTicket(tx, ticket_id)))),

  // Frees the seats of the ticket.
  act("voidTicket", (tx, { ticket_id }) => showTicket(tx, voidTicket(tx, loadTicket(tx, ticket_id)))),
];
