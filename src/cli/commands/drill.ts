// sandbox drill: one check, live: what is done to the program, and what the program did then; or what the check teaches.
import type { Check } from "../../verdict/index.ts";
import { type Call, type Command, type Option, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { columnsWithin, wrap } from "../terminal/terminal.ts";
import { chosen } from "../verdict-given.ts";
import { configuredForRuns, verdictOptions } from "../verdict-options.ts";
import { judgeProgram } from "./verdict.ts";

const explainOption: Option = option.flag("explain", "Only say what happens in real life, and what to write instead.");

export const drill: Command = {
  name: "drill",
  summary: "One check of the verdict, live; or what it teaches.",
  arguments: [
    ["[check]", "Its id, such as RETRY-01; without it all are listed."],
    ["[command...]", "The command that runs the program or its tests, after --."],
  ],
  options: [explainOption, ...verdictOptions.filter(({ name }) => !["only", "profile", "profiles"].includes(name))],
  configured: configuredForRuns,
  wraps: true,
  epilogue: [
    "Exit codes are those of `sandbox verdict`.",
    "",
    "  sandbox drill RETRY-01 --explain",
    "  sandbox drill RETRY-01 -- npm test",
  ].join("\n"),
  run: runDrill,
};

async function runDrill(call: Call): Promise<number> {
  const { args, given, terminal } = call;
  // The check is the first argument, so the command's own words come behind it.
  const [id, ...rest] = args;
  // After the check, options are read as words of the command.
  const late = lateOptions(rest);
  const isLesson = given.flag("explain") || late.includes("--explain");
  // Behind an argument commander leaves the -- where it stands.
  const command = isLesson ? [] : rest.slice(rest[0] === "--" ? 1 : 0);
  const { checks, explained } = await import("../../verdict/index.ts");
  if (id === undefined) return listed(checks, call);
  const [check] = chosen(checks, [id]);
  // RETRY names a family; a drill is of one check.
  if (!check || check.id !== id.toUpperCase())
    throw new Misuse(`${id} names several checks. Name one, such as ${check?.id}.`);
  if (isLesson && (given.flag("json") || given.text("reporter") === "json" || isJson(late))) {
    const { title, level, done, rule, advice, explain } = check;
    terminal.json({ id: check.id, title, level, done, rule, advice, explain });
    return 0;
  }
  const width = Math.min(Number.isFinite(terminal.width) ? terminal.width : 100, 100);
  if (isLesson) {
    terminal.print(folded(explained(check), width));
    return 0;
  }
  // Whoever forgot the order would otherwise be told that there is no command called --seed.
  if (command[0]?.startsWith("-"))
    throw new Misuse(`Options come before the check: \`sandbox drill ${command[0]} … ${check.id} -- npm test\`.`);
  if (command.length === 0)
    throw new Misuse(`Name the command after --, as in \`sandbox drill ${check.id} -- npm test\`; or add --explain.`);
  terminal.say(folded(`${check.id}: ${check.title}. ${check.done}`, width));
  return judgeProgram({ ...call, args: command }, [check]);
}

/** Those between the check and the command, with their values. */
function lateOptions(words: readonly string[]): readonly string[] {
  if (!words[0]?.startsWith("-")) return [];
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

const isJson = (words: readonly string[]): boolean =>
  words.some((word, at) => word === "--json" || [word, words[at + 1]].join("=").startsWith("--reporter=json"));

function listed(checks: readonly Check[], { given, terminal }: Call): number {
  if (given.flag("json"))
    terminal.json({ items: checks.map(({ id, level, title, done }) => ({ id, level, title, done })) });
  else {
    const rows = checks.map(({ id, level, title }) => [id, level, title]);
    for (const line of columnsWithin(rows, terminal.width)) terminal.print(line);
  }
  return 0;
}

/** Code keeps its lines. */
function folded(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith("    ") || line.length <= width ? [line] : wrap(line, width)))
    .join("\n");
}
