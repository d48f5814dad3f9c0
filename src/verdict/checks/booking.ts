// How a program books, and what it makes of a refusal.
import { countExpectedRepeats, findRepeats } from "../back-off.ts";
import { countBookings, countRejectedFirst, explainNoBooking, readEventAndGuest } from "../booked.ts";
import { type Judgement, type Judges, notExercised, pass, undecided, warn } from "../check.ts";
import { after, endingOf, hitIn } from "../compare.ts";
import { findInUnchangedState, findSecondBooking, judgeHarm } from "../harm.ts";
import { probesAlike, probeWanted } from "../hooks.ts";
import {
  callsOf,
  evidenceOf,
  grouped,
  isInjected,
  listEvidence,
  type Observed,
  type RequestEntry,
  sameKey,
  sortFields,
  succeeded,
} from "../observed.ts";

/** By any of these a program can see what is left. */
const READS = [
  "getAvailability",
  "listAvailabilities",
  "getEventAvailability",
  "listEventAvailabilities",
  "getEvent",
  "listEvents",
];

/** Four refusals that ask for four different answers to the guest. */
const REASONS = ["EVENT_NOT_ACTIVE", "EVENT_PAST_CUTOFF", "EVENT_EXCLUSIVITY_LOCKED", "NOT_ENOUGH_RESOURCES"];

/** What is about a booking that lives. */
const LIVE_USES = ["listBookingTickets", "listBookingInformationRequestAnswers"];

export const booking = {
  "BOOK-01": {
    missing: (control) =>
      listLooksBeforeBooking(control).length > 0
        ? undefined
        : "the program does not look at what is left before it books",
    // Whichever it books of those that it has looked at, the seats are gone.
    drills: (control) => {
      const looks = listLooksBeforeBooking(control);
      const operation = looks.at(-1) as string;
      return [{ faults: [{ operation, stale: true, times: looks.filter((each) => each === operation).length }] }];
    },
    judge(observed, control) {
      // What is refused without the drill too is the program's own business.
      const inControl = new Set(findSoldOut(control).map(sameKey));
      const refused = findSoldOut(observed).filter((each) => !inControl.has(sameKey(each)));
      if (refused.length === 0) return notExercised("no booking was refused for want of seats");
      const again = refused.map((each) => findRepeats(observed, each));
      const repeated = again.find(
        (attempts) => attempts.length > countExpectedRepeats(control, attempts[0] as RequestEntry),
      );
      const [first] = refused as [RequestEntry];
      const imaginary = hasFewerBookings(observed, control)
        ? findInUnchangedState(observed, control, first)
        : undefined;
      const harm = findSecondBooking(observed, control) ?? imaginary;
      if (repeated || harm)
        return judgeHarm(
          repeated ? "a booking of what is gone was sent again, unchanged" : "it took a rejected booking for made",
          listEvidence(repeated ?? [first]),
          harm,
        );
      return pass("it did not try what is gone again", listEvidence(refused));
    },
  },

  "BOOK-02": {
    missing: explainNoBooking,
    drills: (control) => {
      // Bookings that the service refuses anyway are not spent on the fault.
      const skip = countRejectedFirst(control);
      return REASONS.map((code) => ({
        name: code,
        faults: [{ operation: "createBooking", status: 409, code, skip, times: 1 }],
      }));
    },
    // Where it is no failure, judgeAll decides.
    judge: (observed, control) => judgeImaginary(observed, control) ?? undecided("", ""),
    judgeAll(runs, control) {
      const [known] = runs.flatMap((run) => judgeImaginary(run, control) ?? []);
      if (known) return known;
      const met = runs.flatMap((run) => hitIn(run).slice(0, 1));
      if (met.length < REASONS.length) return notExercised("no booking was tried");
      const evidence = met.map((each) => evidenceOf(each, ` ${each.code}`));
      const booked = callsOf(control, "createBooking").find(succeeded);
      const asBooked = runs.find(
        (run) => probesAlike(run, control) !== false && describeReaction(run) === describeReaction(control, booked),
      );
      if (asBooked && hasFewerBookings(asBooked, control))
        return undecided(
          "after a 409 the program goes on as after a booking, so it can't be seen whether it takes the 409 for one",
          control.probe === undefined
            ? probeWanted(control)
            : "let the probe print the bookings, with your own references",
          evidence,
        );
      // What the guest reads can't be seen; that the program tells the codes apart can.
      const ways = new Set(runs.map((run) => describeReaction(run)));
      if (ways.size > 1) return pass(`${ways.size} ways to go on after the four codes`, evidence);
      return undecided(
        "the program does the same after each of the four codes",
        "let what follows, or the exit code, differ where it should",
        evidence,
      );
    },
  },

  "BOOK-03": {
    lint(logged) {
      const made = callsOf(logged, "createBooking").filter(succeeded);
      if (made.length === 0) return notExercised("no booking was made");
      const bare = made.filter(({ request }) => Object.keys(readMetadata(request?.body)).length === 0);
      if (bare.length > 0)
        return warn(`${bare.length} of ${made.length} bookings without a reference of your own`, listEvidence(bare));
      const alike = [...grouped(made, toMetadataKey).values()].find(
        (group) => new Set(group.map((each) => JSON.stringify(readEventAndGuest(each)))).size > 1,
      );
      if (!alike) return pass("every booking carries a reference");
      return warn(
        `${alike.length} of ${made.length} bookings, of different guests or events, have the same metadata, so it is no reference`,
        listEvidence(alike),
      );
    },
  },

  "BOOK-04": {
    lint(logged) {
      const calls = callsOf(logged, "createBooking").filter((request) => !isInjected(request));
      const refused = calls.filter(({ status }) => status === 400);
      if (calls.length === 0) return notExercised("no booking was tried");
      if (refused.length === 0) return notExercised("no booking was rejected as invalid");
      const again = [...grouped(calls, ({ world }) => world).values()].flatMap((inWorld) =>
        inWorld.filter((request, at) => request.status === 400 && isSentAgain(request, inWorld[at + 1])),
      );
      const evidence = (list: readonly RequestEntry[]) =>
        list.slice(0, 5).map((each) => evidenceOf(each, `: ${each.message ?? ""}`));
      if (again.length > 0) return warn("an invalid booking was sent again, unchanged", evidence(again));
      // Corrected means that any later booking was taken.
      const lost = calls.slice(calls.findLastIndex(succeeded) + 1).filter(({ status }) => status === 400);
      if (lost.length === 0) return pass("an invalid booking was corrected");
      return warn("an invalid booking was never corrected; fine where a test means it", evidence(lost));
    },
  },

  "BOOK-05": {
    missing: explainNoBooking,
    drills: () => [{ faults: [{ operation: "createBooking", move: true, times: 1 }] }],
    judge(observed, control) {
      const [hit] = hitIn(observed);
      const old = hit?.facts.find(({ fact }) => fact === "booking.created")?.id;
      if (!hit || old === undefined) return notExercised("no booking was made");
      const learnt = after(observed, hit).find((each) => hasMovedStatus(each, old));
      // Nobody can go wrong by what he could not know.
      if (!learnt)
        return undecided(
          "the program never read the booking again, so it could not know",
          "let it read its bookings again, or subscribe to v1.booking.updated",
          [evidenceOf(hit, `: ${old}, then moved`)],
        );
      const stale = after(observed, learnt).filter(
        (each) => LIVE_USES.includes(each.operation ?? "") && each.path.includes(`/${old}/`),
      );
      const evidence = [evidenceOf(hit, `: ${old}, then moved`), evidenceOf(learnt, ", says MOVED")];
      if (stale.length > 0)
        return judgeHarm(
          `it went on with ${old}, though an answer had said MOVED`,
          [...evidence, ...listEvidence(stale, `, of ${old}`)],
          findInUnchangedState(observed, control, hit),
        );
      return pass("it did not go on with the id of a moved booking", evidence);
    },
  },
} satisfies Judges<"BOOK">;

