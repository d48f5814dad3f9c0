// BOOK-02: the four reasons for which an event can't be booked are told apart.

import { books, refusedFirst } from "../booked.ts";
import { type Check, notExercised, pass, undecided } from "../check.ts";
import { after, endingOf, hitIn } from "../compare.ts";
import { type Observed, told } from "../observed.ts";

const CODES = ["EVENT_NOT_ACTIVE", "EVENT_PAST_CUTOFF", "EVENT_EXCLUSIVITY_LOCKED", "NOT_ENOUGH_RESOURCES"];

export const book02: Check = {
  id: "BOOK-02",
  level: "must",
  title: "The reasons of a 409 are told apart",
  done: "A booking answers 409 with each of its four codes, once.",
  rule: `When several reasons apply, the code is the first of these: ${CODES.map((code) => `\`${code}\``).join(", ")}.`,
  advice: "Branch on `code`: another event, a later one, fewer seats; and treat an unknown code by its status.",
  explain: {
    happens:
      "Each 409 becomes “sold out”. A guest who asked for six of five seats goes away, though five would have done; one who came after the cut-off tries again all evening.",
    instead: "Say what the code says, and offer what helps.",
    code: `switch (error.code) {
  case "NOT_ENOUGH_RESOURCES": return offerFewer(await seatsLeft(event));
  case "EVENT_PAST_CUTOFF": return offerLater(event);
  case "EVENT_NOT_ACTIVE": case "EVENT_EXCLUSIVITY_LOCKED": return offerAnother(event);
  default: throw error;
}`,
  },
  missing: (control) => (books(control) ? undefined : "the program makes no booking"),
  drills: (control) => {
    const skip = refusedFirst(control);
    return CODES.map((code) => ({
      name: code,
      faults: [{ operation: "createBooking", status: 409, code, skip, times: 1 }],
    }));
  },
  judge: () => undecided("", ""),
  judgeAll(runs) {
    const met = runs.flatMap((run) => hitIn(run).slice(0, 1));
    if (met.length < CODES.length) return notExercised("no booking was tried");
    const evidence = met.map((each) => told(each, ` ${each.code}`));
    const ways = new Set(runs.map(wayOf));
    if (ways.size > 1) return pass(`${ways.size} ways to go on after the four codes`, evidence);
    return undecided(
      "the program does the same after each of the four codes",
      "let what follows, or the exit code, differ where it should",
      evidence,
    );
  },
};

/** What followed the 409 until the next booking: which operations, and how it ended. */
function wayOf(run: Observed): string {
  const [hit] = hitIn(run);
  const later = hit ? after(run, hit) : [];
  const next = later.findIndex(({ operation }) => operation === "createBooking");
  const calls = later.slice(0, next < 0 ? undefined : next).map(({ operation }) => operation);
  return JSON.stringify([[...new Set(calls)].sort(), endingOf(run)]);
}
