// Checks how a program handles unknown values and fields.
import { UNKNOWN_NAME } from "../../platform/unknown-member.ts";
import type { Judges } from "../check.ts";
import { Comparison } from "../comparison.ts";
import { fail, judgeHarm, notExercised, pass } from "../judgement.ts";
import { explainNoCall } from "../observed.ts";
import { findDifference } from "../program-state.ts";
import { explainNoReceiver, isAccepted, listAttemptEvidence, listAttempts } from "../receiver.ts";

export const tolerance = {
  "TOL-01": {
    missing: explainNoCall,
    faults: () => [{ operation: "*", answer: { unknown_value: true }, times: 100_000 }],
    unmet: () => "the program received no response with an unknown value",
    judge: (run) => run.judgeContinuation("an unknown value"),
  },

  "TOL-02": {
    missing: (control) => explainNoCall(control) && explainNoReceiver(control),
    faults: () => [
      { operation: "*", answer: { unknown_members: true }, times: 100_000 },
      // Responses and messages both get new fields over time.
      { name: "unknown_members", delivery: { do: "unknown_members" }, times: 100_000 },
    ],
    judge(run) {
      const { observed, control, hitAttempts: changed } = run;
      const evidence = listAttemptEvidence(changed);
      const refused = changed.filter((each) => !isAccepted(each) && run.isKindAccepted(each.message.kind));
      if (refused.length > 0)
        return fail("a message with unknown fields did not receive 2xx", listAttemptEvidence(refused));
      const hasHit = run.hits.length > 0;
      if (!hasHit && changed.length === 0) return notExercised("the program received no response with unknown fields");
      const going = run.judgeContinuation("unknown fields");
      if (hasHit && going.outcome !== "pass") return going;
      // A program that stores complete responses has the unknown fields too.
      const probe = omitUnknown(observed.probe);
      // The unknown field can't be removed from the inside of a text.
      const isComparable = !JSON.stringify(probe ?? null).includes(UNKNOWN_NAME);
      const other = isComparable ? new Comparison({ ...observed, probe }, control).findOtherState() : undefined;
      const difference = { id: "probe", says: findDifference(probe, control.probe) ?? "no difference" };
      if (other) return judgeHarm("after unknown fields", [...evidence, difference], other);
      return hasHit ? going : pass("messages with unknown fields were accepted", evidence);
    },
  },

  "TOL-03": {
    missing: explainNoCall,
    drills: () => [
      { name: "whole", faults: [{ operation: "*", answer: { leave_out: true }, times: 100_000 }] },
      // The first drill omits complete objects, so this one omits fields inside them.
      { name: "inside", faults: [{ operation: "*", answer: { leave_out_inside: true }, times: 100_000 }] },
    ],
    unmet: () => "the program received no response with missing optional fields",
    judge: (run) => run.judgeContinuation("missing optional fields"),
  },

  "TOL-04": {
    missing: explainNoReceiver,
    faults: () => [{ name: "unknown_kind", delivery: { do: "unknown_kind" }, times: 1 }],
    judge(run) {
      const { observed } = run;
      const attempts = listAttempts(observed).filter(({ status }) => status !== null);
      const strange = attempts.filter(({ did }) => did !== undefined);
      if (strange.length === 0) return notExercised("no message reached the receiver");
      const evidence = listAttemptEvidence(strange);
      if (strange.some((each) => !isAccepted(each)))
        return fail("a message of an unknown kind did not receive 2xx", evidence);
      // A receiver that breaks at an unknown message often rejects the next one as well.
      const later = attempts.filter(({ did }) => did === undefined);
      const broken = later.filter((each) => !isAccepted(each));
      if (broken.length > 0)
        return fail("after a message of an unknown kind the known ones were rejected", [
          ...evidence,
          ...listAttemptEvidence(broken),
        ]);
      if (!run.hasSameEnd) return fail(`after a message of an unknown kind it ended with ${run.ending}`, evidence);
      return pass("a message of an unknown kind was accepted", evidence);
    },
  },
} satisfies Judges<"TOL">;

function omitUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitUnknown);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== UNKNOWN_NAME);
  return Object.fromEntries(members.map(([name, member]) => [name, omitUnknown(member)]));
}
