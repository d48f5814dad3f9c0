// sandbox check explain: lists the checks, or explains one.
import type { Check } from "../../verdict/index.ts";
import { pickChecks } from "../check-runs.ts";
import { type Call, type Command, jsonOption } from "../command.ts";
import { Misuse } from "../failure.ts";
import { formatColumns } from "../terminal/terminal.ts";

export const explain: Command = {
  name: "explain",
  summary: "List the checks, or explain one.",
  arguments: [["[check]", "Id of a check, such as RETRY-01; default: list all."]],
  options: [jsonOption],
  epilogue: "  sandbox check explain RETRY-01",
  run: showCheck,
};

async function showCheck(call: Call): Promise<undefined> {
  const { args, given, terminal } = call;
  const [id] = args;
  const { checks, explainCheck } = await import("../../verdict/index.ts");
  if (id === undefined) return void listChecks(checks, call);
  const [check] = pickChecks(checks, [id]);
  // An argument such as RETRY selects several checks.
  if (!check || check.id !== id.toUpperCase())
    throw new Misuse(`${id} names several checks. Name one, such as ${check?.id}.`);
  if (given.flag("json")) {
    const { title, level, done, rule, harm, advice, explain } = check;
    return void terminal.json({ id: check.id, title, level, done, rule, harm, advice, explain });
  }
  terminal.print(explainCheck(check));
}

function listChecks(checks: readonly Check[], { given, terminal }: Call): void {
  const rows = checks.map(({ id, level, title }) => [id, level, title]);
  if (given.flag("json"))
    terminal.json({ items: checks.map(({ id, level, title, done }) => ({ id, level, title, done })) });
  else for (const line of formatColumns(rows)) terminal.print(line);
}
