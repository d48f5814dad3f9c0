// What a program has shown of what its profile asks for, and the command that closes each gap. Silence is no pass, and neither is an ignore.
import { toCommand } from "../../platform/shell-quoted.ts";
import { isCall, isInjected, type RequestEntry, succeeded } from "../observed.ts";
import type { Result } from "../result.ts";
import { checksOf, type Gap, type Profile, type ProfileJudged } from "./profile.ts";

/** A result, or what a written report has of it. */
type CheckOutcome = Pick<Result, "id"> & { outcome: string } & Partial<
    Pick<Result, "says" | "add" | "again" | "ignored">
  >;

/** The operations that the service itself answered with success. */
export const operationsSeen = (requests: readonly RequestEntry[]): Set<string> =>
  new Set(requests.filter((each) => isCall(each) && succeeded(each) && !isInjected(each)).map(nameOf));

const nameOf = ({ operation }: RequestEntry): string => operation ?? "";

export function judgedBy(profile: Profile, seen: ReadonlySet<string>, results: readonly CheckOutcome[]): ProfileJudged {
  const { name, hash, operations, pass } = profile;
  const gaps = [
    ...operations.flatMap((wanted) => gapOfOperation(wanted, seen)),
    ...pass.flatMap((id) => gapOfCheck(id, results)),
  ];
  const of = operations.length + pass.length;
  // Reported beside the gaps, and never one of them.
  const wishes = checksOf(profile)
    .filter((id) => !pass.includes(id))
    .flatMap((id) => gapOfCheck(id, results));
  const besides = listFurtherGaps(profile);
  return {
    name,
    for: profile.for,
    hash,
    of,
    met: of - gaps.length,
    gaps,
    wishes,
    ...(besides.length > 0 && { besides }),
  };
}

/** What a verdict can't show, with the command that does. */
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

function gapOfOperation(wanted: string | readonly string[], seen: ReadonlySet<string>): Gap[] {
  const any = [wanted].flat();
  if (any.some((each) => seen.has(each))) return [];
  const says = any.length === 1 ? "it was never answered with success" : "none of them was ever answered with success";
  return [{ what: any.join(" or "), says, close: `sandbox call ${any[0]} --list` }];
}

function gapOfCheck(id: string, results: readonly CheckOutcome[]): Gap[] {
  const result = results.find((each) => each.id === id);
  const again = toCommand(["sandbox", "check", "--only", id, "--"]);
  if (!result) return [{ what: id, says: "it was not judged", close: `${again} <command>` }];
  const { outcome, says = "", add, ignored } = result;
  // Whoever ignores a check has not shown what it asks for.
  if (outcome === "pass" && !ignored) return [];
  const why = ignored ? `it is ignored until ${ignored.until}, and a profile knows no ignoring` : says;
  const how = [why, add].filter((each) => each !== undefined && each !== "").join("; ");
  return [{ what: id, says: how === "" ? outcome : `${outcome}: ${how}`, close: result.again ?? `${again} <command>` }];
}
