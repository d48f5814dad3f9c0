// Checks what a program does after a response that was lost, late or an error.
import * as backOff from "../back-off.ts";
import { countBookings, countRejectedFirst, explainNoBooking, findRepeatedBookings, hasBooking } from "../bookings.ts";
import type { Drill, Judges } from "../check.ts";
import { fail, judgeHarm, notExercised, pass, undecided, warn } from "../judgement.ts";
import * as log from "../observed.ts";
import { toUnorderedText } from "../program-state.ts";
import { findReads, suggestProbe } from "../receiver.ts";

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
    faults: () => [{ operation: "createBooking", connection: "reset", when: "after", times: 1 }],
    unmet: () => "no booking was attempted",
    judge(run) {
      const { observed, control, hit: lost } = run;
      const evidence = [log.toEvidence(lost, ", response lost, booking kept")];
      const twice = findRepeatedBookings(observed, control);
      const again = twice.filter(({ request }) => request.id !== lost.id);
      if (run.secondBooking)
        return fail(`after a lost response ${run.secondBooking}`, [
          ...evidence,
          ...again.map(({ request, booking }) => log.toEvidence(request, `: ${booking.id}`)),
        ]);
      const looks = log.findLater(observed, lost).filter(isLook);
      // A list that the program also reads in the control run does not show that it looked for the booking. The number
      // of reads says nothing about a program that polls.
      const isPolled = looks.some((each) => backOff.findPollInterval(control, each) !== undefined);
      if (looks.length > countLooksAfterBooking(control) && !isPolled)
        return pass("after a lost response it looked for the booking before it continued", [
          ...evidence,
          log.toEvidence(looks[0] as log.RequestEntry),
        ]);
      const made = lost.facts.find(({ fact }) => fact === "booking.created")?.id ?? "";
      // The probe prints the id of the booking, or the data that the program sent for it.
      const isPrinted = JSON.stringify(observed.probe ?? null).includes(`"${made}"`);
      if (isPrinted || run.findInUnchangedState(lost))
        return pass("after a lost response it knows the booking: its probe prints it", evidence);
      const look = looks.find(({ touched }) => touched.includes(made));
      if (look && run.hasSameEnd)
        return undecided(
          "after a lost response only a list that it reads anyway shows the booking, so whether it looked is unknown",
          `let a test assert that the guest's booking is known after a lost response, or ${suggestProbe(control)}`,
          [...evidence, log.toEvidence(look)],
        );
      return warn(
        "after a lost response it gave up without looking; the booking exists, and the guest has no ticket",
        evidence,
      );
    },
  },

  "RETRY-02": {
    waitMs: 2000,
    missing: backOff.explainNoRead,
    faults: (control) => [{ operation: backOff.chooseRead(control), status: 503, times: 4 }],
    unmet: () => "the read was never sent",
    judge(run) {
      const { observed, control, hit: first } = run;
      // Five attempts show whether the waits grow, and keep the evidence short.
      const attempts = backOff.findRepeats(observed, first).slice(0, 5);
      const gaps = backOff.measureGaps(attempts);
      const turn = backOff.findPollInterval(control, first);
      if (turn === undefined && gaps.length < backOff.countExpectedRepeats(control, first))
        return notExercised("a read that receives 503 is not repeated");
      if (turn !== undefined && backOff.isNextPoll(gaps, turn))
        return notExercised(`it polls every ${turn} ms, so a retry can't be distinguished from a poll`);
      const evidence = attempts.map((each, at) => log.toEvidence(each, at === 0 ? "" : ` after ${gaps[at - 1]} ms`));
      return backOff.judgeWaits(gaps, "503", evidence);
    },
  },

  "RETRY-03": {
    waitMs: RETRY_AFTER_SECONDS * 1000,
    missing: backOff.explainNoRead,
    faults: (control) => [
      { operation: backOff.chooseRead(control), status: 429, retry_after: RETRY_AFTER_SECONDS, times: 1 },
    ],
    unmet: () => "the read was never sent",
    judge(run) {
      const { observed, control, hit } = run;
      const attempts = backOff.findRepeats(observed, hit);
      const isEarly = (each: log.RequestEntry) =>
        log.toArrivalMs(each) > log.toWallMs(hit) + MIN_RESPONSE_MS &&
        log.toArrivalMs(each) < log.toWallMs(hit) + RETRY_AFTER_SECONDS * 1000 - TOLERANCE_MS;
      const early = attempts.slice(1).filter(isEarly);
      // Two parts of a program may send the same request, so only more than that is a repetition.
      const inControl = log.findAlike(control, hit).length - 1;
      const evidence = [
        log.toEvidence(hit, `, Retry-After: ${RETRY_AFTER_SECONDS}`),
        ...early
          .slice(0, 4)
          .map((each) => log.toEvidence(each, `, ${Math.round(log.toArrivalMs(each) - log.toWallMs(hit))} ms later`)),
      ];
      const turn = backOff.findPollInterval(control, hit);
      if (turn !== undefined && early.length > 0)
        return warn(`it polls every ${turn} ms, and read again before Retry-After was over`, evidence);
      if (early.length > inControl)
        return judgeHarm(
          `it repeated ${early.length === 1 ? "once" : `${early.length} times`} before Retry-After was over`,
          evidence,
          run.harm,
        );
      // Other requests of the operation may have been on their way, and their arrival depends on the machine.
      if (!log.findLater(observed, hit).some(({ operation }) => operation === hit.operation))
        return notExercised("the operation was not called again");
      return pass("the request was not repeated before Retry-After was over", evidence);
    },
  },

  "RETRY-04": {
    missing: (control) => (hasBooking(control) ? undefined : backOff.explainNoRead(control)),
    drills: createDrills,
    unmet: (name) => `no request received ${name}`,
    judge(run) {
      const { observed, control, name, hit: first } = run;
      const attempts = backOff.findRepeats(observed, first);
      const evidence = log.listEvidence(attempts);
      const turn = backOff.findPollInterval(control, first);
      if (turn !== undefined)
        return backOff.hasFullPollIntervals(backOff.measureGaps(attempts.slice(0, REJECTED_TIMES)), turn)
          ? pass(`it polls every ${turn} ms, and reads a rejected record again at its next poll`, evidence)
          : warn(`it polls every ${turn} ms, and reads a rejected record again before its next poll`, evidence);
      // The requests that the control run sends too are added.
      if (attempts.length >= backOff.countExpectedRepeats(control, first) + LOOP_TIMES - 1)
        return judgeHarm(
          `${first.operation} received ${name}, and was sent ${attempts.length} times unchanged`,
          evidence,
          run.secondBooking,
        );
      return pass(
        attempts.length > backOff.countExpectedRepeats(control, first)
          ? `a permanently rejected request was sent ${attempts.length} times, and then dropped`
          : "a permanently rejected request is not repeated",
        evidence,
      );
    },
  },

  "RETRY-05": {
    waitMs: DELAY_MS / 2,
    missing: (control) => (hasBooking(control) ? undefined : backOff.explainNoRead(control)),
    faults: (control) => {
      const operation = hasBooking(control) ? "createBooking" : backOff.chooseRead(control);
      // Typical timeouts are about half as long.
      return [{ operation, when: "after", delay_ms: DELAY_MS, times: 1 }];
    },
    judge(run) {
      const { observed } = run;
      if (observed.armed.every(({ hits }) => hits === 0)) return notExercised("the request was never sent");
      const second = run.secondBooking;
      if (second) return judgeHarm("it did not look for the booking after its timeout", [], second);
      const hit = observed.requests.find((each) => log.isInjected(each) || each.duration_ms >= NEARLY_DELAY_MS);
      // A request has no log entry if the program closed the connection.
      if (!hit) return pass("it gave up before the response arrived");
      // Another part of the program reads after messages, so such a read shows no timeout.
      const ofMessages = new Set(observed.messages.flatMap((message) => findReads(observed, message)));
      const next = observed.requests.find(
        (each) =>
          !ofMessages.has(each) &&
          log.toArrivalMs(each) > log.toArrivalMs(hit) + MIN_REACTION_MS &&
          log.toArrivalMs(each) < log.toArrivalMs(hit) + NEARLY_DELAY_MS,
      );
      if (next) return pass("it gave up and continued before the response arrived", [log.toEvidence(next)]);
      return warn(`it waited ${DELAY_MS / 1000} s for a response, and has no shorter timeout`, [
        log.toEvidence(hit, `, after ${Math.round(hit.duration_ms / 1000)} s`),
      ]);
    },
  },

  "RETRY-06": {
    waitMs: 2000,
    missing: explainNoBooking,
    faults: (control) => [
      { operation: "createBooking", status: 503, skip: countRejectedFirst(control), times: 1 },
      // The first fault hits a booking in any case, the second a random part of all requests.
      { operation: "*", status: 503, share: 0.3, times: 1000 },
    ],
    unmet: () => "too few requests for one of them to fail",
    judge(run) {
      const { observed, control } = run;
      const evidence = log.listEvidence(run.hits);
      const second = run.secondBooking;
      if (second) return judgeHarm("it repeated a booking after 503", [], second);
      const missing = countBookings(control) - countBookings(observed);
      // Silence about a lost booking is worse than giving up.
      if (missing > 0 && run.hasSameEnd)
        return fail(`${missing} bookings are missing, and the program ended as if all had succeeded`, evidence);
      if (missing > 0)
        return warn(`${missing} bookings are missing; the program gave up at a 503, and reported it`, evidence);
      // Other swallowed errors are visible in the program's own state only.
      const other = run.hasSameEnd ? run.findOtherState(toUnorderedText) : undefined;
      if (other) return judgeHarm("all bookings exist", evidence, other);
      return pass("all bookings exist", evidence);
    },
  },
} satisfies Judges<"RETRY">;

