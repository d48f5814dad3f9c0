// TOL-01: a value that nobody knows yet.
import type { Check } from "../check.ts";
import { goesOn } from "../compare.ts";
import { isCall, succeeded } from "../observed.ts";

export const tol01: Check = {
  id: "TOL-01",
  level: "must",
  title: "An unknown value does not stop the program",
  done: "Every answer has, where values are extensible, a value that nobody knows.",
  rule: "New values may be added to enums that carry `x-extensible-enum` at any time; a client must tolerate them.",
  advice: "Give every switch over such a value a default that goes on.",
  explain: {
    happens:
      "The service gets a new payment method. The program's switch has no branch for it and throws, for every order that was paid so.",
    instead: "Show it as “other”, keep the text, and go on.",
    code: `const label = { CARD: "Card", GIFT_CARD: "Gift card" }[transaction.method] ?? "Other";`,
  },
  missing: (control) =>
    control.requests.some((each) => isCall(each) && succeeded(each)) ? undefined : "the program makes no call",
  drills: () => [{ shares: "answers", faults: [{ operation: "*", answer: { unknown_value: true }, times: 100_000 }] }],
  judge: (observed, control) => goesOn(observed, control, "an unknown value"),
};
