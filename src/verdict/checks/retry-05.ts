// RETRY-05: a call has a time-out, and a time-out is a lost answer.

import { bookedTwice, books, twiceTold } from "../booked.ts";
import { type Check, fail, notExercised, pass, warn } from "../check.ts";
import { hits, readOf } from "../compare.ts";
import { readsOf } from "../hooks.ts";
import { cameAt, isInjected, told } from "../observed.ts";

const DELAY_MS = 20_000;
/** What comes so soon was under way. */
const SOON_MS = 200;
/** An answer that was waited for comes after the whole delay. */
const NEARLY_MS = DELAY_MS - 500;

export const retry05: Check = {
  id: "RETRY-05",
  level: "should",
  slow: true,
  title: "A call has a time-out",
  done: `A call is carried out, and answered after ${DELAY_MS / 1000} seconds.`,
  rule: "An answer may never come. After a time-out nobody knows whether the call was carried out, as after a lost answer.",
  advice: "Give every call a time-out of about ten seconds, and treat it as a lost answer.",
  explain: {
    happens:
      "A call hangs. Without a time-out the guest looks at a turning wheel for minutes, and a queue of workers stands still behind one of them.",
    instead: "Give up after ten seconds. For a booking, look for your reference before you repeat it.",
    code: `await fetch(url, { ...options, signal: AbortSignal.timeout(10_000) });`,
  },
  missing: (control) => (books(control) || readOf(control) ? undefined : "the program calls nothing"),
  drills: (control) => {
    const operation = books(control) ? "createBooking" : (readOf(control) as string);
    return [{ faults: [{ operation, when: "after", delay_ms: DELAY_MS, times: 1 }] }];
  },
  judge(observed, control) {
    if (hits(observed) === 0) return notExercised("the call was never made");
    const twice = bookedTwice(observed, control);
    if (twice.length > 0) return fail("after its time-out the program booked again, without looking", twiceTold(twice));
    const hit = observed.requests.find((each) => isInjected(each) || each.duration_ms >= NEARLY_MS);
    if (!hit) return pass("it gave up before the answer came");
    const ofMessages = new Set(observed.messages.flatMap((message) => readsOf(observed, message)));
    const meanwhile = observed.requests.find(
      (each) => !ofMessages.has(each) && cameAt(each) > cameAt(hit) + SOON_MS && cameAt(each) < cameAt(hit) + NEARLY_MS,
    );
    if (meanwhile) return pass("it gave up, and went on, before the answer came", [told(meanwhile)]);
    return warn(`it waited ${DELAY_MS / 1000} s for an answer, and has no shorter time-out`, [
      told(hit, `, after ${Math.round(hit.duration_ms / 1000)} s`),
    ]);
  },
};
