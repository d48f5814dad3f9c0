// sandbox assume: lists the assumptions about the service with a world's values, and overrides them. If no sandbox is running, it
// lists the assumptions of this package with their defaults.
import type { Schemas } from "../../client/control.ts";
import { type Client, createClient } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld } from "../command.ts";
import { Failure, rejectUnknown, UNREACHABLE } from "../failure.ts";
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
  const [sets, ids] = [args.filter(isSetting), args.filter((word) => !isSetting(word))];
  const client = createClient(given);
  // Assumptions that were just set are shown with their new value.
  const named = [...ids, ...sets.map((word) => word.slice(0, word.indexOf("=")))];
  const isDefault = given.source("url") === "default";
  const items =
    sets.length > 0 ? await setAssumptions(client, sets) : await fetchAssumptions(client, isDefault, terminal);
  const found = named.map((id) => findAssumption(items, id));
  if (given.flag("json")) terminal.json(found.length === 1 ? found[0] : { items: found.length > 0 ? found : items });
  else if (found.length > 0) terminal.print(found.map((each) => formatAssumption(each, terminal)).join("\n\n"));
  else for (const line of formatAssumptions(items, terminal)) terminal.print(line);
}

async function setAssumptions({ ask, control }: Client, words: readonly string[]): Promise<Assumption[]> {
  const body = readAssumptions(words, "An argument");
  return (await ask(control.PUT("/_sandbox/assumptions", { body }))).items;
}

/** Fetches the assumptions of the running sandbox; `mayBeShipped` allows those of this package if no sandbox is running. */
async function fetchAssumptions({ ask, control }: Client, mayBeShipped: boolean, { say }: Terminal) {
  try {
    return (await ask(control.GET("/_sandbox/assumptions"))).items;
  } catch (error) {
    // A sandbox that is named or recorded must respond.
    if (!mayBeShipped || !(error instanceof Failure) || error.code !== UNREACHABLE) throw error;
    say("No sandbox is running; these are the default values.");
    return (await import("../../sandbox.ts")).listDefaultAssumptions();
  }
}

function findAssumption(items: readonly Assumption[], id: string): Assumption {
  const found = items.find((each) => each.id === id);
  if (found) return found;
  const names = items.map((each) => each.id);
  throw rejectUnknown("There is no assumption", id, names, "`sandbox assume` lists them.");
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
