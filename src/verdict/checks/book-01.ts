// BOOK-01: the last seat may be gone when the booking comes.

import { attemptsOf, usualTimes } from "../back-off.ts";
import { type Check, fail, notExercised, pass } from "../check.ts";
import { callsOf, type Observed, succeeded, told } from "../observed.ts";

const READS = [
  "getAvailability",
  "listAvailabilities",
  "getEventAvailability",
  "listEventAvailabilities",
  "getEvent",
  "listEvents",
];

export const book01: Check = {
  id: "BOOK-01",
  level: "must",
  title: "A full event is not tried again unchanged",
  done: "Between the program's look at what is left and its booking, somebody else takes all seats.",
  rule: "This request is the authoritative check of availability; `NOT_ENOUGH_RESOURCES` answers a booking of what is gone.",
  advice: "After NOT_ENOUGH_RESOURCES read what is left, and offer that. Never send the same again.",
  explain: {
    happens:
      "Two guests look at the last seat. One books; the other's booking is refused, and the program tries it again and again.",
    instead:
      "What was read a second ago is a hint. The answer to the booking counts: tell the guest, and show what is left now.",
    code: `if (answer.status === 409 && error.code === "NOT_ENOUGH_RESOURCES") {
  return offer(await get(\`/v1/experiences/\${experience}/availabilities\`));
}`,
  },
  missing: (control) => (readBefore(control) ? undefined : "the program does not look at what is left before it books"),
  drills: (control) => [{ faults: [{ operation: readBefore(control) as string, stale: true, times: 1 }] }],
  judge(observed, control) {
    const refused = callsOf(observed, "createBooking").find(({ code }) => code === "NOT_ENOUGH_RESOURCES");
    if (!refused) return notExercised("no booking was refused for want of seats");
    const again = attemptsOf(observed, refused);
    if (again.length > usualTimes(control, refused))
      return fail(
        "a booking of what is gone was sent again, unchanged",
        again.slice(0, 5).map((each) => told(each)),
      );
    return pass("it did not try what is gone again", [told(refused)]);
  },
};

/** The last look before the first booking. */
function readBefore({ requests }: Observed): string | undefined {
  const booking = requests.find((each) => each.operation === "createBooking" && succeeded(each));
  const looks = requests.filter(
    ({ seq, operation }) => booking && seq < booking.seq && READS.includes(operation ?? ""),
  );
  return looks.filter(succeeded).at(-1)?.operation ?? undefined;
}
