// Checks how a program creates bookings, and how it handles their rejection.
import { countExpectedRepeats, findRepeats } from "../back-off.ts";
import { countRejectedFirst, explainNoBooking, readEventAndGuest } from "../bookings.ts";
import type { Judges } from "../check.ts";
import type { Comparison } from "../comparison.ts";
import { type Harm, type Judgement, judgeHarm, notExercised, pass, undecided, warn } from "../judgement.ts";
import * as log from "../observed.ts";
import { suggestProbe } from "../receiver.ts";

/** These operations show the remaining seats. */
const READS = [
  "getAvailability",
  "listAvailabilities",
  "getEventAvailability",
  "listEventAvailabilities",
  "getEvent",
  "listEvents",
];

/** These four rejections require four different messages to the guest. */
const REASONS = ["EVENT_NOT_ACTIVE", "EVENT_PAST_CUTOFF", "EVENT_EXCLUSIVITY_LOCKED", "NOT_ENOUGH_RESOURCES"];

/** These operations make sense only for a booking that was not moved. */
const LIVE_USES = ["listBookingTickets", "listBookingInformationRequestAnswers"];

export const booking = {
  "BOOK-01": {
    missing: (control) =>
      listLooksBeforeBooking(control).length > 0
        ? undefined
        : "the program does not read the remaining seats before it books",
    // Another client takes all seats after each of the reads, so the program finds none, whichever event it books.
    faults: (control) => {
      const looks = listLooksBeforeBooking(control);
      const operation = looks.at(-1) as string;
      return [{ operation, stale: true, times: looks.filter((each) => each === operation).length }];
    },
    judge(run) {
      const { observed, control } = run;
      // A booking that the control run rejects too does not count.
      const inControl = new Set(findSoldOut(control).map(log.toRequestKey));
      const refused = findSoldOut(observed).filter((each) => !inControl.has(log.toRequestKey(each)));
      if (refused.length === 0) return notExercised("no booking was rejected because too few seats were left");
      const again = refused.map((each) => findRepeats(observed, each));
      const repeated = again.find(
        (attempts) => attempts.length > countExpectedRepeats(control, attempts[0] as log.RequestEntry),
      );
      const [first] = refused as [log.RequestEntry];
      const harm = run.secondBooking ?? findImaginary(run, first);
      if (repeated || harm)
        return judgeHarm(
          repeated ? "a booking of sold-out seats was repeated unchanged" : "after the rejection of a booking",
          log.listEvidence(repeated ?? [first]),
          harm,
        );
      return pass("it did not repeat a booking of sold-out seats", log.listEvidence(refused));
    },
  },

  "BOOK-02": {
    missing: explainNoBooking,
    drills: (control) => {
      // The fault skips bookings that the service rejects anyway.
      const skip = countRejectedFirst(control);
      return REASONS.map((code) => ({
        name: code,
        faults: [{ operation: "createBooking", status: 409, code, skip, times: 1 }],
      }));
    },
    // `judgeAll` decides unless there is a failure.
    judge: (run) => judgeImaginary(run) ?? undecided("", ""),
    judgeAll(runs) {
      const [known] = runs.flatMap((run) => judgeImaginary(run) ?? []);
      if (known) return known;
      const met = runs.filter(({ hits }) => hits.length > 0);
      const [{ control } = {}] = met;
      if (!control || met.length < REASONS.length) return notExercised("no booking was attempted");
      const evidence = met.map(({ hit }) => log.toEvidence(hit, ` ${hit.code}`));
      const asBooked = describeReaction(control, log.findCalls(control, "createBooking").find(log.isSuccess));
      const ways = met.map(({ observed, hit }) => describeReaction(observed, hit));
      if (met.some((run, at) => run.hasSameState !== false && ways[at] === asBooked && run.hasFewerBookings))
        return undecided(
          "after a 409 the program continues as after a success, so whether it noticed the 409 is unknown",
          control.probe === undefined
            ? suggestProbe(control)
            : "let the probe print the bookings, with your own references",
          evidence,
        );
      // The texts that the guest reads can't be observed, but different requests after different codes can.
      const count = new Set(ways).size;
      if (count > 1) return pass(`${count} different reactions to the four codes`, evidence);
      return undecided(
        "the program does the same after each of the four codes",
        "let the next requests or the exit code depend on the code",
        evidence,
      );
    },
  },

  "BOOK-03": {
    lint(logged) {
      const made = log.findCalls(logged, "createBooking").filter(log.isSuccess);
      if (made.length === 0) return notExercised("no booking was created");
      const bare = made.filter(({ request }) => Object.keys(readMetadata(request?.body)).length === 0);
      if (bare.length > 0)
        return warn(
          `${bare.length} of ${made.length} bookings without a reference of your own`,
          log.listEvidence(bare),
        );
      const alike = [...log.groupBy(made, toMetadataKey).values()].find(
        (group) => new Set(group.map((each) => JSON.stringify(readEventAndGuest(each)))).size > 1,
      );
      if (!alike) return pass("every booking has a reference");
      return warn(
        `${alike.length} of ${made.length} bookings, of different guests or events, have the same metadata, so it is no reference`,
        log.listEvidence(alike),
      );
    },
  },

  "BOOK-04": {
    lint(logged) {
      const calls = log.findCalls(logged, "createBooking").filter((request) => !log.isInjected(request));
      const refused = calls.filter(({ status }) => status === 400);
      if (calls.length === 0) return notExercised("no booking was attempted");
      if (refused.length === 0) return notExercised("no booking was rejected as invalid");
      const again = [...log.groupBy(calls, ({ world }) => world).values()].flatMap((inWorld) =>
        inWorld.filter((request, at) => request.status === 400 && isSentAgain(request, inWorld[at + 1])),
      );
      const evidence = (list: readonly log.RequestEntry[]) =>
        list.slice(0, 5).map((each) => log.toEvidence(each, `: ${each.message ?? ""}`));
      if (again.length > 0) return warn("an invalid booking was repeated unchanged", evidence(again));
      // Any later successful booking counts as a correction.
      const lost = calls.slice(calls.findLastIndex(log.isSuccess) + 1).filter(({ status }) => status === 400);
      if (lost.length === 0) return pass("an invalid booking was corrected");
      return warn("an invalid booking was never corrected; ignore this if a test intends it", evidence(lost));
    },
  },

  "BOOK-05": {
    missing: explainNoBooking,
    faults: () => [{ operation: "createBooking", move: true, times: 1 }],
    unmet: () => "no booking was created",
    judge(run) {
      const { observed, hit } = run;
      const old = hit.facts.find(({ fact }) => fact === "booking.created")?.id;
      if (old === undefined) return notExercised("no booking was created");
      const learnt = log.findLater(observed, hit).find((each) => hasMovedStatus(each, old));
      // A program can't fail because of something that it could not know.
      if (!learnt)
        return undecided(
          "the program never read the booking again, so it could not notice the move",
          "let it read its bookings again, or subscribe to v1.booking.updated",
          [log.toEvidence(hit, `: ${old}, then moved`)],
        );
      const stale = log
        .findLater(observed, learnt)
        .filter((each) => LIVE_USES.includes(each.operation ?? "") && each.path.includes(`/${old}/`));
      const evidence = [log.toEvidence(hit, `: ${old}, then moved`), log.toEvidence(learnt, ", says MOVED")];
      if (stale.length > 0)
        return judgeHarm(
          `it continued with ${old}, although a response said MOVED`,
          [...evidence, ...log.listEvidence(stale, `, of ${old}`)],
          run.findInUnchangedState(hit),
        );
      return pass("it did not continue with the id of a moved booking", evidence);
    },
  },
} satisfies Judges<"BOOK">;

