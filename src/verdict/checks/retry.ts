// What a program does after an answer that was lost, late or a failure.

import {
  countExpectedRepeats,
  findPollInterval,
  findRepeats,
  gapsOf,
  hasFullPollIntervals,
  isNextPoll,
  waitsJudged,
} from "../back-off.ts";
import {
  countBookings,
  countRejectedFirst,
  explainNoBooking,
  findRepeatedBookings,
  formatBooking,
  hasBooking,
} from "../booked.ts";
import { type Drill, fail, type Judges, notExercised, pass, undecided, warn } from "../check.ts";
import { after, chooseRead, countHits, endedAlike, explainNoRead, hitIn } from "../compare.ts";
import { findHarm, findInUnchangedState, findOtherState, findSecondBooking, judgeHarm } from "../harm.ts";
import { inAnyOrder, probeWanted, readsOf } from "../hooks.ts";
import {
  arrivedAt,
  type Booking,
  callsOf,
  evidenceOf,
  findAlike,
  isInjected,
  listEvidence,
  type Observed,
  type RequestEntry,
  succeeded,
  wallOf,
} from "../observed.ts";

const RETRY_AFTER_SECONDS = 2;

/** Clocks and timers are not that exact. */
const TOLERANCE_MS = 100;

/** The same call, sent before the program could read the response. */
const MIN_RESPONSE_MS = 10;

/** As often as a fault lasts; who stops before does not loop. */
const REJECTED_TIMES = 6;

const LOOP_TIMES = 3;

const DELAY_MS = 20_000;

/** What comes so soon was under way. */
const MIN_REACTION_MS = 200;

/** An answer that was waited for comes after the whole delay. */
const NEARLY_DELAY_MS = DELAY_MS - 500;

