// sandbox check assumptions: which of the open questions about the service a program depends on.
import { availableParallelism } from "node:os";
import { count } from "../../platform/count.ts";
import { typed } from "../../platform/shell-quoted.ts";
import type { Dependence, Flip, Sweep } from "../../verdict/sweep/index.ts";
import type { Call, Command } from "../command.ts";
import { codeOf } from "../ending.ts";
import { launcher } from "../launch.ts";
import { textOf } from "../options.ts";
import { type Terminal, wrap } from "../terminal/terminal.ts";
import { targetOf, unlessStopped } from "../verdict-given.ts";
import { configuredForRuns, verdictOptions } from "../verdict-options.ts";

/** A sweep only asks whether the command fails, so what is about checks has no meaning. */
const OF_THE_VERDICT = new Set(["only", "probe", "strict", "reporter", "output", "baseline", "keep"]);

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
  // "Nothing can be said" is neither a pass nor a failure.
  const code = found.no_verdict ? 3 : found.depends_on.length > 0 ? 1 : 0;
  if (given.flag("json")) terminal.json({ ...found, exit_code: code });
  else printSweep(found, args, terminal);
  return code;
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

export function printSweep(found: Sweep, command: readonly string[], terminal: Terminal): void {
  const { depends_on, indifferent, untouched, runs, no_verdict } = found;
  const width = Math.min(terminal.width, 120);
  if (no_verdict) {
    for (const line of wrap(no_verdict.says, width)) terminal.print(line);
    if (no_verdict.output) terminal.say(no_verdict.output.trimEnd().split("\n").slice(-15).join("\n"));
    return;
  }
  for (const each of depends_on) {
    const [first = "", ...rest] = linesOf(each).flatMap((text) => wrap(text, width - 2));
    terminal.print([first, ...rest.map((line) => `  ${line}`), `  ${againOf(each, command)}`].join("\n"));
  }
  const none = depends_on.length === 0 ? "It depends on none of the open questions. " : "";
  const others = `${count(indifferent.length, "other answer makes", "other answers make")} no difference`;
  const sum = `${none}${others}, ${untouched.length} it never comes near; ${count(runs, "run")}.`;
  for (const line of wrap(sum, width)) terminal.print(line);
}

/** The command that shows it, in one piece. */
const againOf = ({ flips }: Dependence, command: readonly string[]): string =>
  `sandbox exec ${flips.map(({ id, value }) => `--assume ${id}=${value}`).join(" ")} -- ${typed(command)}`;

function linesOf({ flips, tests, ended }: Dependence): string[] {
  const names = flips.map(({ id, default: byDefault }) => `${id} (${byDefault})`).join(" together with ");
  const [first] = tests;
  const more = tests.length > 1 ? `, and ${count(tests.length - 1, "more test")}` : "";
  const says = first ? `test "${first.name}"${first.says ? `: ${first.says}` : " fails"}${more}` : ended;
  return [`depends on ${names}: ${says}`, ...flips.map(({ value, meaning }) => `${value}: ${meaning}`)];
}
