// BOOK-05: a booking that the host has moved has another id.

import { books } from "../booked.ts";
import { type Check, fail, notExercised, pass, undecided } from "../check.ts";
import { after, hitIn } from "../compare.ts";
import { type RequestEntry, succeeded, told } from "../observed.ts";

/** What is about a booking that lives. */
const LIVE_USES = ["listBookingTickets", "listBookingInformationRequestAnswers"];

export const book05: Check = {
  id: "BOOK-05",
  level: "must",
  title: "A booking that was moved is followed",
  done: "After the program's booking, the host moves it to another event.",
  rule: "`MOVED`: moved to another event, no longer valid for this one. A move creates a new booking; the order connects the two.",
  advice: "When a booking is MOVED, find the new one by its order, and keep that id.",
  explain: {
    happens:
      "The host moves a tour because of a storm. The guest's booking has a new id; the tickets of the old one are void. A program that keeps the old id sends void tickets.",
    instead:
      "Listen to booking messages, read the booking again, and follow MOVED: a journal entry with the old id names the order, whose `origin` is the new booking.",
    code: `const booking = await get(\`/v1/bookings/\${id}\`);
if (booking.status === "MOVED") return replace(id, await bookingOfOrder(order_id));`,
  },
  missing: (control) => (books(control) ? undefined : "the program makes no booking"),
  drills: () => [{ faults: [{ operation: "createBooking", move: true, times: 1 }] }],
  judge(observed) {
    const [hit] = hitIn(observed);
    const old = hit?.facts.find(({ fact }) => fact === "booking.created")?.id;
    if (!hit || old === undefined) return notExercised("no booking was made");
    const learnt = after(observed, hit).find((each) => saysMoved(each, old));
    if (!learnt)
      return undecided(
        "the program never read the booking again, so it could not know",
        "let it read its bookings again, or subscribe to v1.booking.updated",
        [told(hit, `: ${old}, then moved`)],
      );
    const stale = after(observed, learnt).filter(
      (each) => LIVE_USES.includes(each.operation ?? "") && each.path.includes(`/${old}/`),
    );
    const evidence = [told(hit, `: ${old}, then moved`), told(learnt, ", says MOVED")];
    if (stale.length > 0)
      return fail(`it went on with ${old}, though an answer had said MOVED`, [
        ...evidence,
        ...stale.slice(0, 3).map((each) => told(each, `, of ${old}`)),
      ]);
    return pass("it did not go on with the id of a moved booking", evidence);
  },
};

function saysMoved(request: RequestEntry, id: string): boolean {
  if (!succeeded(request)) return false;
  const body = (request.answer?.body ?? {}) as {
    id?: string;
    status?: string;
    items?: readonly { id?: string; status?: string }[];
  };
  return [body, ...(body.items ?? [])].some((each) => each.id === id && each.status === "MOVED");
}
