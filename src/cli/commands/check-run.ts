// sandbox check, check assumptions and check explain: runs a program repeatedly with injected failures or other assumptions, reports how it
// behaves, and explains the checks.
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type Schemas, type Server, unwrap } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { readBounded } from "../../platform/bounded-file.ts";
import type { Check, Ignore, Verdict } from "../../verdict/index.ts";
import type { Profile } from "../../verdict/profiles/index.ts";
import type { Flip } from "../../verdict/sweep/index.ts";
import { pickChecks, probeOption, profileOptions, readProfile, readVerdict, strictOption } from "../check-options.ts";
import { configuredForRuns, createProbe, runOptions, runProgram, runStoppable } from "../check-runs.ts";
import { type Call, type Command, jsonOption, type Option, option, playerOptions } from "../command.ts";
import { Misuse, readInput } from "../failure.ts";
import { checkReportOption, openCheckReport } from "../reports.ts";
import { showCheckProgress } from "../terminal/progress.ts";
import { formatColumns } from "../terminal/terminal.ts";

/** Except for --report, these have no meaning for assumptions: there, only the exit code of the program counts. */
const checkOptions: readonly Option[] = [
  option.list("only", "a,b", "Run only these checks, such as RETRY-01, or groups, such as RETRY."),
  ...profileOptions,
  probeOption,
  strictOption,
  checkReportOption,
  option.text("baseline", "FILE", "Earlier verdict as JSON. Its failures are known and don't fail again."),
  option.flag("keep", "Keep all worlds and show the verdict in the console (until Ctrl-C without --url)."),
];

const repetitionOptions: readonly Option[] = [
  option.text("seed", "N", "Seed for all random choices.", { default: "7" }),
  option.number("jobs", "N", "Parallel runs; default: the number of cores."),
  option.number("timeout", "S", "Time limit of one run in seconds.", { default: 120 }),
  ...playerOptions,
  ...runOptions,
  jsonOption,
];

export const verdict: Command = {
  name: "run",
  summary: "Test how a program behaves when the network or host fails.",
  arguments: [["<command...>", "The command that runs the program or its tests, after --."]],
  options: [...checkOptions, ...repetitionOptions],
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
  const { given, terminal, environment } = call;
  const write = openCheckReport(call);
  const parts = await import("../../verdict/index.ts");
  const { reportVerdict } = await import("../../verdict/report/index.ts");
  // The baseline is read before the runs, which take minutes.
  const baseline = readVerdict(given, "baseline", parts.readBaseline);
  const progress = showCheckProgress(terminal);
  const settings = {
    checks,
    profile,
    baseline,
    probe: createProbe(given.text("probe"), environment),
    jobs: given.value("jobs") as number | undefined,
    limitMs: given.number("timeout") * 1000,
    strict: given.flag("strict"),
    report: progress.report,
    today: formatToday(),
    ignores: readIgnoresHere(parts),
  };
  return runProgram(call, { options: verdict.options, keep: given.flag("keep") }, async (runs) => {
    const result = await runStoppable(parts.judge({ ...runs, ...settings }).finally(progress.end), runs);
    if (result === undefined) return 0;
    await write(reportVerdict(result));
    for (const { id, outcome } of result.results)
      if (outcome === "pass" && baseline?.checks.includes(id))
        terminal.say(`${id} passes now. Update the baseline, so that a new failure is reported.`);
    if (runs.keep && runs.server) terminal.say(await keepVerdict(runs.server, result));
    return result.exit_code;
  });
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
async function keepVerdict(server: Server, result: Verdict): Promise<string> {
  // The lists of the verdict are read-only, those of the generated type are not.
  const body = result as unknown as Schemas["Verdict"];
  const { id } = await unwrap(createControl(server).POST("/_sandbox/verdicts", { body }));
  return `Open the verdict in the console: ${server.url}/_sandbox/ui/verdict/${id}`;
}

export const sweep: Command = {
  name: "assumptions",
  summary: "Find out which assumptions a program depends on.",
  arguments: [["<command...>", "The command that runs the program or its tests, after --."]],
  options: [checkReportOption, ...repetitionOptions],
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

async function runSweep(call: Call): Promise<number> {
  const { args, given, terminal } = call;
  const write = openCheckReport(call);
  const { reportSweep, sweep: run } = await import("../../verdict/sweep/index.ts");
  const settings = {
    flips: await listOverrides(given.list("assume")),
    jobs: (given.value("jobs") as number | undefined) ?? availableParallelism(),
    limitMs: given.number("timeout") * 1000,
    report: (says: string) => terminal.say(`run: ${says}`),
  };
  return runProgram(call, { options: sweep.options, keep: false }, async (runs) => {
    const result = await runStoppable(run({ ...runs, ...settings }), runs);
    return result ? write(reportSweep(result, args)) : 0;
  });
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

export const explain: Command = {
  name: "explain",
  summary: "List the checks, or explain one.",
  arguments: [["[check]", "Id of a check, such as RETRY-01; default: list all."]],
  options: [jsonOption],
  epilogue: "  sandbox check explain RETRY-01",
  run: showChecks,
};

async function showChecks({ args: [id], given, terminal }: Call): Promise<undefined> {
  const { checks, explainCheck } = await import("../../verdict/index.ts");
  if (id === undefined) {
    const items = checks.map(({ id, level, title, done }) => ({ id, level, title, done }));
    if (given.flag("json")) terminal.json({ items });
    else terminal.print(formatColumns(items.map(({ id, level, title }) => [id, level, title])).join("\n"));
    return;
  }
  const [check] = pickChecks(checks, [id]);
  // An argument such as RETRY selects several checks.
  if (!check || check.id !== id.toUpperCase())
    throw new Misuse(`${id} names several checks. Name one, such as ${check?.id}.`);
  const { title, level, done, rule, harm, advice, explain } = check;
  if (given.flag("json")) terminal.json({ id: check.id, title, level, done, rule, harm, advice, explain });
  else terminal.print(explainCheck(check));
}
