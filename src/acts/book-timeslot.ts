// A host books a free slot of the opening rules, and so makes its event. Assumption: timeslots.
import { placeBooking } from "../domain/booking.ts";
import { claimSlot, slotCalled } from "../domain/timeslots.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingWish } from "./booking-wish.ts";
import { experienceCalled } from "./named.ts";

export const bookTimeslot = act("bookTimeslot", (desk, input) => {
  const { experience_id, start_time, location_id, new_event_id, ...rest } = input;
  const experience = experienceCalled(desk, experience_id);
  const event = claimSlot(desk, experience, start_time, location_id, new_event_id);
  const name = new_event_id ? {} : { name: slotCalled(start_time) };
  return bookingAnswer(desk, placeBooking(desk, event, { ...bookingWish(desk, event, rest, false), ...name }));
});
