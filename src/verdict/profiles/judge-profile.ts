// Compares the results of a program with the requirements of its profile, and lists a command that closes each gap.
// Checks that were not exercised or are ignored count as gaps.
import { toCommand } from "../../platform/shell-quoted.ts";
import { isCall, isInjected, isSuccess, type RequestEntry } from "../observed.ts";
import type { Result } from "../result.ts";
import { type Gap, type JudgedProfile, listChecks, type Profile } from "./profile.ts";

/** A result, or the part of it that a written report contains. */
type CheckOutcome = Pick<Result, "id"> & { outcome: string } & Partial<
    Pick<Result, "says" | "add" | "again" | "ignored">
  >;

/** Lists the operations that succeeded without a fault. */
export const listSuccessfulOperations = (requests: readonly RequestEntry[]): Set<string> =>
  new Set(requests.filter((each) => isCall(each) && isSuccess(each) && !isInjected(each)).map(readOperation));

const readOperation = ({ operation }: RequestEntry): string => operation ?? "";

export function judgeProfile(
  profile: Profile,
  seen: ReadonlySet<string>,
  results: readonly CheckOutcome[],
): JudgedProfile {
  const { name, hash, operations, pass } = profile;
  const gaps = [
    ...operations.flatMap((wanted) => findOperationGaps(wanted, seen)),
    ...pass.flatMap((id) => findCheckGaps(id, results)),
  ];
  const of = operations.length + pass.length;
  // The recommended checks are reported separately, and are no gaps.
  const wishes = listChecks(profile)
    .filter((id) => !pass.includes(id))
    .flatMap((id) => findCheckGaps(id, results));
  const others = listFurtherGaps(profile);
  return {
    name,
    for: profile.for,
    hash,
    of,
    met: of - gaps.length,
    gaps,
    wishes,
    ...(others.length > 0 && { besides: others }),
  };
}

/** Lists the requirements that a verdict can't show, with the commands that do. */
function listFurtherGaps({ soak, books }: Profile): Gap[] {
  const gaps: Gap[] = [];
  if (soak) {
    const says = `run by \`sandbox check soak\`, with a probe of ${soak.probe.join(", ")}`;
    gaps.push({ what: "soak", says, close: "sandbox check soak --probe CMD -- <command>" });
  }
  if (books) {
    const says = "compared with the journal by `sandbox books`";
    gaps.push({ what: "books", says, close: "sandbox books compare FILE" });
  }
  return gaps;
}

function findOperationGaps(wanted: string | readonly string[], seen: ReadonlySet<string>): Gap[] {
  const any = [wanted].flat();
  if (any.some((each) => seen.has(each))) return [];
  const says = any.length === 1 ? "no request for it succeeded" : "no request for any of them succeeded";
  return [{ what: any.join(" or "), says, close: `sandbox call ${any[0]} --list` }];
}

function findCheckGaps(id: string, results: readonly CheckOutcome[]): Gap[] {
  const result = results.find((each) => each.id === id);
  const again = toCommand(["sandbox", "check", "--only", id, "--"]);
  if (!result) return [{ what: id, says: "it was not judged", close: `${again} <command>` }];
  const { outcome, says = "", add, ignored } = result;
  // An ignored check shows nothing, even if it passes.
  if (outcome === "pass" && !ignored) return [];
  const why = ignored ? `it is ignored until ${ignored.until}, and a profile does not accept ignored checks` : says;
  const how = [why, add].filter((each) => each !== undefined && each !== "").join("; ");
  return [{ what: id, says: how === "" ? outcome : `${outcome}: ${how}`, close: result.again ?? `${again} <command>` }];
}
