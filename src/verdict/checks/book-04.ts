// BOOK-04: a booking that is refused as invalid is corrected, not sent again.
import { type Check, fail, notExercised, pass, warn } from "../check.ts";
import { callsOf, isInjected, type RequestEntry, sameKey, succeeded, told } from "../observed.ts";

export const book04: Check = {
  id: "BOOK-04",
  level: "must",
  title: "A booking that is refused as invalid is corrected",
  done: "Nothing; 400 answers to new bookings are read, with what followed.",
  rule: "A 400 answers a request that breaks the description: metadata beyond 40 and 500 characters, a missing address, a company without a name.",
  advice: "Check the form before the call: address, company name, length of metadata. Show a person what the 400 says.",
  explain: {
    happens:
      "A guest's note has 600 characters, and the booking is refused. The program sends the same again, and the guest never gets a ticket.",
    instead: "A 400 never becomes a 201 by itself. Cut or ask, then send something else.",
    code: `const note = text.slice(0, 500);
if (answer.status === 400) throw new Error(\`the booking is invalid: \${(await answer.json()).message}\`);`,
  },
  judge(observed) {
    const calls = callsOf(observed, "createBooking").filter((request) => !isInjected(request));
    const refused = calls.filter(({ status }) => status === 400);
    if (calls.length === 0) return notExercised("no booking was tried");
    if (refused.length === 0) return pass("no booking was refused as invalid");
    const again = refused.filter((request) => sentAgain(request, calls));
    const evidence = (list: readonly RequestEntry[]) =>
      list.slice(0, 5).map((each) => told(each, `: ${each.message ?? ""}`));
    if (again.length > 0) return fail("an invalid booking was sent again, unchanged", evidence(again));
    const lost = refused.filter((request) => !calls.some((later) => later.seq > request.seq && succeeded(later)));
    if (lost.length === 0) return pass("an invalid booking was corrected");
    return warn("an invalid booking was never corrected; fine where a test means it", evidence(lost));
  },
};

/** The very next booking is the same again. */
function sentAgain(request: RequestEntry, calls: readonly RequestEntry[]): boolean {
  const next = calls.find(({ seq }) => seq > request.seq);
  return next !== undefined && next.status === 400 && sameKey(next) === sameKey(request);
}
