// TOL-02: a member that nobody knows yet.
import type { Check } from "../check.ts";
import { goesOn } from "../compare.ts";
import { isCall, succeeded } from "../observed.ts";

export const tol02: Check = {
  id: "TOL-02",
  level: "must",
  title: "An unknown member does not stop the program",
  done: "Every object of every answer and of every webhook has a member that nobody knows.",
  rule: "New members may be added to responses at any time; a client must tolerate them.",
  advice: "Read what you need, and ignore the rest: no strict schemas for what comes from outside.",
  explain: {
    happens:
      "The service adds a member. A parser that is set to strict refuses the whole answer, and the shop is down until somebody deploys.",
    instead: "Let schemas strip or pass unknown members.",
    code: "const Booking = z.object({ id: z.string(), status: z.string() }); // not .strict()",
  },
  missing: (control) =>
    control.requests.some((each) => isCall(each) && succeeded(each)) ? undefined : "the program makes no call",
  drills: () => [
    {
      shares: "answers",
      faults: [
        { operation: "*", answer: { unknown_members: true }, times: 100_000 },
        { name: "unknown_members", delivery: { do: "unknown_members" }, times: 100_000 },
      ],
    },
  ],
  judge: (observed, control) => goesOn(observed, control, "unknown members"),
};