export const retry = {
  "RETRY-01": {
    missing: explainNoBooking,
    // The booking is carried out and the connection cut before the answer: what every network does now and then.
    drills: () => [{ faults: [{ operation: "createBooking", connection: "reset", when: "after", times: 1 }] }],
    judge(observed, control) {
      const [lost] = hitIn(observed);
      if (!lost) return notExercised("no booking was tried");
      const twice = findRepeatedBookings(observed, control);
      const evidence = [evidenceOf(lost, ", answer lost, kept")];
      if (twice.length > 0)
        return fail(`after a lost answer the program booked again: ${formatBookings(twice)}`, [
          ...evidence,
          ...listRepeatEvidence(twice, lost),
        ]);
      const looks = after(observed, lost).filter(isLook);
      // A list that the program reads anyway is no look: what it does with it can't be seen. Of one that polls a count says nothing.
      const isPolled = looks.some((each) => findPollInterval(control, each) !== undefined);
      if (looks.length > countLooksAfterBooking(control) && !isPolled)
        return pass("after a lost answer it looked before it went on", [
          ...evidence,
          evidenceOf(looks[0] as RequestEntry),
        ]);
      const made = lost.facts.find(({ fact }) => fact === "booking.created")?.id ?? "";
      if (hasBookingInProbe(observed, control, lost, made))
        return pass("after a lost answer it knows the booking: its probe prints it", evidence);
      const look = looks.find(({ touched }) => touched.includes(made));
      if (look && endedAlike(observed, control))
        return undecided(
          "after a lost answer nothing but a list that it reads anyway shows the booking, so whether it looked can't be seen",
          `let a test assert that the guest's booking is known after a lost answer, or ${probeWanted(control)}`,
          [...evidence, evidenceOf(look)],
        );
      return warn(
        "after a lost answer it gave up without looking; the booking is there, and the guest has no ticket",
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
      const [first] = hitIn(observed);
      if (!first) return notExercised("the read was never called");
      // Five show whether waits grow; evidence stays short.
      const attempts = findRepeats(observed, first).slice(0, 5);
      const gaps = gapsOf(attempts);
      const turn = findPollInterval(control, first);
      if (turn === undefined && gaps.length < countExpectedRepeats(control, first))
        return notExercised("a read that answers 503 is not repeated");
      if (turn !== undefined && isNextPoll(gaps, turn))
        return notExercised(
          `it polls, and asks again at its next turn, after ${turn} ms, so no retry can be told from it`,
        );
      const evidence = attempts.map((each, at) => evidenceOf(each, at === 0 ? "" : ` after ${gaps[at - 1]} ms`));
      return waitsJudged(gaps, "503", evidence);
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
      const [hit] = hitIn(observed);
      if (!hit) return notExercised("the read was never called");
      const attempts = findRepeats(observed, hit);
      const isEarly = (each: RequestEntry) =>
        arrivedAt(each) > wallOf(hit) + MIN_RESPONSE_MS &&
        arrivedAt(each) < wallOf(hit) + RETRY_AFTER_SECONDS * 1000 - TOLERANCE_MS;
      const early = attempts.slice(1).filter(isEarly);
      // Two parts of a program may make the same call; only more than that is a repetition.
      const inControl = findAlike(control, hit).length - 1;
      const evidence = [
        evidenceOf(hit, `, Retry-After: ${RETRY_AFTER_SECONDS}`),
        ...early.slice(0, 4).map((each) => evidenceOf(each, `, ${Math.round(arrivedAt(each) - wallOf(hit))} ms later`)),
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
      // Other calls of the operation may have been under way: when they arrive depends on the machine.
      if (!after(observed, hit).some(({ operation }) => operation === hit.operation))
        return notExercised("nothing of that operation was called again");
      return pass("the call was not repeated before Retry-After was over", evidence);
    },
  },

  "RETRY-04": {
    missing: (control) => (hasBooking(control) ? undefined : explainNoRead(control)),
    drills: createDrills,
    judge(observed, control, { name }) {
      const [first] = hitIn(observed);
      if (!first) return notExercised(`nothing was answered ${name}`);
      const attempts = findRepeats(observed, first);
      const evidence = listEvidence(attempts);
      const turn = findPollInterval(control, first);
      if (turn !== undefined)
        return hasFullPollIntervals(gapsOf(attempts.slice(0, REJECTED_TIMES)), turn)
          ? pass(`it polls every ${turn} ms, and reads a refused record again at its next turn`, evidence)
          : warn(`it polls every ${turn} ms, and reads a refused record again before its next turn`, evidence);
      // Beside the times that it sends the same by itself.
      if (attempts.length >= countExpectedRepeats(control, first) + LOOP_TIMES - 1)
        return judgeHarm(
          `${first.operation} answered ${name}, and was sent ${attempts.length} times, unchanged`,
          evidence,
          findSecondBooking(observed, control),
        );
      return pass(
        attempts.length > countExpectedRepeats(control, first)
          ? `what is refused for good was sent ${attempts.length} times, and then left`
          : "what is refused for good is not sent again",
        evidence,
      );
    },
  },

  "RETRY-05": {
    slow: true,
    missing: (control) => (hasBooking(control) ? undefined : explainNoRead(control)),
    drills: (control) => {
      const operation = hasBooking(control) ? "createBooking" : (chooseRead(control) as string);
      // Programs have time-outs of about half as long.
      return [{ waitMs: DELAY_MS / 2, faults: [{ operation, when: "after", delay_ms: DELAY_MS, times: 1 }] }];
    },
    judge(observed, control) {
      if (countHits(observed) === 0) return notExercised("the call was never made");
      const second = findSecondBooking(observed, control);
      if (second) return judgeHarm("it did not look for the booking after its time-out", [], second);
      const hit = observed.requests.find((each) => isInjected(each) || each.duration_ms >= NEARLY_DELAY_MS);
      // A connection that the program closed has no entry of its own.
      if (!hit) return pass("it gave up before the answer came");
      // A read on a message comes from another part of the program, and shows no time-out.
      const ofMessages = new Set(observed.messages.flatMap((message) => readsOf(observed, message)));
      const meanwhile = observed.requests.find(
        (each) =>
          !ofMessages.has(each) &&
          arrivedAt(each) > arrivedAt(hit) + MIN_REACTION_MS &&
          arrivedAt(each) < arrivedAt(hit) + NEARLY_DELAY_MS,
      );
      if (meanwhile) return pass("it gave up, and went on, before the answer came", [evidenceOf(meanwhile)]);
      return warn(`it waited ${DELAY_MS / 1000} s for an answer, and has no shorter time-out`, [
        evidenceOf(hit, `, after ${Math.round(hit.duration_ms / 1000)} s`),
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
          // The first fault hits a booking for certain, the second any of the calls.
          { operation: "*", status: 503, share: 0.3, times: 1000 },
        ],
      },
    ],
    judge(observed, control) {
      const hit = hitIn(observed);
      if (hit.length === 0) return notExercised("too few calls for one of them to fail");
      const evidence = listEvidence(hit);
      const second = findSecondBooking(observed, control);
      if (second) return judgeHarm("it repeated a booking after 503", [], second);
      const missing = countBookings(control) - countBookings(observed);
      // Silence about a lost booking is worse than giving up.
      if (missing > 0 && endedAlike(observed, control))
        return fail(`${missing} bookings are missing, and the program ended as if all were well`, evidence);
      if (missing > 0)
        return warn(`${missing} bookings are missing; the program gave up at a 503, and said so`, evidence);
      // What else was swallowed, such as a read, only the program itself can say.
      const other = endedAlike(observed, control) ? findOtherState(observed, control, inAnyOrder) : undefined;
      if (other) return judgeHarm("all bookings are there", evidence, other);
      return pass("all bookings are there", evidence);
    },
  },
} satisfies Judges<"RETRY">;

const isLook = ({ operation }: RequestEntry): boolean =>
  operation === "listBookings" || operation === "getBooking" || operation === "listOrders";

/** As the control run makes them after its first booking. */
function countLooksAfterBooking(control: Observed): number {
  const first = callsOf(control, "createBooking").find(succeeded);
  return first ? after(control, first).filter(isLook).length : 0;
}

/** Whether the probe prints the booking whose answer was lost, by its id, or as without the failure by what the program sent. */
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
    .map(({ request, booking }) => evidenceOf(request, `, ${describeLikeness(request, lost)}: ${booking.id}`));
}

/** Alike in what makes them one booking; a reference may be of its own for each attempt. */
function describeLikeness(one: RequestEntry, other: RequestEntry): string {
  const toBodyText = ({ request }: RequestEntry) => JSON.stringify(request?.body);
  return toBodyText(one) === toBodyText(other) ? "same body" : "same guest and items";
}

/** Of each status one, where the service may answer it. */
function createDrills(control: Observed): Drill[] {
  const [one, list] = [findOperation(control, "get"), findOperation(control, "list")];
  const booking = hasBooking(control) ? "createBooking" : undefined;
  const wanted: [number, string | undefined][] = [
    // A record that is gone, one that is not the program's, a refused booking, a broken one.
    [404, one],
    [403, list ?? one],
    [409, booking],
    [400, booking ?? list],
  ];
  return wanted.flatMap(([status, operation], at): Drill[] => {
    if (operation === undefined) return [];
    // Two refusals of one operation can't be in one run: the first would hide the second.
    const isFirst = wanted.findIndex((other) => other[1] === operation) === at;
    const skip = operation === booking ? countRejectedFirst(control) : 0;
    const faults = [{ operation, status, skip, times: REJECTED_TIMES }];
    return [{ name: String(status), ...(isFirst ? { shares: "refusals" } : {}), faults }];
  });
}

const findOperation = ({ requests }: Observed, beginning: string): string | undefined =>
  requests.find((each) => each.operation?.startsWith(beginning) && each.operation !== "getMe" && succeeded(each))
    ?.operation ?? undefined;
