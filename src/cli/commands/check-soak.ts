// sandbox check soak: simulates a month of bookings and failures in a minute, then compares the state of the program with the sandbox.
import { count } from "../../platform/count.ts";
import type { Scope, Soak, SoakOptions } from "../../verdict/soak/index.ts";
import { configuredForRuns, probeOption, runOptions } from "../check-options.ts";
import { createTarget, describeProgram, toUnjudged, withRunFolders } from "../check-runs.ts";
import { type Call, type Command, jsonOption, type Option, option, playerOptions } from "../command.ts";
import { Misuse, rejectUnknown } from "../failure.ts";
import { getText } from "../options.ts";
import { CHECK_FORMATS, checkReportOption, readReports, writeCheckReport } from "../reports.ts";
import { toExitCode, waitForStopSignal } from "../stop-signal.ts";
import { showSoakProgress } from "../terminal/progress.ts";
import { assertFree, writeWhole } from "../whole-file.ts";

/** A soak takes a minute, so shrinking tries only a few of them. */
const SHRINK_BUDGET_MS = 300_000;
const SCOPES: readonly Scope[] = ["changed", "own", "all"];
/** Beyond these a soak takes so long that a slip of the keyboard is likelier. */
const [MOST_DAYS, MOST_RATE] = [366, 100];

/** Days, a factor, a number, and milliseconds. */
const DEFAULTS = { days: 30, rate: 1, restarts: 3, patienceMs: 20_000 };

const scopeOption = option.text(
  "scope",
  "WHICH",
  "The records that the program must know: what came or changed in the soak, only its own, or all.",
  { default: "changed", choices: SCOPES },
);

const options: readonly Option[] = [
  probeOption,
  option.number("days", "N", "How many days of business, 1 to 366.", { default: DEFAULTS.days }),
  option.text("seed", "N", "Seed of everything that happens.", { default: "7" }),
  option.number("rate", "X", "How much happens: 2 is twice as much as on a usual day.", { default: DEFAULTS.rate }),
  scopeOption,
  option.list("without", "row,row", "Rows of the plan that are left out, such as lost-delivery or restart."),
  option.list("steps", "N,N", "Only these steps of the plan."),
  option.text("shrink", "FILE", "Write the fewest steps with the same first difference, as a scenario."),
  checkReportOption,
  option.flag("keep", "Keep the world, so that `sandbox why` tells each story whole; without --url until Ctrl-C."),
  option.number("timeout", "S", "Seconds until the program must have called, or listen.", {
    default: DEFAULTS.patienceMs / 1000,
  }),
  ...playerOptions,
  ...runOptions,
  jsonOption,
];

export const soak: Command = {
  name: "soak",
  summary: "Put a program through a month of business and bad weather, and compare.",
  arguments: [["<command...>", "The command that runs the program, after --; it stays until it is stopped."]],
  options,
  configured: configuredForRuns,
  wraps: true,
  epilogue: [
    "Guests and host do business, answers and messages get lost, the program is stopped and",
    "started again, and the clock is moved; then all is calm. What the probe prints, such as",
    '{ "bookings": [{ "id", "status", "event_id", "total" }] }, is compared with what is so.',
    "",
    "The command finds the sandbox as with `sandbox exec`, in SANDBOX_DAY_MS how long a day",
    "may take, and in SANDBOX_RUN_FOLDER an empty folder for what it keeps; the probe too.",
    "Exit codes: 0 it has the current state, 1 it does not, 2 wrong usage, 3 no judgement: the",
    "program never called, ended by itself, the probe printed no state, or the sandbox",
    "of --url was lost.",
    "",
    '  sandbox check soak --probe "node state.js" -- node app.js',
    '  sandbox check soak --days 10 --seed 8 --without restart --probe "node state.js" -- node app.js',
  ].join("\n"),
  run: (call) => withRunFolders((freshFolder) => soakProgram(call, freshFolder)),
};

