// Checks what a program does after a response that was lost, late or an error.

import {
  countExpectedRepeats,
  findPollInterval,
  findRepeats,
  hasFullPollIntervals,
  isNextPoll,
  judgeWaits,
  measureGaps,
} from "../back-off.ts";
import {
  countBookings,
  countRejectedFirst,
  explainNoBooking,
  findRepeatedBookings,
  formatBooking,
  hasBooking,
} from "../bookings.ts";
import { type Drill, fail, type Judges, notExercised, pass, undecided, warn } from "../check.ts";
import { chooseRead, countHits, explainNoRead, findHits, findLater, hasSameEnd } from "../compare.ts";
import { findHarm, findInUnchangedState, findOtherState, findSecondBooking, judgeHarm } from "../harm.ts";
import {
  type Booking,
  findAlike,
  findCalls,
  isInjected,
  isSuccess,
  listEvidence,
  type Observed,
  type RequestEntry,
  toArrivalMs,
  toEvidence,
  toWallMs,
} from "../observed.ts";
import { findReads, suggestProbe, toUnorderedText } from "../receiver.ts";

const RETRY_AFTER_SECONDS = 2;

/** Clocks and timers are less exact than this. */
const TOLERANCE_MS = 100;

/** A request that arrives sooner was sent before the program could read the response. */
const MIN_RESPONSE_MS = 10;

/** The fault ends after this number of attempts. A program that stops earlier is in no loop. */
const REJECTED_TIMES = 6;

const LOOP_TIMES = 3;

const DELAY_MS = 20_000;

/** A request that arrives sooner was already on its way. */
const MIN_REACTION_MS = 200;

/** A program without a timeout receives the response after the complete delay. */
const NEARLY_DELAY_MS = DELAY_MS - 500;

