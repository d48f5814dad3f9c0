// All checks in the order of spec/checks.yaml: their texts, each with its judge.
import words from "../../contract/generated/checks.ts";
import type { Check, CheckId, Judge } from "../check.ts";
import { auth } from "./auth.ts";
import { booking } from "./booking.ts";
import { paging } from "./paging.ts";
import { retry } from "./retry.ts";
import { syncAndTime } from "./sync-and-time.ts";
import { tolerance } from "./tolerance.ts";
import { webhooks } from "./webhooks.ts";

/** A missing or unknown judge does not compile. */
const judges: Readonly<Record<CheckId, Judge>> = {
  ...auth,
  ...retry,
  ...booking,
  ...paging,
  ...tolerance,
  ...webhooks,
  ...syncAndTime,
};

export const checks: readonly Check[] = (Object.keys(words) as CheckId[]).map((id) => ({
  id,
  ...words[id],
  ...judges[id],
}));
