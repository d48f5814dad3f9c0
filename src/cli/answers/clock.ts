// The clock: what a move of it did, or would do.
import type { Schemas } from "../../client/control.ts";
import type { Answer } from "../answer.ts";
import { receiptText } from "../terminal/receipt.ts";

const moved: Answer<Schemas["ClockMoved"]> = {
  show: (answer, { given, terminal }) => [receiptText(answer, given.flag("dry-run"), terminal)],
};

// Five commands move the clock, and all answer with a receipt.
export const clock = Object.fromEntries(
  ["advance", "set", "next", "hold", "run"].map((how) => [`clock ${how}`, moved as Answer]),
);
