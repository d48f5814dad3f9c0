// TOL-03: what is optional may be absent.
import type { Check } from "../check.ts";
import { goesOn } from "../compare.ts";
import { isCall, succeeded } from "../observed.ts";

export const tol03: Check = {
  id: "TOL-03",
  level: "must",
  title: "An absent member does not stop the program",
  done: "Every answer comes without its optional members, and with empty address lines.",
  rule: "A member that is not in `required` may be absent; `address_lines` is empty when there is no street address.",
  advice: "Ask for each optional member before you use it.",
  explain: {
    happens:
      "A guest books without an address. The confirmation reads `customer.address.city`, throws, and is never sent.",
    instead:
      "Use `?.` and a text for what is not there, and let the types from the specification say which members those are.",
    code: `const city = booking.customer.address?.city ?? "";`,
  },
  missing: (control) =>
    control.requests.some((each) => isCall(each) && succeeded(each)) ? undefined : "the program makes no call",
  drills: () => [{ shares: "answers", faults: [{ operation: "*", answer: { leave_out: true }, times: 100_000 }] }],
  judge: (observed, control) => goesOn(observed, control, "optional members absent"),
};
