// sandbox check: runs a program repeatedly with injected failures and reports how it behaves.
import { existsSync } from "node:fs";
import { type Schemas, type Server, unwrap } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { readBounded } from "../../platform/bounded-file.ts";
import type { Check, Ignore, Verdict } from "../../verdict/index.ts";
import type { Profile } from "../../verdict/profiles/index.ts";
import {
  configuredForRuns,
  createTarget,
  describeProgram,
  pickChecks,
  readProfile,
  readVerdict,
  runStoppable,
  verdictOptions,
  withRunFolders,
} from "../check-runs.ts";
import type { Call, Command } from "../command.ts";
import { Misuse, readInput } from "../failure.ts";
import { CHECK_FORMATS, readReports, writeCheckReport } from "../reports.ts";
import { toExitCode, waitForStopSignal } from "../stop-signal.ts";
import { showCheckProgress } from "../terminal/progress.ts";

export const verdict: Command = {
  name: "run",
  summary: "Test how a program behaves when the network or host fails.",
  arguments: [["<command...>", "The command that runs the program or its tests, after --."]],
  options: verdictOptions,
  configured: configuredForRuns,
  wraps: true,
  epilogue: [
    "The command runs twice without failures, then once per check, each time with a fresh",
    "sandbox in its environment (see `sandbox exec`). {port} in --webhook-url becomes a free",
    "port, which the command finds in PORT. With --url each run gets its own world there.",
    "",
    "To ignore a check, list it with a reason and an end date in .sandbox-verdict.yaml.",
    "Exit codes: 0 no check failed, 1 a check failed, 2 wrong usage, 3 no verdict.",
    "",
    "  sandbox check -- npm test",
    "  sandbox check --only RETRY --report junit=check.xml -- npm test",
  ].join("\n"),
  run: async (call) => {
    const { checks } = await import("../../verdict/index.ts");
    const only = call.given.list("only");
    const profile = await readProfile(call.given);
    if (profile && only.length > 0)
      throw new Misuse(`--profile ${profile.name} selects the checks itself. Leave out --only or --profile.`);
    const named = profile && (await import("../../verdict/profiles/index.ts")).listChecks(profile);
    const picked = named ? checks.filter(({ id }) => named.includes(id)) : pickChecks(checks, only);
    return judgeProgram(call, picked, profile);
  },
};

async function judgeProgram(call: Call, checks: readonly Check[], profile?: Profile): Promise<number> {
  const { given, terminal } = call;
  readReports(given, CHECK_FORMATS);
  const parts = await import("../../verdict/index.ts");
  const { reportVerdict } = await import("../../verdict/report/index.ts");
  // The baseline is read before the runs, which take minutes.
  const baseline = readVerdict(given, "baseline", parts.readBaseline);
  const progress = showCheckProgress(terminal);
  const target = createTarget({ given, terminal });
  const keep = given.flag("keep");
  // Kept worlds need a sandbox that runs until Ctrl-C.
  const program = describeProgram(call);
  const ownSandbox = keep && !target.server ? await target.start({ seed: program.seed }) : undefined;
  const server = ownSandbox ?? target.server;
  const result = await withRunFolders((freshFolder) => {
    const judging = parts.judge({
      ...target,
      ...program,
      server,
      keep,
      freshFolder,
      checks,
      profile,
      baseline,
      jobs: given.value("jobs") as number | undefined,
      limitMs: given.number("timeout") * 1000,
      strict: given.flag("strict"),
      report: progress.report,
      today: formatToday(),
      ignores: readIgnoresHere(parts),
    });
    return runStoppable(judging.finally(progress.end));
  });
  if (typeof result === "string") return toExitCode(result);
  await writeCheckReport(reportVerdict(result), { given, terminal });
  for (const { id, outcome } of result.results)
    if (outcome === "pass" && baseline?.checks.includes(id))
      terminal.say(`${id} passes now. Update the baseline, so that a new failure is reported.`);
  if (keep && server) terminal.say(await keepVerdict(server, result));
  if (ownSandbox) {
    terminal.say("The sandbox runs until Ctrl-C.");
    await waitForStopSignal();
    await ownSandbox.close();
  }
  return result.exit_code;
}

/** The file is in the working folder, so that it is reviewed together with the program. */
const IGNORE_FILE = ".sandbox-verdict.yaml";

function readIgnoresHere({ readIgnores, IgnoreError, checks }: typeof import("../../verdict/index.ts")): Ignore[] {
  if (!existsSync(IGNORE_FILE)) return [];
  const ids = checks.map(({ id }) => id);
  const read = () => readIgnores(readBounded(IGNORE_FILE, { most: 1024 * 1024 }), IGNORE_FILE, ids);
  return readInput(read, IGNORE_FILE, "", IgnoreError);
}

/** Returns the local date, because the user wrote the end dates. */
function formatToday(): string {
  const now = new Date(performance.timeOrigin + performance.now());
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Stores a verdict in a sandbox. Returns a sentence with its address in the console. */
async function keepVerdict(server: Server, verdict: Verdict): Promise<string> {
  // The lists of the verdict are read-only, those of the generated type are not.
  const body = verdict as unknown as Schemas["Verdict"];
  const { id } = await unwrap(createControl(server).POST("/_sandbox/verdicts", { body }));
  return `Open the verdict in the console: ${server.url}/_sandbox/ui/verdict/${id}`;
}
