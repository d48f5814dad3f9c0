// sandbox check assumptions: which of the open questions about the service a program depends on.
import { availableParallelism } from "node:os";
import type { Flip } from "../../verdict/sweep/index.ts";
import { configuredForRuns, verdictOptions } from "../check-options.ts";
import { createTarget, runStoppable } from "../check-runs.ts";
import type { Call, Command } from "../command.ts";
import { createLauncher } from "../launch.ts";
import { getText } from "../options.ts";
import { CHECK_FORMATS, readReports, writeCheckReport } from "../reports.ts";
import { toExitCode } from "../stop-signal.ts";

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
  const { reportSweep } = await import("../../verdict/sweep/report/index.ts");
  const running = run({
    ...createTarget({ given, terminal }),
    ...{
      seed: getText(given, "seed"),
      launch: createLauncher(args, environment),
      flips: await everyFlip(given.list("assume")),
    },
    jobs: (given.value("jobs") as number | undefined) ?? availableParallelism(),
    limitMs: given.number("timeout") * 1000,
    report: (says) => terminal.say(`run: ${says}`),
  });
  const found = await runStoppable(running);
  if (typeof found === "string") return toExitCode(found);
  return writeCheckReport(reportSweep(found, args), { given, terminal });
}

/** What is assumed by an option stays as it is. */
async function everyFlip(assumed: readonly string[]): Promise<Flip[]> {
  const { listDefaultAssumptions, bindingFlips } = await import("../../sandbox.ts");
  // By id=value.
  const changing = bindingFlips();
  const open = listDefaultAssumptions().filter(({ id }) => !assumed.some((each) => each.startsWith(`${id}=`)));
  return open.flatMap(({ id, default: byDefault, alternatives }) =>
    alternatives.map(({ value, meaning }) => ({
      id,
      default: byDefault,
      value,
      meaning,
      // The operations whose part of the document it changes; a program that calls none of them never comes near it.
      operations: changing.get(`${id}=${value}`),
    })),
  );
}
