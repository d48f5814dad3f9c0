// sandbox soak: a month of business in bad weather, in a minute, and whether the program then knows what is so.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope, Soak } from "../../verdict/soak/index.ts";
import { type Call, type Command, jsonOption, type Option, outputOption, playerOptions } from "../command.ts";
import { askedToStop, codeOf } from "../ending.ts";
import { Misuse } from "../fault.ts";
import { launcher } from "../launch.ts";
import { textOf } from "../options.ts";
import { configurable, startOptions } from "../start-settings.ts";
import { soakProgressOn } from "../terminal/soak-progress.ts";
import { mustBeWritable, placeOf, probeOf } from "../verdict-given.ts";
import { NOT_HERE, repeatedFrom } from "../verdict-options.ts";

const REPORTERS = ["spec", "json", "junit"];
const SCOPES: readonly Scope[] = ["changed", "own", "all"];
const [MOST_DAYS, MOST_RATE, MOST_RESTARTS] = [366, 100, 50];

const number = (name: string, usual: number, placeholder: string, meaning: string): Option => ({
  ...{ name, kind: "number", placeholder, default: usual, meaning },
});

const options: readonly Option[] = [
  {
    name: "probe",
    kind: "text",
    placeholder: "CMD",
    default: undefined,
    meaning: "A shell command that prints the program's own state as JSON, such as the bookings that it knows.",
  },
  number("days", 30, "N", "How many days of business, 1 to 366."),
  { name: "seed", kind: "text", placeholder: "N", default: "7", meaning: "Seed of everything that happens." },
  number("rate", 1, "X", "How much happens: 2 is twice as much as on a usual day."),
  number("restart", 3, "N", "How often the program is stopped and started again."),
  {
    name: "scope",
    kind: "text",
    placeholder: "WHICH",
    default: "changed",
    choices: SCOPES,
    meaning:
      "The records that the program must know: what came or changed in the soak, only its own, or all. Choices: changed, own, all.",
  },
  {
    name: "steps",
    kind: "list",
    placeholder: "N,N",
    default: [],
    meaning: "Only these steps of the plan.",
  },
  {
    name: "reporter",
    kind: "text",
    placeholder: "HOW",
    default: "spec",
    choices: REPORTERS,
    meaning: "How to report: spec, json or junit.",
  },
  outputOption,
  number("timeout", 20, "S", "Seconds until the program must have called, or listen."),
  ...playerOptions,
  ...startOptions.filter(({ name }) => !NOT_HERE.has(name)),
  jsonOption,
];

export const soak: Command = {
  name: "soak",
  summary: "Put a program through a month of business and bad weather, and compare.",
  arguments: [["<command...>", "The command that runs the program, after --; it stays until it is stopped."]],
  options,
  configured: configurable.filter((name) => !NOT_HERE.has(name)),
  wraps: true,
  epilogue: [
    "Guests and host do business, answers and messages get lost, the program is stopped and",
    "started again, and the clock is moved; then all is calm. What the probe prints, such as",
    '{ "bookings": [{ "id", "status", "event_id", "total" }] }, is compared with what is so.',
    "",
    "The command finds the sandbox as with `sandbox exec`, in SANDBOX_DAY_MS how long a day",
    "may take, and in SANDBOX_RUN_FOLDER an empty folder for what it keeps; the probe too.",
    "Exit codes: 0 it knows what is so, 1 it does not, 2 wrong usage, 3 no judgement: the",
    "program never called, ended by itself, or the probe printed no state.",
    "",
    '  sandbox soak --probe "node state.js" -- node app.js',
    '  sandbox soak --days 10 --seed 8 --restart 0 --probe "node state.js" -- node app.js',
  ].join("\n"),
  run: soakProgram,
};

async function soakProgram({ args, given, terminal, environment }: Call): Promise<number> {
  const output = given.text("output");
  if (output !== undefined) mustBeWritable(output);
  const probe = probeOf(given.text("probe"), environment);
  if (!probe) throw new Misuse('Say how the program\'s own state is read, as in `--probe "node state.js"`.');
  const planning = {
    days: within(given.number("days"), "days", 1, MOST_DAYS),
    rate: within(given.number("rate"), "rate", 0, MOST_RATE),
    restarts: within(given.number("restart"), "restart", 0, MOST_RESTARTS),
  };
  const progress = soakProgressOn(terminal);
  const folder = mkdtempSync(join(tmpdir(), "sandbox-soak-"));
  let signal: NodeJS.Signals | undefined;
  void askedToStop().then((asked) => (signal = asked));
  try {
    const { soak: run, soakReporters } = await import("../../verdict/soak/index.ts");
    const found = await run({
      ...{ command: args, given: repeatedFrom(given, options), seed: textOf(given, "seed"), ...planning },
      ...placeOf({ given, terminal }),
      ...{ launch: launcher(args, environment), probe, folder, scope: textOf(given, "scope") as Scope },
      steps: stepsFrom(given.list("steps")),
      patienceMs: given.number("timeout") * 1000,
      isOver: () => signal !== undefined,
      told: progress.told,
    }).finally(progress.end);
    report(found, output, { given, terminal }, soakReporters);
    return signal ? codeOf(signal) : found.exit_code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function within(value: number, name: string, least: number, most: number): number {
  const isFit = value >= least && value <= most && (name === "rate" || Number.isInteger(value));
  if (!isFit) throw new Misuse(`--${name} ${value} is no number from ${least} to ${most}.`);
  return value;
}

function stepsFrom(words: readonly string[]): number[] | undefined {
  const wrong = words.find((word) => !/^\d+$/.test(word));
  if (wrong !== undefined) throw new Misuse(`--steps ${wrong} is no number of a step.`);
  return words.length === 0 ? undefined : words.map(Number);
}

type Reporters = typeof import("../../verdict/soak/index.ts")["soakReporters"];

function report(
  found: Soak,
  output: string | undefined,
  { given, terminal }: Pick<Call, "given" | "terminal">,
  reporters: Reporters,
): void {
  const name = given.flag("json") ? "json" : textOf(given, "reporter");
  const paint = output === undefined ? terminal.paint : (_style: unknown, written: string) => written;
  const width = Number.isFinite(terminal.width) && output === undefined ? terminal.width : 120;
  const text = reporters[name]?.(found, { paint, width }) ?? "";
  if (output === undefined) {
    terminal.write(text);
    return;
  }
  writeFileSync(output, text);
  terminal.say(`${found.no_judgement?.says ?? `${found.differences.length} differences`} The report is in ${output}.`);
}