/** Lists the reads of remaining seats before the first booking. */
function listLooksBeforeBooking({ requests }: log.Observed): string[] {
  const booking = requests.find((each) => each.operation === "createBooking" && log.isSuccess(each));
  const looks = requests.filter((each) => booking && each.seq < booking.seq && log.isSuccess(each));
  return looks.flatMap(({ operation }) => (operation && READS.includes(operation) ? [operation] : []));
}

const findSoldOut = (observed: log.Observed): log.RequestEntry[] =>
  log.findCalls(observed, "createBooking").filter(({ code }) => code === "NOT_ENOUGH_RESOURCES");

/** The program's own state contains the rejected booking. */
const findImaginary = (run: Comparison, rejected: log.RequestEntry): Harm =>
  run.hasFewerBookings ? run.findInUnchangedState(rejected) : undefined;

function judgeImaginary(run: Comparison): Judgement | undefined {
  const [hit] = run.hits;
  const harm = hit && findImaginary(run, hit);
  return harm ? judgeHarm(`after 409 ${hit.code}`, [log.toEvidence(hit, ` ${hit.code}`)], harm) : undefined;
}

/** Describes what followed the 409 or another request: which operations, and how the program ended. */
function describeReaction(run: log.Observed, hit: log.RequestEntry | undefined): string {
  const later = hit ? log.findLater(run, hit) : [];
  // Requests after the next booking belong to another guest.
  const next = later.findIndex(({ operation }) => operation === "createBooking");
  const calls = later.slice(0, next < 0 ? undefined : next).map(({ operation }) => operation);
  return JSON.stringify([[...new Set(calls)].sort(), log.formatEnding(run)]);
}

const readMetadata = (body: unknown): object => (body as { metadata?: object } | null)?.metadata ?? {};

const toMetadataKey = ({ request, world }: log.RequestEntry): string =>
  log.toSortedJson([world, readMetadata(request?.body)]);

/** The next booking is an exact repetition. */
const isSentAgain = (request: log.RequestEntry, next: log.RequestEntry | undefined): boolean =>
  next?.status === 400 && log.toRequestKey(next) === log.toRequestKey(request);

function hasMovedStatus(request: log.RequestEntry, id: string): boolean {
  if (!log.isSuccess(request)) return false;
  const body = (request.answer?.body ?? {}) as {
    id?: string;
    status?: string;
    items?: readonly { id?: string; status?: string }[];
  };
  return [body, ...(body.items ?? [])].some((each) => each.id === id && each.status === "MOVED");
}