export const retry = {
  "RETRY-01": {
    missing: explainNoBooking,
    // The booking is created, and the connection is closed before the response, as networks do now and then.
    drills: () => [{ faults: [{ operation: "createBooking", connection: "reset", when: "after", times: 1 }] }],
    judge(observed, control) {
      const [lost] = findHits(observed);
      if (!lost) return notExercised("no booking was attempted");
      const twice = findRepeatedBookings(observed, control);
      const evidence = [toEvidence(lost, ", response lost, booking kept")];
      if (twice.length > 0)
        return fail(`after a lost response the program booked again: ${formatBookings(twice)}`, [
          ...evidence,
          ...listRepeatEvidence(twice, lost),
        ]);
      const looks = findLater(observed, lost).filter(isLook);
      // A list that the program also reads in the control run does not show that it looked for the booking. The number
      // of reads says nothing about a program that polls.
      const isPolled = looks.some((each) => findPollInterval(control, each) !== undefined);
      if (looks.length > countLooksAfterBooking(control) && !isPolled)
        return pass("after a lost response it looked for the booking before it continued", [
          ...evidence,
          toEvidence(looks[0] as RequestEntry),
        ]);
      const made = lost.facts.find(({ fact }) => fact === "booking.created")?.id ?? "";
      if (hasBookingInProbe(observed, control, lost, made))
        return pass("after a lost response it knows the booking: its probe prints it", evidence);
      const look = looks.find(({ touched }) => touched.includes(made));
      if (look && hasSameEnd(observed, control))
        return undecided(
          "after a lost response only a list that it reads anyway shows the booking, so whether it looked is unknown",
          `let a test assert that the guest's booking is known after a lost response, or ${suggestProbe(control)}`,
          [...evidence, toEvidence(look)],
        );
      return warn(
        "after a lost response it gave up without looking; the booking exists, and the guest has no ticket",
        evidence,
      );
    },
  },

  "RETRY-02": {
    missing: explainNoRead,
    drills: (control) => [
      { waitMs: 2000, faults: [{ operation: chooseRead(control) as string, status: 503, times: 4 }] },
    ],
    judge(observed, control) {
      const [first] = findHits(observed);
      if (!first) return notExercised("the read was never sent");
      // Five attempts show whether the waits grow, and keep the evidence short.
      const attempts = findRepeats(observed, first).slice(0, 5);
      const gaps = measureGaps(attempts);
      const turn = findPollInterval(control, first);
      if (turn === undefined && gaps.length < countExpectedRepeats(control, first))
        return notExercised("a read that receives 503 is not repeated");
      if (turn !== undefined && isNextPoll(gaps, turn))
        return notExercised(`it polls every ${turn} ms, so a retry can't be distinguished from a poll`);
      const evidence = attempts.map((each, at) => toEvidence(each, at === 0 ? "" : ` after ${gaps[at - 1]} ms`));
      return judgeWaits(gaps, "503", evidence);
    },
  },

  "RETRY-03": {
    missing: explainNoRead,
    drills: (control) => [
      {
        waitMs: RETRY_AFTER_SECONDS * 1000,
        faults: [{ operation: chooseRead(control) as string, status: 429, retry_after: RETRY_AFTER_SECONDS, times: 1 }],
      },
    ],
    judge(observed, control) {
      const [hit] = findHits(observed);
      if (!hit) return notExercised("the read was never sent");
      const attempts = findRepeats(observed, hit);
      const isEarly = (each: RequestEntry) =>
        toArrivalMs(each) > toWallMs(hit) + MIN_RESPONSE_MS &&
        toArrivalMs(each) < toWallMs(hit) + RETRY_AFTER_SECONDS * 1000 - TOLERANCE_MS;
      const early = attempts.slice(1).filter(isEarly);
      // Two parts of a program may send the same request, so only more than that is a repetition.
      const inControl = findAlike(control, hit).length - 1;
      const evidence = [
        toEvidence(hit, `, Retry-After: ${RETRY_AFTER_SECONDS}`),
        ...early
          .slice(0, 4)
          .map((each) => toEvidence(each, `, ${Math.round(toArrivalMs(each) - toWallMs(hit))} ms later`)),
      ];
      const turn = findPollInterval(control, hit);
      if (turn !== undefined && early.length > 0)
        return warn(`it polls every ${turn} ms, and read again before Retry-After was over`, evidence);
      if (early.length > inControl)
        return judgeHarm(
          `it repeated ${early.length === 1 ? "once" : `${early.length} times`} before Retry-After was over`,
          evidence,
          findHarm(observed, control),
        );
      // Other requests of the operation may have been on their way, and their arrival depends on the machine.
      if (!findLater(observed, hit).some(({ operation }) => operation === hit.operation))
        return notExercised("the operation was not called again");
      return pass("the request was not repeated before Retry-After was over", evidence);
    },
  },

  "RETRY-04": {
    missing: (control) => (hasBooking(control) ? undefined : explainNoRead(control)),
    drills: createDrills,
    judge(observed, control, { name }) {
      const [first] = findHits(observed);
      if (!first) return notExercised(`no request received ${name}`);
      const attempts = findRepeats(observed, first);
      const evidence = listEvidence(attempts);
      const turn = findPollInterval(control, first);
      if (turn !== undefined)
        return hasFullPollIntervals(measureGaps(attempts.slice(0, REJECTED_TIMES)), turn)
          ? pass(`it polls every ${turn} ms, and reads a rejected record again at its next poll`, evidence)
          : warn(`it polls every ${turn} ms, and reads a rejected record again before its next poll`, evidence);
      // The requests that the control run sends too are added.
      if (attempts.length >= countExpectedRepeats(control, first) + LOOP_TIMES - 1)
        return judgeHarm(
          `${first.operation} received ${name}, and was sent ${attempts.length} times unchanged`,
          evidence,
          findSecondBooking(observed, control),
        );
      return pass(
        attempts.length > countExpectedRepeats(control, first)
          ? `a permanently rejected request was sent ${attempts.length} times, and then dropped`
          : "a permanently rejected request is not repeated",
        evidence,
      );
    },
  },

  "RETRY-05": {
    slow: true,
    missing: (control) => (hasBooking(control) ? undefined : explainNoRead(control)),
    drills: (control) => {
      const operation = hasBooking(control) ? "createBooking" : (chooseRead(control) as string);
      // Typical timeouts are about half as long.
      return [{ waitMs: DELAY_MS / 2, faults: [{ operation, when: "after", delay_ms: DELAY_MS, times: 1 }] }];
    },
    judge(observed, control) {
      if (countHits(observed) === 0) return notExercised("the request was never sent");
      const second = findSecondBooking(observed, control);
      if (second) return judgeHarm("it did not look for the booking after its timeout", [], second);
      const hit = observed.requests.find((each) => isInjected(each) || each.duration_ms >= NEARLY_DELAY_MS);
      // A request has no log entry if the program closed the connection.
      if (!hit) return pass("it gave up before the response arrived");
      // Another part of the program reads after messages, so such a read shows no timeout.
      const ofMessages = new Set(observed.messages.flatMap((message) => findReads(observed, message)));
      const next = observed.requests.find(
        (each) =>
          !ofMessages.has(each) &&
          toArrivalMs(each) > toArrivalMs(hit) + MIN_REACTION_MS &&
          toArrivalMs(each) < toArrivalMs(hit) + NEARLY_DELAY_MS,
      );
      if (next) return pass("it gave up and continued before the response arrived", [toEvidence(next)]);
      return warn(`it waited ${DELAY_MS / 1000} s for a response, and has no shorter timeout`, [
        toEvidence(hit, `, after ${Math.round(hit.duration_ms / 1000)} s`),
      ]);
    },
  },

  "RETRY-06": {
    missing: explainNoBooking,
    drills: (control) => [
      {
        waitMs: 2000,
        faults: [
          { operation: "createBooking", status: 503, skip: countRejectedFirst(control), times: 1 },
          // The first fault hits a booking in any case, the second a random part of all requests.
          { operation: "*", status: 503, share: 0.3, times: 1000 },
        ],
      },
    ],
    judge(observed, control) {
      const hit = findHits(observed);
      if (hit.length === 0) return notExercised("too few requests for one of them to fail");
      const evidence = listEvidence(hit);
      const second = findSecondBooking(observed, control);
      if (second) return judgeHarm("it repeated a booking after 503", [], second);
      const missing = countBookings(control) - countBookings(observed);
      // Silence about a lost booking is worse than giving up.
      if (missing > 0 && hasSameEnd(observed, control))
        return fail(`${missing} bookings are missing, and the program ended as if all had succeeded`, evidence);
      if (missing > 0)
        return warn(`${missing} bookings are missing; the program gave up at a 503, and reported it`, evidence);
      // Other swallowed errors are visible in the program's own state only.
      const other = hasSameEnd(observed, control) ? findOtherState(observed, control, toUnorderedText) : undefined;
      if (other) return judgeHarm("all bookings exist", evidence, other);
      return pass("all bookings exist", evidence);
    },
  },
} satisfies Judges<"RETRY">;

