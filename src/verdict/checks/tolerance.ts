// What a program does with what it does not know yet.
import { UNKNOWN_NAME } from "../../platform/unknown-member.ts";
import { fail, type Judges, notExercised, pass } from "../check.ts";
import { endedAlike, endingOf, goesOn } from "../compare.ts";
import { findOtherState, judgeHarm } from "../harm.ts";
import { attemptsIn, isAccepted, isTaken, listAttempts, noReceiver } from "../hooks.ts";
import { noCall } from "../observed.ts";
import { findDifference } from "../program-state.ts";

export const tolerance = {
  "TOL-01": {
    missing: noCall,
    drills: () => [
      { shares: "answers", faults: [{ operation: "*", answer: { unknown_value: true }, times: 100_000 }] },
    ],
    judge: (observed, control) => goesOn(observed, control, "an unknown value"),
  },

  "TOL-02": {
    missing: (control) => noCall(control) && noReceiver(control),
    drills: () => [
      {
        shares: "answers",
        faults: [
          { operation: "*", answer: { unknown_members: true }, times: 100_000 },
          // Answers and messages alike: both grow with the service.
          { name: "unknown_members", delivery: { do: "unknown_members" }, times: 100_000 },
        ],
      },
    ],
    judge(observed, control) {
      const changed = attemptsIn(observed).filter(({ did, status }) => did !== undefined && status !== null);
      const evidence = listAttempts(changed);
      const refused = changed.filter((each) => !isAccepted(each) && isTaken(each.message.kind, control));
      if (refused.length > 0) return fail("a message with unknown members was not answered 2xx", listAttempts(refused));
      const going = goesOn(observed, control, "unknown members");
      if (going.outcome === "fail" || going.outcome === "warn") return going;
      // What the program keeps as it came has them too.
      const probe = omitUnknown(observed.probe);
      // Inside of a text it can't be taken out.
      const isComparable = !JSON.stringify(probe ?? null).includes(UNKNOWN_NAME);
      const other = isComparable ? findOtherState({ ...observed, probe }, control) : undefined;
      const difference = { id: "probe", says: findDifference(probe, control.probe) ?? "no difference" };
      if (other) return judgeHarm("after unknown members", [...evidence, difference], other);
      if (going.outcome === "pass" || changed.length === 0) return going;
      return pass("messages with unknown members were taken", evidence);
    },
  },

  "TOL-03": {
    missing: noCall,
    drills: () => [
      {
        name: "whole",
        shares: "answers",
        faults: [{ operation: "*", answer: { leave_out: true }, times: 100_000 }],
      },
      // With an address that is absent, none is met that is there and lacks a part.
      { name: "inside", faults: [{ operation: "*", answer: { leave_out_inside: true }, times: 100_000 }] },
    ],
    judge: (observed, control) => goesOn(observed, control, "optional members absent"),
  },

  "TOL-04": {
    missing: noReceiver,
    drills: () => [{ faults: [{ name: "unknown_kind", delivery: { do: "unknown_kind" }, times: 1 }] }],
    judge(observed, control) {
      const attempts = attemptsIn(observed).filter(({ status }) => status !== null);
      const strange = attempts.filter(({ did }) => did !== undefined);
      if (strange.length === 0) return notExercised("no message came to the receiver");
      const evidence = listAttempts(strange);
      if (strange.some((each) => !isAccepted(each)))
        return fail("a message of an unknown kind was not answered 2xx", evidence);
      // One that breaks at a strange message often refuses the next as well.
      const later = attempts.filter(({ did }) => did === undefined);
      const broken = later.filter((each) => !isAccepted(each));
      if (broken.length > 0)
        return fail("after a message of an unknown kind the known ones were refused", [
          ...evidence,
          ...listAttempts(broken),
        ]);
      if (!endedAlike(observed, control))
        return fail(`after a message of an unknown kind it ended with ${endingOf(observed)}`, evidence);
      return pass("a message of an unknown kind was taken", evidence);
    },
  },
} satisfies Judges<"TOL">;

function omitUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitUnknown);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== UNKNOWN_NAME);
  return Object.fromEntries(members.map(([name, member]) => [name, omitUnknown(member)]));
}
