// The clock: what a move of it did, or would do.
import type { Schemas } from "../../client/control.ts";
import type { Answer } from "../answer.ts";
import { receiptText } from "../terminal/receipt.ts";

const moved: Answer<Schemas["ClockMoved"]> = {
  show: (answer, { given, terminal }) => [receiptText(answer, given.flag("dry-run"), terminal)],
};

const switched: Answer<Schemas["ClockMoved"]> = {
  show: (answer, { terminal }) => [receiptText(answer, false, terminal)],
};

export const clock: Readonly<Record<string, Answer>> = {
  "clock advance": moved,
  "clock set": moved,
  "clock next": moved,
  "clock hold": switched,
  "clock run": switched,
};
