// sandbox check assumptions: finds the assumptions about the service that a program depends on.
import { availableParallelism } from "node:os";
import type { Flip } from "../../verdict/sweep/index.ts";
import { configuredForRuns, createTarget, runStoppable, verdictOptions } from "../check-runs.ts";
import type { Call, Command } from "../command.ts";
import { createLauncher } from "../launch.ts";
import { getText } from "../options.ts";
import { CHECK_FORMATS, readReports, writeCheckReport } from "../reports.ts";
import { toExitCode } from "../stop-signal.ts";

/** Options about checks have no meaning here: a sweep only observes whether the command fails. */
const CHECK_OPTIONS = new Set(["only", "probe", "strict", "profile", "profiles", "baseline", "keep"]);

export const sweep: Command = {
  name: "assumptions",
  summary: "Find out which assumptions a program depends on.",
  arguments: [["<command...>", "The command that runs the program or its tests, after --."]],
  options: verdictOptions.filter(({ name }) => !CHECK_OPTIONS.has(name)),
  configured: configuredForRuns,
  wraps: true,
  epilogue: [
    "The command runs twice unchanged, then with every alternative of the assumptions that",
    "it could depend on, each time in a fresh world with the same seed and clock.",
    "Exit codes: 0 depends on none, 1 depends on some, 2 wrong usage, 3 no result.",
    "",
    "  sandbox check assumptions -- npm test",
  ].join("\n"),
  run: runSweep,
};

async function runSweep({ args, given, terminal, environment }: Call): Promise<number> {
  readReports(given, CHECK_FORMATS);
  const { reportSweep, sweep: run } = await import("../../verdict/sweep/index.ts");
  const running = run({
    ...createTarget({ given, terminal }),
    seed: getText(given, "seed"),
    launch: createLauncher(args, environment),
    flips: await listOverrides(given.list("assume")),
    jobs: (given.value("jobs") as number | undefined) ?? availableParallelism(),
    limitMs: given.number("timeout") * 1000,
    report: (says) => terminal.say(`run: ${says}`),
  });
  const result = await runStoppable(running);
  if (typeof result === "string") return toExitCode(result);
  return writeCheckReport(reportSweep(result, args), { given, terminal });
}

/** Lists all overrides, except for assumptions that --assume sets. */
async function listOverrides(assumed: readonly string[]): Promise<Flip[]> {
  const { listDefaultAssumptions, listBindingOverrides } = await import("../../sandbox.ts");
  const changing = listBindingOverrides();
  const open = listDefaultAssumptions().filter(({ id }) => !assumed.some((each) => each.startsWith(`${id}=`)));
  return open.flatMap(({ id, default: byDefault, alternatives }) =>
    alternatives.map(({ value, meaning }) => ({
      id,
      default: byDefault,
      value,
      meaning,
      // A program can't depend on an override that only changes operations it does not use.
      operations: changing.get(`${id}=${value}`),
    })),
  );
}
