// sandbox assume: lists the assumptions about the service with a world's values, and overrides them. If no sandbox is running, it
// lists the assumptions of this package with their defaults.
import type { Schemas } from "../../client/control.ts";
import { createClient } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld } from "../command.ts";
import { Failure, findByName, UNREACHABLE } from "../failure.ts";
import type { Given } from "../options.ts";
import { readAssumptions } from "../start-settings.ts";
import { cut, formatColumns, type Terminal } from "../terminal/terminal.ts";

export const assume: Command = {
  name: "assume",
  summary: "Show the assumptions about the service, and override them.",
  arguments: [["[assumption...]", "Ids to show in full; id=value overrides one in the running world."]],
  options: clientOptions,
  epilogue: [
    "  sandbox assume signature-text",
    "  sandbox assume signature-text=v1 booking-create-status=200",
    "",
    "If no sandbox is running, the command shows the default values.",
  ].join("\n"),
  changes: (call) => (call.args.some(isSetting) ? nameWorld(call) : undefined),
  run: showOrSet,
};

const isSetting = (word: string): boolean => word.includes("=");

type Assumption = Schemas["Assumption"];

async function showOrSet({ args, given, terminal }: Call): Promise<undefined> {
  const body = readAssumptions(args.filter(isSetting), "An argument");
  const { ask, control } = createClient(given);
  const items: readonly Assumption[] = args.some(isSetting)
    ? (await ask(control.PUT("/_sandbox/assumptions", { body }))).items
    : await ask(control.GET("/_sandbox/assumptions")).then(
        (list) => list.items,
        (reason) => listShipped(reason, given, terminal),
      );
  // Assumptions that were just set are shown with their new value.
  const found = [...args.filter((word) => !isSetting(word)), ...Object.keys(body)].map((id) =>
    findByName(items, ["id", id], "There is no assumption", "`sandbox assume` lists them."),
  );
  if (given.flag("json")) terminal.json(found.length === 1 ? found[0] : { items: found.length > 0 ? found : items });
  else if (found.length > 0) terminal.print(found.map((each) => formatAssumption(each, terminal)).join("\n\n"));
  else for (const line of formatAssumptions(items, terminal)) terminal.print(line);
}

/** Returns the assumptions of this package if no sandbox is running. A sandbox that is named or recorded must respond. */
async function listShipped(reason: unknown, given: Given, { say }: Terminal): Promise<readonly Assumption[]> {
  const isMissing = reason instanceof Failure && reason.code === UNREACHABLE;
  if (!isMissing || given.source("url") !== "default") throw reason;
  say("No sandbox is running; these are the default values.");
  return (await import("../../sandbox.ts")).listDefaultAssumptions();
}

/** Formats one assumption per line; overridden ones are marked. */
function formatAssumptions(items: readonly Assumption[], { paint, width }: Terminal): string[] {
  const rows = items.map(({ id, value, default: byDefault, alternatives }) => {
    const others = [byDefault, ...alternatives.map((each) => each.value)].filter((each) => each !== value);
    const isSet = value !== byDefault;
    return [
      isSet ? paint("bold", id) : id,
      isSet ? paint("yellow", `${value} (set)`) : value,
      paint("dim", others.length > 0 ? cut(`or ${others.join(", ")}`, Math.max(20, Math.min(width, 140) - 60)) : ""),
    ];
  });
  return formatColumns(rows);
}

function formatAssumption(
  { id, gap, chosen, basis, value, default: byDefault, alternatives }: Assumption,
  { paint }: Terminal,
): string {
  const answers = [{ value: byDefault, meaning: "The default." }, ...alternatives];
  const rows = answers.map((answer) => [
    answer.value === value ? paint("green", `* ${answer.value}`) : `  ${answer.value}`,
    answer.meaning,
  ]);
  const other = answers.find((answer) => answer.value !== value);
  return [
    paint("bold", id),
    gap,
    chosen,
    paint("dim", `Basis: ${basis.join(", ")}`),
    "",
    ...formatColumns(rows),
    ...(other ? ["", `  sandbox assume ${id}=${other.value}`, `  sandbox start --assume ${id}=${other.value}`] : []),
  ].join("\n");
}
