// An update that changes nothing is none: nobody is told, and `updated_at` stays. Assumption: no-op-update.
import { isDeepStrictEqual } from "node:util";
import type { Desk } from "./desk.ts";

export function changesNothing<R extends object>(desk: Desk, before: R, after: R): boolean {
  if (desk.assumes("no-op-update") === "told") return false;
  return isDeepStrictEqual({ ...before, updated_at: "" }, { ...after, updated_at: "" });
}