async function soakProgram(call: Call, freshFolder: SoakOptions["freshFolder"]): Promise<number> {
  const { given, terminal } = call;
  readReports(given, CHECK_FORMATS);
  const out = given.text("shrink");
  if (out !== undefined) assertFree(out, false);
  const { probe, ...program } = describeProgram(call, options);
  if (!probe) throw new Misuse('Say how the program\'s own state is read, as in `--probe "node state.js"`.');
  const planning = {
    days: within(given.number("days"), "days", 1, MOST_DAYS),
    rate: within(given.number("rate"), "rate", 0, MOST_RATE),
    restarts: DEFAULTS.restarts,
  };
  const progress = showSoakProgress(terminal);
  let signal: NodeJS.Signals | undefined;
  const stopped = waitForStopSignal().then((signalled) => (signal = signalled));
  const target = createTarget({ given, terminal });
  const keep = given.flag("keep");
  // Kept worlds have to outlive the soak, so it gets a sandbox that this command ends.
  const own = keep && !target.server ? await target.start({ seed: program.seed }) : undefined;
  try {
    const { ROWS, soak: run, reportSoak } = await import("../../verdict/soak/index.ts");
    const soaking = {
      ...target,
      ...program,
      ...planning,
      probe,
      server: own ?? target.server,
      keep,
      freshFolder,
      scope: getText(given, "scope") as Scope,
      without: given.list("without").map((name) => rowCalled(name, ROWS)),
      steps: stepsFrom(given.list("steps")),
      patienceMs: given.number("timeout") * 1000,
      isOver: () => signal !== undefined,
      report: progress.report,
    };
    // The line that moves is cleared before anything else is printed.
    const found = await run(soaking).finally(progress.end);
    await writeCheckReport(reportSoak(found), { given, terminal });
    if (out !== undefined && found.exit_code === 1 && !signal) await shrink(found, soaking, { out, terminal });
    if (own && !signal) {
      terminal.say(`The world is there until Ctrl-C, at ${own.url}.`);
      await stopped;
      return found.exit_code;
    }
    return signal ? toExitCode(signal) : found.exit_code;
  } catch (reason) {
    throw toUnjudged(reason);
  } finally {
    await own?.close();
  }
}

async function shrink(
  found: Soak,
  { report: _, ...soaking }: SoakOptions,
  { out, terminal }: { out: string; terminal: Call["terminal"] },
): Promise<void> {
  const { shrinkSoak } = await import("../../verdict/soak/shrink/index.ts");
  const until = performance.now() + SHRINK_BUDGET_MS;
  const shrunk = await shrinkSoak(found, soaking, {
    isOver: () => soaking.isOver() || performance.now() > until,
    report: ({ steps, soaks }) =>
      terminal.say(`${count(steps, "step")} and the same difference  (${count(soaks, "soak")})`),
  });
  if (!shrunk) return terminal.say("The same difference did not come again, so nothing can be left out.");
  const { from, to, soaks, text, difference, unfinished, soak: last } = shrunk;
  writeWhole(out, text, false);
  terminal.say(`${from} → ${count(to, "step")} after ${count(soaks, "soak")}, in ${out}: ${difference.says}.`);
  if (unfinished) terminal.say(`Not every step was tried: stopped, or ${SHRINK_BUDGET_MS / 1000} s are over.`);
  terminal.say(`Show it with: ${last.again}`);
}

function within(value: number, name: string, least: number, most: number): number {
  const isFit = value >= least && value <= most && (name === "rate" || Number.isInteger(value));
  if (!isFit) throw new Misuse(`--${name} ${value} is no number from ${least} to ${most}.`);
  return value;
}

function rowCalled<Row extends string>(name: string, rows: readonly Row[]): Row {
  const row = rows.find((each) => each === name);
  if (!row) throw rejectUnknown("--without: there is no row", name, rows);
  return row;
}

function stepsFrom(words: readonly string[]): number[] | undefined {
  const wrong = words.find((word) => !/^\d+$/.test(word));
  if (wrong !== undefined) throw new Misuse(`--steps ${wrong} is no number of a step.`);
  return words.length === 0 ? undefined : words.map(Number);
}
