// A host books a free slot of the opening rules, and so makes its event. Assumption: timeslots.
import { placeBooking } from "../domain/booking/booking.ts";
import { claimSlot, slotCalled } from "../domain/event/timeslots.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingInput } from "./booking-input.ts";
import { experienceCalled } from "./named.ts";

export const bookTimeslot = act("bookTimeslot", (tx, input) => {
  const { experience_id, start_time, location_id, new_event_id, ...rest } = input;
  const experience = experienceCalled(tx, experience_id);
  const event = claimSlot(tx, experience, start_time, location_id, new_event_id);
  const name = new_event_id ? {} : { name: slotCalled(start_time) };
  return bookingAnswer(tx, placeBooking(tx, event, { ...bookingInput(tx, event, rest, false), ...name }));
});
