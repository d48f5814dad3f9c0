// sandbox check explain: the list of checks, or what one of them teaches.
import type { Check } from "../../verdict/index.ts";
import { pickChecks } from "../check-runs.ts";
import { type Call, type Command, jsonOption } from "../command.ts";
import { Misuse } from "../failure.ts";
import { columnsWithin, wrap } from "../terminal/terminal.ts";

export const explain: Command = {
  name: "explain",
  summary: "List the checks, or show what one of them teaches.",
  arguments: [["[check]", "Its id, such as RETRY-01; without it all are listed."]],
  options: [jsonOption],
  epilogue: "  sandbox check explain RETRY-01",
  run: explainCheck,
};

async function explainCheck(call: Call): Promise<number> {
  const { args, given, terminal } = call;
  const [id] = args;
  const { checks, explainCheck } = await import("../../verdict/index.ts");
  if (id === undefined) return listChecks(checks, call);
  const [check] = pickChecks(checks, [id]);
  // RETRY names a family of checks.
  if (!check || check.id !== id.toUpperCase())
    throw new Misuse(`${id} names several checks. Name one, such as ${check?.id}.`);
  if (given.flag("json")) {
    const { title, level, done, rule, harm, advice, explain } = check;
    terminal.json({ id: check.id, title, level, done, rule, harm, advice, explain });
    return 0;
  }
  const width = Math.min(Number.isFinite(terminal.width) ? terminal.width : 100, 100);
  terminal.print(foldText(explainCheck(check), width));
  return 0;
}

function listChecks(checks: readonly Check[], { given, terminal }: Call): number {
  if (given.flag("json"))
    terminal.json({ items: checks.map(({ id, level, title, done }) => ({ id, level, title, done })) });
  else {
    const rows = checks.map(({ id, level, title }) => [id, level, title]);
    for (const line of columnsWithin(rows, terminal.width)) terminal.print(line);
  }
  return 0;
}

/** Code keeps its lines. */
function foldText(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith("    ") || line.length <= width ? [line] : wrap(line, width)))
    .join("\n");
}
