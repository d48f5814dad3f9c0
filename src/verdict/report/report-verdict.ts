// The report of a verdict.
import { count } from "../../platform/count.ts";
import { formatMs } from "../../platform/duration-text.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import type { Verdict } from "../result.ts";
import { type CheckReport, createReport } from "./check-report.ts";

export function reportVerdict(verdict: Verdict): CheckReport {
  const { sandbox, seed, command, at, took_ms, results, no_verdict, profile, exit_code } = verdict;
  const { version, fixture, flips, specification, register } = sandbox;
  return createReport({
    name: "sandbox check",
    command,
    about: [`seed ${seed}`, count(results.length, "check"), formatMs(took_ms)],
    facts: [
      ["Command", toCommand(command)],
      ["Sandbox", `version ${version}, fixture ${fixture}`],
      ["Specification", `sha256:${specification}`],
      ["Assumptions", `sha256:${register}`],
      ["Changed assumptions", flips.length === 0 ? "none" : flips.join(", ")],
      ["Seed", seed],
      ["Checks", `${results.length}, each in its own world, and two runs without an injected failure`],
      ["Ended", `${at}, after ${formatMs(took_ms)}`],
    ],
    results,
    no_verdict,
    ...(profile ? { profile } : {}),
    version,
    seed,
    at,
    took_ms,
    exit_code,
    document: verdict,
  });
}
