// sandbox check: whether a program is right, judged by what it does when things go wrong.
import { existsSync } from "node:fs";
import { type Schemas, type Server, unwrap } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { readBounded } from "../../platform/bounded-file.ts";
import type { Baseline, Check, Ignore, Verdict } from "../../verdict/index.ts";
import type { Profile } from "../../verdict/profiles/index.ts";
import { configuredForRuns, verdictOptions } from "../check-options.ts";
import { readProfile, selectProfileChecks } from "../check-profile.ts";
import { createTarget, describeProgram, pickChecks, readVerdict, runStoppable, withRunFolders } from "../check-runs.ts";
import type { Call, Command } from "../command.ts";
import { Misuse, readInput } from "../failure.ts";
import { CHECK_FORMATS, readReports, writeCheckReport } from "../reports.ts";
import { toExitCode, waitForStopSignal } from "../stop-signal.ts";
import { showCheckProgress } from "../terminal/progress.ts";

export const verdict: Command = {
  name: "run",
  summary: "Run a program under network and host failures and judge it.",
  arguments: [["<command...>", "The command that runs the program or its tests, after --."]],
  options: verdictOptions,
  configured: configuredForRuns,
  wraps: true,
  epilogue: [
    "The command runs twice as it is, then once for each drill, each time with a fresh",
    "sandbox in its environment as `sandbox exec` gives it. A receiver of webhooks",
    "subscribes itself, or --webhook-url says where it listens; {port} in it is a free",
    "port, which the command finds in PORT.",
    "",
    "With --url the runs take place in worlds of their own in a running sandbox, which",
    "are removed afterwards, also after Ctrl-C; --keep keeps them.",
    "",
    "With --profile the program has to show all that a program of its kind must have",
    "shown: operations that it calls, and checks that it passes. Silence is no pass.",
    "",
    "Checks may be ignored, with a reason and an end, in .sandbox-verdict.yaml.",
    "Exit codes: 0 nothing failed, 1 something did, 2 wrong usage, 3 no verdict: the",
    "program never called, fails by itself or differs from run to run, its probe tells",
    "nothing, or the sandbox of --url was lost.",
    "",
    "  sandbox check -- npm test",
    "  sandbox check --only RETRY --report junit=check.xml -- npm test",
  ].join("\n"),
  run: async (call) => {
    const { checks } = await import("../../verdict/index.ts");
    // A profile says itself which checks count, so the two exclude each other.
    const [only, profile] = [call.given.list("only"), await readProfile(call.given)];
    if (!profile) return judgeProgram(call, pickChecks(checks, only));
    if (only.length > 0)
      throw new Misuse(`--profile ${profile.name} says which checks are judged. Leave out --only, or --profile.`);
    return judgeProgram(call, await selectProfileChecks(profile, checks), profile);
  },
};

/** Runs, judges and reports. */
async function judgeProgram(call: Call, checks: readonly Check[], profile?: Profile): Promise<number> {
  const { given, terminal } = call;
  readReports(given, CHECK_FORMATS);
  const parts = await import("../../verdict/index.ts");
  const { reportVerdict } = await import("../../verdict/report/index.ts");
  // Read before the runs, which take minutes.
  const baseline = readVerdict(given, "baseline", parts.readBaseline);
  const progress = showCheckProgress(terminal);
  const target = createTarget({ given, terminal });
  const keep = given.flag("keep");
  // Without a shared sandbox one is started that lives until Ctrl-C, or nobody could look at the worlds.
  const program = describeProgram(call);
  const own = keep && !target.server ? await target.start({ seed: program.seed }) : undefined;
  const server = own ?? target.server;
  const found = await withRunFolders((freshFolder) => {
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
      today: today(),
      ignores: readIgnoresHere(parts),
    });
    return runStoppable(judging.finally(progress.end));
  });
  if (typeof found === "string") return toExitCode(found);
  await writeCheckReport(reportVerdict(found), { given, terminal });
  for (const line of mendedSince(baseline, found)) terminal.say(line);
  if (keep && server) terminal.say(await keepIn(server, found));
  if (own) {
    terminal.say("It is there until Ctrl-C.");
    await waitForStopSignal();
    await own.close();
  }
  return found.exit_code;
}

/** What the baseline knows and the program now does right. */
const mendedSince = (baseline: Baseline | undefined, { results }: Verdict): string[] =>
  results
    .filter(({ id, outcome }) => outcome === "pass" && baseline?.checks.includes(id))
    .map(({ id }) => `${id} passes now. Write the baseline anew, so that it fails when that is lost.`);

/** In the working folder, so that it is reviewed together with the program. */
const IGNORES = ".sandbox-verdict.yaml";

function readIgnoresHere({ readIgnores, IgnoreError, checks }: typeof import("../../verdict/index.ts")): Ignore[] {
  if (!existsSync(IGNORES)) return [];
  const ids = checks.map(({ id }) => id);
  const read = () => readIgnores(readBounded(IGNORES, { most: 1024 * 1024 }), IGNORES, ids);
  return readInput(read, IGNORES, "", IgnoreError);
}

/** By the calendar of who runs it. */
function today(): string {
  const now = new Date(performance.timeOrigin + performance.now());
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Keeps a verdict in a sandbox, for its console. Says where it is. */
async function keepIn(server: Server, verdict: Verdict): Promise<string> {
  // Of its lists the specification does not say that nobody changes them.
  const body = verdict as unknown as Schemas["Verdict"];
  const { id } = await unwrap(createControl(server).POST("/_sandbox/verdicts", { body }));
  return `Look at it in the console: ${server.url}/_sandbox/ui/verdict/${id}`;
}
