// Checks the options of world methods. In TypeScript a misspelt option does not compile; in JavaScript it is rejected here.
import { rejectOption, SettingError, showValue } from "../engine/settings.ts";
import { optional } from "../platform/optional.ts";

const span = ["from", "to", "zone"];

/** The options of each method. */
const OPTIONS = {
  "webhooks.waitFor": ["payload", "times", "timeout"],
  "webhooks.resend": ["copies", "tamper", "to"],
  "the filter of webhooks.resend": ["kind", "since", "failed"],
  requests: ["operation", "status", "limit"],
  log: [
    ...["kinds", "since", "before", "limit", "view", "operation", "status"],
    ...["failed", "touches", "caused_by", "test", "q"],
  ],
  replay: ["set"],
  record: ["since", "until"],
  "books.entries": [...span, "order_id"],
  "books.trialBalance": span,
  "books.reconcile": span,
  fork: ["at"],
  populate: ["seed", "idempotencyKey", "signal"],
};

/** Returns the options. Throws a SettingError for the first unknown option. */
export function checkOptions<T extends object>(method: keyof typeof OPTIONS, given: T | undefined): Partial<T> {
  if (given === undefined) return {};
  if (typeof given !== "object" || given === null)
    throw new SettingError(`The options of ${method} are ${showValue(given)}. Give an object, or nothing.`);
  const known = OPTIONS[method];
  const unknown = Object.keys(optional(given)).find((name) => !known.includes(name));
  if (unknown !== undefined) throw rejectOption(unknown, known, method);
  return given;
}
