// All checks, in the order in which they are reported: the words of spec/checks.yaml, each with its judge. Those without drills are linters,
// which read the control run.
import words from "../../contract/generated/checks.json" with { type: "json" };
import type { Check, CheckId, Judge } from "../check.ts";
import { auth } from "./auth.ts";
import { booking } from "./booking.ts";
import { language } from "./language.ts";
import { paging } from "./paging.ts";
import { retry } from "./retry.ts";
import { syncAndTime } from "./sync-and-time.ts";
import { tolerance } from "./tolerance.ts";
import { webhooks } from "./webhooks.ts";

/** It does not compile without a judge for each check, nor with one more. */
const judges: Readonly<Record<CheckId, Judge>> = {
  ...{ ...auth, ...retry, ...booking, ...paging },
  ...{ ...tolerance, ...webhooks, ...syncAndTime, ...language },
};

/** In the order of spec/checks.yaml. */
export const checks: readonly Check[] = (Object.keys(words) as CheckId[]).map((id) => ({
  ...{ id, ...words[id] },
  ...judges[id],
}));
