// sandbox check assumptions: which of the open questions about the service a program depends on.
import { availableParallelism } from "node:os";
import { count } from "../../platform/count.ts";
import { typed } from "../../platform/shell-quoted.ts";
import { type CheckReport, createReport, createResult, type ReportResult } from "../../verdict/report/check-report.ts";
import type { Dependence, Flip, Sweep } from "../../verdict/sweep/index.ts";
import { configuredForRuns, verdictOptions } from "../check-options.ts";
import { targetOf, unlessStopped } from "../check-runs.ts";
import type { Call, Command } from "../command.ts";
import { codeOf } from "../ending.ts";
import { launcher } from "../launch.ts";
import { textOf } from "../options.ts";
import { CHECK_FORMATS, readReports, writeCheckReport } from "../reports.ts";

/** A sweep only asks whether the command fails, so what is about checks has no meaning. */
const OF_THE_VERDICT = new Set(["only", "probe", "strict", "profile", "profiles", "baseline", "keep"]);

export const sweep: Command = {
  name: "assumptions",
  summary: "Find out which assumptions a program depends on.",
  arguments: [["<command...>", "The command that runs the program or its tests, after --."]],
  options: verdictOptions.filter(({ name }) => !OF_THE_VERDICT.has(name)),
  configured: configuredForRuns,
  wraps: true,
  epilogue: [
    "The command runs twice as it is, then once with every other answer of the register",
    "that it comes near. Where it then fails, the answers are halved until those are",
    "found that make it fail. Each run has a fresh world, the same seed and clock.",
    "Exit codes: 0 it depends on none, 1 on some, 2 wrong usage, 3 nothing can be said:",
    "the program never called, fails by itself or differs from run to run, or the",
    "sandbox of --url was lost.",
    "",
    "  sandbox check assumptions -- npm test",
  ].join("\n"),
  run: sweepProgram,
};

async function sweepProgram({ args, given, terminal, environment }: Call): Promise<number> {
  readReports(given, CHECK_FORMATS);
  const { sweep: run } = await import("../../verdict/sweep/index.ts");
  const running = run({
    ...targetOf({ given, terminal }),
    ...{
      seed: textOf(given, "seed"),
      launch: launcher(args, environment),
      flips: await everyFlip(given.list("assume")),
    },
    jobs: (given.value("jobs") as number | undefined) ?? availableParallelism(),
    limitMs: given.number("timeout") * 1000,
    report: (says) => terminal.say(`run: ${says}`),
  });
  const found = await unlessStopped(running);
  if (typeof found === "string") return codeOf(found);
  return writeCheckReport(reportSweep(found, args), { given, terminal });
}

/** What is assumed by an option stays as it is. */
async function everyFlip(assumed: readonly string[]): Promise<Flip[]> {
  const { shippedAssumptions, bindingFlips } = await import("../../sandbox.ts");
  // By id=value.
  const changing = bindingFlips();
  const open = shippedAssumptions().filter(({ id }) => !assumed.some((each) => each.startsWith(`${id}=`)));
  return open.flatMap(({ id, default: byDefault, alternatives }) =>
    alternatives.map(({ value, meaning }) => ({
      ...{ id, default: byDefault, value, meaning },
      // The operations whose part of the document it changes; a program that calls none of them never comes near it.
      operations: changing.get(`${id}=${value}`),
    })),
  );
}

/** What a program depends on fails; the other answers are only counted. */
export function reportSweep(found: Sweep, command: readonly string[]): CheckReport {
  const { depends_on, indifferent, untouched, runs, no_verdict } = found;
  const none = depends_on.length === 0 ? "The program depends on none of the open questions. " : "";
  const others = `${count(indifferent.length, "other answer makes", "other answers make")} no difference`;
  return createReport({
    name: "sandbox check assumptions",
    command,
    results: depends_on.map((each) => toResult(each, command)),
    notes: no_verdict ? [] : [`${none}${others}, ${untouched.length} are never reached; ${count(runs, "run")}.`],
    no_verdict,
    document: found,
  });
}

function toResult({ flips, tests, ended }: Dependence, command: readonly string[]): ReportResult {
  const names = flips.map(({ id, default: byDefault }) => `${id} (${byDefault})`).join(" together with ");
  const [first] = tests;
  const more = tests.length > 1 ? `, and ${count(tests.length - 1, "more test")}` : "";
  const says = first ? `test "${first.name}"${first.says ? `: ${first.says}` : " fails"}${more}` : ended;
  return createResult({
    id: flips.map(({ id, value }) => `${id}=${value}`).join(" "),
    title: `depends on ${names}`,
    outcome: "fail",
    says: `depends on ${names}: ${says}`,
    evidence: flips.map(({ value, meaning }) => ({ id: value, says: meaning })),
    again: `sandbox exec ${flips.map(({ id, value }) => `--assume ${id}=${value}`).join(" ")} -- ${typed(command)}`,
  });
}