const isLook = ({ operation }: log.RequestEntry): boolean =>
  operation === "listBookings" || operation === "getBooking" || operation === "listOrders";

/** Counts the looks of the control run after its first booking. */
function countLooksAfterBooking(control: log.Observed): number {
  const first = log.findCalls(control, "createBooking").find(log.isSuccess);
  return first ? log.findLater(control, first).filter(isLook).length : 0;
}

/** Creates a drill for each status that the service may return. */
function createDrills(control: log.Observed): Drill[] {
  const [one, list] = [findOperation(control, "get"), findOperation(control, "list")];
  const booking = hasBooking(control) ? "createBooking" : undefined;
  // The statuses mean a deleted record, a foreign record, a rejected booking and an invalid one.
  const wanted = { 404: one, 403: list ?? one, 409: booking, 400: booking ?? list };
  return Object.entries(wanted).flatMap(([status, operation]): Drill[] => {
    if (operation === undefined) return [];
    const skip = operation === booking ? countRejectedFirst(control) : 0;
    return [{ name: status, faults: [{ operation, status: Number(status), skip, times: REJECTED_TIMES }] }];
  });
}

const findOperation = ({ requests }: log.Observed, beginning: string): string | undefined =>
  requests.find((each) => each.operation?.startsWith(beginning) && each.operation !== "getMe" && log.isSuccess(each))
    ?.operation ?? undefined;
