// An accountant corrects an account by hand, against ADJUSTMENT. Assumption: posting-rules.
import { recordAdjustment as record } from "../domain/journal.ts";
import { showEntry } from "../domain/shown.ts";
import { companyCurrency, currencyAsked, minorUnits } from "./amount.ts";
import { act } from "./act.ts";

export const recordAdjustment = act("recordAdjustment", (desk, { type, direction, amount, ...references }) => {
  const currency = currencyAsked(amount) ?? companyCurrency(desk);
  const entry = record(desk, { type, direction, amount: minorUnits(amount, currency, "body.amount"), currency, references });
  return showEntry(desk, entry);
});