const isLook = ({ operation }: RequestEntry): boolean =>
  operation === "listBookings" || operation === "getBooking" || operation === "listOrders";

/** Counts the looks of the control run after its first booking. */
function countLooksAfterBooking(control: Observed): number {
  const first = findCalls(control, "createBooking").find(isSuccess);
  return first ? findLater(control, first).filter(isLook).length : 0;
}

/** The probe prints the id of the booking whose response was lost, or the data that the program sent for it. */
const hasBookingInProbe = (observed: Observed, control: Observed, lost: RequestEntry, made: string): boolean =>
  JSON.stringify(observed.probe ?? null).includes(`"${made}"`) ||
  findInUnchangedState(observed, control, lost) !== undefined;

const formatBookings = (made: readonly { booking: Booking }[]): string =>
  made.map(({ booking }) => formatBooking(booking)).join(" and ");

function listRepeatEvidence(
  made: readonly { request: RequestEntry; booking: Booking }[],
  lost: Observed["requests"][number],
) {
  return made
    .filter(({ request }) => request.id !== lost.id)
    .map(({ request, booking }) => toEvidence(request, `, ${describeLikeness(request, lost)}: ${booking.id}`));
}

/** The bookings are equal for the guest, but the reference may differ between attempts. */
function describeLikeness(one: RequestEntry, other: RequestEntry): string {
  const toBodyText = ({ request }: RequestEntry) => JSON.stringify(request?.body);
  return toBodyText(one) === toBodyText(other) ? "same body" : "same guest and items";
}

/** Creates a drill for each status that the service may return. */
function createDrills(control: Observed): Drill[] {
  const [one, list] = [findOperation(control, "get"), findOperation(control, "list")];
  const booking = hasBooking(control) ? "createBooking" : undefined;
  const wanted: [number, string | undefined][] = [
    // The statuses mean a deleted record, a foreign record, a rejected booking and an invalid one.
    [404, one],
    [403, list ?? one],
    [409, booking],
    [400, booking ?? list],
  ];
  return wanted.flatMap(([status, operation]): Drill[] => {
    if (operation === undefined) return [];
    const skip = operation === booking ? countRejectedFirst(control) : 0;
    const faults = [{ operation, status, skip, times: REJECTED_TIMES }];
    return [{ name: String(status), faults }];
  });
}

const findOperation = ({ requests }: Observed, beginning: string): string | undefined =>
  requests.find((each) => each.operation?.startsWith(beginning) && each.operation !== "getMe" && isSuccess(each))
    ?.operation ?? undefined;
