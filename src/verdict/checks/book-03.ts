// BOOK-03: a booking carries the program's own reference.
import { type Check, notExercised, pass, warn } from "../check.ts";
import { callsOf, succeeded, told } from "../observed.ts";

export const book03: Check = {
  id: "BOOK-03",
  level: "should",
  title: "A booking carries your own reference",
  done: "Nothing; the metadata of new bookings is read.",
  rule: "`metadata`: custom data of an integrator; there is no idempotency key, so nothing else tells two bookings apart.",
  advice: "Put the number of your own order into `metadata`, so that a lost answer can be looked up.",
  explain: {
    happens:
      "An answer is lost. Was the booking made? Without a mark of your own, two guests with the same name and a booking made twice look the same.",
    instead: "Make the reference before the call, keep it, and send it with the booking.",
    code: `const body = { event_id, customer, items, locale: "da", metadata: { order: order.number } };`,
  },
  judge(observed) {
    const made = callsOf(observed, "createBooking").filter(succeeded);
    if (made.length === 0) return notExercised("no booking was made");
    const bare = made.filter(({ request }) => Object.keys(metadataOf(request?.body)).length === 0);
    if (bare.length === 0) return pass("every booking carries a reference");
    return warn(
      `${bare.length} of ${made.length} bookings without a reference of your own`,
      bare.slice(0, 5).map((each) => told(each)),
    );
  },
};

const metadataOf = (body: unknown): object => (body as { metadata?: object } | null)?.metadata ?? {};
