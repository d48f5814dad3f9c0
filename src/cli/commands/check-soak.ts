// sandbox check soak: simulates a month of bookings and failures, then compares the program's data with the sandbox's.
import { count } from "../../platform/count.ts";
import type { Scope, Soak, SoakOptions } from "../../verdict/soak/index.ts";
import { probeOption } from "../check-options.ts";
import { configuredForRuns, createProbe, runOptions, runProgram } from "../check-runs.ts";
import { type Call, type Command, jsonOption, type Option, option, playerOptions } from "../command.ts";
import { Misuse, rejectUnknown } from "../failure.ts";
import { getText } from "../options.ts";
import { checkReportOption, openCheckReport } from "../reports.ts";
import { showSoakProgress } from "../terminal/progress.ts";
import { assertFree, writeWhole } from "../whole-file.ts";

/** A soak takes about a minute, so shrinking tries only a few. */
const SHRINK_BUDGET_MS = 300_000;
const SCOPES: readonly Scope[] = ["changed", "own", "all"];
const RESTARTS = 3;

const options: readonly Option[] = [
  probeOption,
  option.number("days", "N", "Number of simulated days, 1 to 366.", { default: 30 }),
  option.text("seed", "N", "Seed of the simulation.", { default: "7" }),
  option.number("rate", "X", "Factor for the amount of activity; 2 doubles it.", { default: 1 }),
  option.text("scope", "WHICH", "The records to compare: changed during the soak, only the program's own, or all.", {
    default: "changed",
    choices: SCOPES,
  }),
  option.list("without", "row,row", "Leave out these rows of the plan, such as lost-delivery or restart."),
  option.list("only", "N,N", "Run only these steps of the plan."),
  option.text("shrink", "FILE", "Write a scenario with the fewest steps that cause the same first difference."),
  checkReportOption,
  option.flag("keep", "Keep the world for `sandbox why`; without --url until Ctrl-C."),
  option.number("timeout", "S", "Seconds in which the program must send a request or listen.", { default: 20 }),
  ...playerOptions,
  ...runOptions,
  jsonOption,
];

export const soak: Command = {
  name: "soak",
  summary: "Simulate a month of bookings and failures, then compare data.",
  arguments: [["<command...>", "The command that runs the program, after --; it must run until it is stopped."]],
  options,
  configured: configuredForRuns,
  wraps: true,
  epilogue: [
    "The simulation creates and changes bookings, loses responses and messages, restarts the",
    "program and moves the clock. At the end the output of the probe, such as",
    '{ "bookings": [{ "id", "status", "event_id", "total" }] }, is compared with the sandbox.',
    "The command and the probe get the variables of `sandbox exec`, SANDBOX_DAY_MS (the duration",
    "of a day) and SANDBOX_RUN_FOLDER (an empty folder for the program's data).",
    "Exit codes: 0 the data is current, 1 it is not, 2 wrong usage, 3 no result.",
    "",
    '  sandbox check soak --probe "node state.js" -- node app.js',
  ].join("\n"),
  run: runSoak,
};

async function runSoak(call: Call): Promise<number> {
  const { given, terminal } = call;
  const write = openCheckReport(call);
  const out = given.text("shrink");
  if (out !== undefined) assertFree(out, false);
  const probe = createProbe(given.text("probe"), call.environment);
  if (!probe) throw new Misuse('Name a command that prints the program\'s own state, as in `--probe "node state.js"`.');
  const { ROWS, soak: run, reportSoak } = await import("../../verdict/soak/index.ts");
  const progress = showSoakProgress(terminal);
  const settings = {
    probe,
    // Larger values are probably typing errors, because such a soak takes hours.
    days: mustBeWithin(given.number("days"), "days", 1, 366),
    rate: mustBeWithin(given.number("rate"), "rate", 0, 100),
    restarts: RESTARTS,
    scope: getText(given, "scope") as Scope,
    without: given.list("without").map((name) => {
      const row = ROWS.find((each) => each === name);
      if (!row) throw rejectUnknown("--without: there is no row", name, ROWS);
      return row;
    }),
    steps: parseSteps(given.list("only")),
    patienceMs: given.number("timeout") * 1000,
  };
  return runProgram(call, { options, keep: given.flag("keep") }, async (runs) => {
    const soaking = { ...runs, ...settings };
    // The progress line is cleared before the report is printed.
    const result = await run({ ...soaking, report: progress.report }).finally(progress.end);
    await write(reportSoak(result));
    if (out !== undefined && result.exit_code === 1 && !runs.isOver()) await shrink(result, soaking, out, terminal);
    return result.exit_code;
  });
}

async function shrink(result: Soak, soaking: SoakOptions, out: string, terminal: Call["terminal"]): Promise<void> {
  const { shrinkSoak } = await import("../../verdict/soak/shrink/index.ts");
  const until = performance.now() + SHRINK_BUDGET_MS;
  const shrunk = await shrinkSoak(result, soaking, {
    isOver: () => soaking.isOver() || performance.now() > until,
    report: ({ steps, soaks }) =>
      terminal.say(`${count(steps, "step")} and the same difference  (${count(soaks, "soak")})`),
  });
  if (!shrunk) return terminal.say("The difference did not occur again, so the plan can't be shortened.");
  const { from, to, soaks, text, difference, unfinished, soak: last } = shrunk;
  writeWhole(out, text, false);
  terminal.say(`${from} → ${count(to, "step")} after ${count(soaks, "soak")}, in ${out}: ${difference.says}.`);
  if (unfinished) terminal.say(`Not every step was tried: stopped, or ${SHRINK_BUDGET_MS / 1000} s have elapsed.`);
  terminal.say(`Reproduce it with: ${last.again}`);
}

function mustBeWithin(value: number, name: string, least: number, most: number): number {
  const isFit = value >= least && value <= most && (name === "rate" || Number.isInteger(value));
  if (!isFit) throw new Misuse(`--${name} ${value} is not a number from ${least} to ${most}.`);
  return value;
}

function parseSteps(words: readonly string[]): number[] | undefined {
  const wrong = words.find((word) => !/^\d+$/.test(word));
  if (wrong !== undefined) throw new Misuse(`--only ${wrong} is not the number of a step.`);
  return words.length === 0 ? undefined : words.map(Number);
}
