// RETRY-01: a lost answer does not book twice.

import { bookedTwice, books } from "../booked.ts";
import { type Check, fail, notExercised, pass, undecided, warn } from "../check.ts";
import { after, endedAlike, hitIn } from "../compare.ts";
import { type Booking, callsOf, type Observed, type RequestEntry, succeeded, told } from "../observed.ts";

export const retry01: Check = {
  id: "RETRY-01",
  level: "must",
  title: "A lost answer does not book twice",
  done: "The first booking is made, and the connection breaks before its answer.",
  rule: "The order is created at once and counts as paid; there is no idempotency key.",
  advice: "Put your own reference into metadata, and look for it before you repeat a booking.",
  explain: {
    happens:
      "The booking is made, and the answer is lost: a proxy restarts, a phone loses its network. The HTTP library, or a well-meant loop around it, sends the POST again. The guest has two bookings and pays twice, and two seats are gone.",
    instead:
      "Never repeat a POST blindly. Give each booking your own reference, and after a lost answer read the newest bookings: when one has the reference, it is yours.",
    code: `async function book(order) {
  const body = { ...order, metadata: { order: order.number } };
  try {
    return await post("/v1/bookings", body);
  } catch (lost) {
    const { items } = await get("/v1/bookings?sort=-created_at&limit=100");
    const made = items.find((booking) => booking.metadata?.order === order.number);
    return made ?? (await post("/v1/bookings", body));
  }
}`,
  },
  missing: (control) => (books(control) ? undefined : "the program makes no booking"),
  drills: () => [{ faults: [{ operation: "createBooking", connection: "reset", when: "after", times: 1 }] }],
  judge(observed, control) {
    const [lost] = hitIn(observed);
    if (!lost) return notExercised("no booking was tried");
    const twice = bookedTwice(observed, control);
    const evidence = [told(lost, ", answer lost, kept")];
    if (twice.length > 0)
      return fail(`after a lost answer the program booked again: ${nameAll(twice)}`, [
        ...evidence,
        ...tellAll(twice, lost),
      ]);
    const looks = after(observed, lost).filter(isLook);
    // A list that the program reads anyway is no look: what it does with it can't be seen.
    if (looks.length > looksAfterBooking(control))
      return pass("after a lost answer it looked before it went on", [...evidence, told(looks[0] as RequestEntry)]);
    const made = lost.facts.find(({ fact }) => fact === "booking.created")?.id ?? "";
    const shown = looks.find(({ answer }) => JSON.stringify(answer?.body ?? null).includes(`"${made}"`));
    if (shown && endedAlike(observed, control))
      return undecided(
        "after a lost answer it did not look at once; a later list shows the booking",
        "let a test assert that the guest's booking is known after a lost answer",
        [...evidence, told(shown)],
      );
    return warn(
      "after a lost answer it gave up without looking; the booking is there, and the guest has no ticket",
      evidence,
    );
  },
};

const isLook = ({ operation }: RequestEntry): boolean =>
  operation === "listBookings" || operation === "getBooking" || operation === "listOrders";

/** As the control run makes them after its first booking. */
function looksAfterBooking(control: Observed): number {
  const first = callsOf(control, "createBooking").find(succeeded);
  return first ? after(control, first).filter(isLook).length : 0;
}

const nameAll = (made: readonly { booking: Booking }[]): string => made.map(({ booking }) => booking.id).join(" and ");

function tellAll(made: readonly { request: RequestEntry; booking: Booking }[], lost: Observed["requests"][number]) {
  return made
    .filter(({ request }) => request.id !== lost.id)
    .map(({ request, booking }) => told(request, `, same body: ${booking.id}`));
}
