// sandbox assume: what the sandbox assumes about the service, and which answer is in force. Without a server it shows the register
// that is shipped; with one it shows a world's values and sets them.
import type { Schemas } from "../../client/control.ts";
import { type Client, createClient } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld } from "../command.ts";
import { Failure, rejectUnknown, UNREACHABLE } from "../failure.ts";
import { readAssumptions } from "../start-settings.ts";
import { columns, columnsWithin, cut, type Terminal, wrap } from "../terminal/terminal.ts";

export const assume: Command = {
  name: "assume",
  summary: "Show what is assumed about the service, and set other answers.",
  arguments: [["[assumption...]", "Ids to show in full; id=value sets one in the running world."]],
  options: clientOptions,
  epilogue: [
    "  sandbox assume signature-text",
    "  sandbox assume signature-text=v1 booking-create-status=200",
    "",
    "Where no sandbox runs, it shows the register with the default answers.",
  ].join("\n"),
  changes: (call) => (call.args.some(isSetting) ? nameWorld(call) : undefined),
  run: showOrSet,
};

const isSetting = (word: string): boolean => word.includes("=");

type Assumption = Schemas["Assumption"];

async function showOrSet({ args, given, terminal }: Call): Promise<undefined> {
  // One argument list for both: an id shows, id=value sets.
  const [sets, ids] = [args.filter(isSetting), args.filter((word) => !isSetting(word))];
  const client = createClient(given);
  // What was set is shown too, as it now is.
  const named = [...ids, ...sets.map((word) => word.slice(0, word.indexOf("=")))];
  const items =
    sets.length > 0 ? await set(client, sets) : await registerOf(client, given.source("url") === "default", terminal);
  const found = named.map((id) => mustFind(items, id));
  if (given.flag("json")) terminal.json(found.length === 1 ? found[0] : { items: found.length > 0 ? found : items });
  else if (found.length > 0) terminal.print(found.map((each) => inFull(each, terminal)).join("\n\n"));
  else for (const line of inBrief(items, terminal)) terminal.print(line);
}

async function set({ ask, control }: Client, words: readonly string[]): Promise<Assumption[]> {
  const body = readAssumptions(words, "An argument");
  return (await ask(control.PUT("/_sandbox/assumptions", { body }))).items;
}

/** The register of the running sandbox; `mayBeShipped` allows that of this package in its place. */
async function registerOf({ ask, control }: Client, mayBeShipped: boolean, { say }: Terminal): Promise<Assumption[]> {
  try {
    return (await ask(control.GET("/_sandbox/assumptions"))).items;
  } catch (error) {
    // Only where no sandbox is named or recorded: such a sandbox must respond.
    if (!mayBeShipped || !(error instanceof Failure) || error.code !== UNREACHABLE) throw error;
    say("No sandbox runs; these are the answers that one begins with.");
    return (await import("../../sandbox.ts")).listDefaultAssumptions();
  }
}

/** Throws Misuse, with the nearest id. */
function mustFind(items: readonly Assumption[], id: string): Assumption {
  const found = items.find((each) => each.id === id);
  if (found) return found;
  const names = items.map((each) => each.id);
  throw rejectUnknown("There is no assumption", id, names, "`sandbox assume` lists them.");
}

/** One that has another answer than the default is marked. */
function inBrief(items: readonly Assumption[], { paint, width }: Terminal): string[] {
  const rows = items.map(({ id, value, default: byDefault, alternatives }) => {
    const others = [byDefault, ...alternatives.map((each) => each.value)].filter((each) => each !== value);
    const isSet = value !== byDefault;
    return [
      isSet ? paint("bold", id) : id,
      isSet ? paint("yellow", `${value} (set)`) : value,
      paint("dim", others.length > 0 ? cut(`or ${others.join(", ")}`, Math.max(20, Math.min(width, 140) - 60)) : ""),
    ];
  });
  return columnsWithin(rows, width);
}

function inFull(
  { id, gap, chosen, basis, value, default: byDefault, alternatives }: Assumption,
  { paint, width }: Terminal,
): string {
  const text = (sentence: string) => wrap(sentence, Math.min(width, 100));
  const answers = [{ value: byDefault, meaning: "The default." }, ...alternatives];
  const rows = answers.flatMap((answer) => {
    const [first = "", ...rest] = wrap(answer.meaning, Math.max(20, Math.min(width, 100) - 30));
    const label = answer.value === value ? paint("green", `* ${answer.value}`) : `  ${answer.value}`;
    return [[label, first], ...rest.map((line) => ["", line])];
  });
  const other = answers.find((answer) => answer.value !== value);
  return [
    paint("bold", id),
    ...text(gap),
    ...text(chosen),
    paint("dim", `Basis: ${basis.join(", ")}`),
    "",
    ...columns(rows),
    ...(other ? ["", `  sandbox assume ${id}=${other.value}`, `  sandbox start --assume ${id}=${other.value}`] : []),
  ].join("\n");
}
