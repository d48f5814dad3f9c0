// What a program does with what it does not know yet.
import { fail, type Judges, notExercised, pass } from "../check.ts";
import { goesOn } from "../compare.ts";
import { attemptEvidence, attemptsIn, isAccepted, noReceiver } from "../hooks.ts";
import { noCall } from "../observed.ts";

export const tolerance = {
  "TOL-01": {
    missing: noCall,
    drills: () => [
      { shares: "answers", faults: [{ operation: "*", answer: { unknown_value: true }, times: 100_000 }] },
    ],
    judge: (observed, control) => goesOn(observed, control, "an unknown value"),
  },

  "TOL-02": {
    missing: noCall,
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
    judge: (observed, control) => goesOn(observed, control, "unknown members"),
  },

  "TOL-03": {
    missing: noCall,
    drills: () => [{ shares: "answers", faults: [{ operation: "*", answer: { leave_out: true }, times: 100_000 }] }],
    judge: (observed, control) => goesOn(observed, control, "optional members absent"),
  },

  "TOL-04": {
    missing: noReceiver,
    drills: () => [{ faults: [{ name: "unknown_kind", delivery: { do: "unknown_kind" }, times: 1 }] }],
    judge(observed) {
      const attempts = attemptsIn(observed).filter(({ status }) => status !== null);
      const strange = attempts.filter(({ did }) => did !== undefined);
      if (strange.length === 0) return notExercised("no message came to the receiver");
      const evidence = strange.map((each) => attemptEvidence(each));
      if (strange.some((each) => !isAccepted(each)))
        return fail("a message of an unknown kind was not answered 2xx", evidence);
      // One that breaks at a strange message often refuses the next as well.
      const later = attempts.filter(({ did }) => did === undefined);
      const broken = later.filter((each) => !isAccepted(each));
      if (broken.length > 0)
        return fail("after a message of an unknown kind the known ones were refused", [
          ...evidence,
          ...broken.slice(0, 2).map((each) => attemptEvidence(each)),
        ]);
      return pass("a message of an unknown kind was taken", evidence);
    },
  },
} satisfies Judges<"TOL">;
