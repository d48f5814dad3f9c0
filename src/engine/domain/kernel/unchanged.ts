// Detects updates that change nothing: they emit no fact, and `updated_at` stays. Assumption: no-op-update.
import { isDeepStrictEqual } from "node:util";
import type { Transaction } from "./transaction.ts";

export function isUnchanged<R extends object>(tx: Transaction, before: R, after: R): boolean {
  if (tx.assumes("no-op-update") === "told") return false;
  return isDeepStrictEqual({ ...before, updated_at: "" }, { ...after, updated_at: "" });
}
