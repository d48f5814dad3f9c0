// A host books a free slot of the opening rules, and so makes its event. Assumption: timeslots.
import { placeBooking } from "../domain/booking.ts";
import { found } from "../domain/refusal.ts";
import { claimSlot } from "../domain/timeslots.ts";
import { wishOf } from "./booking-wish.ts";
import { withOrder } from "./named.ts";
import { act } from "./act.ts";

export const bookTimeslot = act("bookTimeslot", (desk, { experience_id, start_time, location_id, new_event_id, ...input }) => {
  const experience = found(desk.experiences.get(experience_id), "experience", experience_id);
  const event = claimSlot(desk, experience, start_time, location_id, new_event_id);
  return withOrder(placeBooking(desk, event, wishOf(desk, event, { ...input, event_id: event.id }, false)));
});
