// RETRY-06: a burst of 5xx leaves nothing out, and makes nothing twice.

import { bookedTwice, bookingsLeft, books, refusedFirst, twiceTold } from "../booked.ts";
import { type Check, fail, notExercised, pass, warn } from "../check.ts";
import { endedAlike, hitIn } from "../compare.ts";
import { told } from "../observed.ts";

export const retry06: Check = {
  id: "RETRY-06",
  level: "must",
  title: "A burst of 5xx leaves nothing out",
  done: "The first booking and three of ten calls answer 503, drawn with the seed.",
  rule: "503 says that the request was not carried out; in the end the same must be there as without it.",
  advice: "Repeat what answered 503, and keep what could not be done for later. Never swallow it.",
  explain: {
    happens:
      "For a minute every third call fails. A loop over the day's bookings logs the error and takes the next one; at the end some bookings are missing, and the run was green.",
    instead:
      "Repeat with growing waits. What still fails ends the run in red, or goes to a list that is worked off later.",
    code: `const failed = [];
for (const order of orders) await withRetry(() => book(order)).catch((error) => failed.push({ order, error }));
if (failed.length > 0) throw new AggregateError(failed.map(({ error }) => error));`,
  },
  missing: (control) => (books(control) ? undefined : "the program makes no booking"),
  drills: (control) => [
    {
      faults: [
        { operation: "createBooking", status: 503, skip: refusedFirst(control), times: 1 },
        { operation: "*", status: 503, share: 0.3, times: 1000 },
      ],
    },
  ],
  judge(observed, control) {
    const hit = hitIn(observed);
    if (hit.length === 0) return notExercised("too few calls for one of them to fail");
    const evidence = hit.slice(0, 4).map((each) => told(each));
    const twice = bookedTwice(observed, control);
    if (twice.length > 0) return fail("after 503 the program booked twice", twiceTold(twice));
    const missing = bookingsLeft(control) - bookingsLeft(observed);
    if (missing > 0 && endedAlike(observed, control))
      return fail(`${missing} bookings are missing, and the program ended as if all were well`, evidence);
    if (missing > 0)
      return warn(`${missing} bookings are missing; the program gave up at a 503, and said so`, evidence);
    return pass("all bookings are there", evidence);
  },
};