/** The operations by which it looked at what is left, before the first booking. */
function listLooksBeforeBooking({ requests }: Observed): string[] {
  const booking = requests.find((each) => each.operation === "createBooking" && succeeded(each));
  const looks = requests.filter((each) => booking && each.seq < booking.seq && succeeded(each));
  return looks.flatMap(({ operation }) => (operation && READS.includes(operation) ? [operation] : []));
}

const findSoldOut = (observed: Observed): RequestEntry[] =>
  callsOf(observed, "createBooking").filter(({ code }) => code === "NOT_ENOUGH_RESOURCES");

const hasFewerBookings = (observed: Observed, control: Observed): boolean =>
  countBookings(observed) < countBookings(control);

/** A failure where the program says of itself that it has the booking that was rejected. */
function judgeImaginary(observed: Observed, control: Observed): Judgement | undefined {
  const [hit] = hitIn(observed);
  const harm = hit && hasFewerBookings(observed, control) && findInUnchangedState(observed, control, hit);
  if (!harm) return undefined;
  return judgeHarm(`after 409 ${hit.code}`, [evidenceOf(hit, ` ${hit.code}`)], harm);
}

/** What followed the 409, or another request, until the next booking: which operations, and how it ended. */
function describeReaction(run: Observed, hit: RequestEntry | undefined = hitIn(run)[0]): string {
  const later = hit ? after(run, hit) : [];
  // Only up to the next booking: the rest belongs to another guest.
  const next = later.findIndex(({ operation }) => operation === "createBooking");
  const calls = later.slice(0, next < 0 ? undefined : next).map(({ operation }) => operation);
  return JSON.stringify([[...new Set(calls)].sort(), endingOf(run)]);
}

const readMetadata = (body: unknown): object => (body as { metadata?: object } | null)?.metadata ?? {};

const toMetadataKey = ({ request, world }: RequestEntry): string =>
  JSON.stringify([world, sortFields(readMetadata(request?.body))]);

/** The very next booking is the same again. */
const isSentAgain = (request: RequestEntry, next: RequestEntry | undefined): boolean =>
  next?.status === 400 && sameKey(next) === sameKey(request);

function hasMovedStatus(request: RequestEntry, id: string): boolean {
  if (!succeeded(request)) return false;
  const body = (request.answer?.body ?? {}) as {
    id?: string;
    status?: string;
    items?: readonly { id?: string; status?: string }[];
  };
  return [body, ...(body.items ?? [])].some((each) => each.id === id && each.status === "MOVED");
}
