// sandbox clock: shows and moves a world's clock, and prints what the move did.
import { isDuration } from "../../domain/kernel/instant.ts";
import { shown } from "../../setting-values.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, type Group, type Option } from "../command.ts";
import { Misuse } from "../fault.ts";
import { readClock } from "../start-settings.ts";
import { type Moved, receiptText } from "../terminal/receipt.ts";

const dryRun: Option = { name: "dry-run", kind: "flag", default: false, meaning: "Only say what would happen." };

export const clock: Group = {
  name: "clock",
  summary: "Show, advance, set, hold or run the world's clock.",
  usual: "show",
  members: [
    { name: "show", summary: "What time it is.", options: clientOptions, run: show },
    move(
      "advance",
      "Let time pass; everything due on the way happens.",
      ["<duration>", "ISO 8601, such as P3D or PT12H."],
      advance,
    ),
    move("set", "Let time pass until an instant.", ["<instant>", "Such as 2030-06-01T09:00:00Z."], set),
    move("next", "Let time pass until something is due.", undefined, () => ({ to: "next" })),
    mode("hold", "held", "Stop the clock where it is."),
    mode("run", "running", "Let the clock go with real time."),
  ],
};

function move(
  name: string,
  summary: string,
  argument: readonly [string, string] | undefined,
  input: (text: string) => object,
): Command {
  return {
    name,
    summary,
    ...(argument ? { arguments: [argument] } : {}),
    options: [dryRun, ...clientOptions],
    async run({ args, given, terminal }) {
      const body = input(args[0] ?? "");
      const dry = given.flag("dry-run");
      const client = clientOf(given);
      print(await client.ask<Moved>("POST", "/_sandbox/clock/advance", { ...body, dry_run: dry }), dry, {
        given,
        terminal,
      });
      return 0;
    },
  };
}

function mode(name: string, value: "held" | "running", summary: string): Command {
  return {
    name,
    summary,
    options: [dryRun, ...clientOptions],
    async run({ given, terminal }) {
      const client = clientOf(given);
      const dry = given.flag("dry-run");
      const moved = dry
        ? await foretold(client, value)
        : await client.ask<Moved>("PUT", "/_sandbox/clock", { mode: value });
      print(moved, dry, { given, terminal });
      return 0;
    },
  };
}

/** Holding and running move nothing by themselves. */
async function foretold(client: Client, value: "held" | "running"): Promise<Moved> {
  const { now } = await client.ask<Moved>("GET", "/_sandbox/clock");
  return { now, mode: value, receipt: [] };
}

function print(moved: Moved, dry: boolean, { given, terminal }: Pick<Call, "given" | "terminal">): void {
  if (given.flag("json")) terminal.json(moved);
  else terminal.print(receiptText(moved, dry, terminal.paint));
}

async function show({ given, terminal }: Call): Promise<undefined> {
  const answer = await clientOf(given).ask<Moved>("GET", "/_sandbox/clock");
  if (given.flag("json")) terminal.json(answer);
  else terminal.print(`It is ${terminal.paint("cyan", answer.now)}, ${answer.mode}.`);
}

function advance(text: string): object {
  if (isDuration(text)) return { by: text };
  throw new Misuse(`${shown(text)} is not a duration. Write it as P3D for three days, or PT90M for ninety minutes.`);
}

function set(text: string): object {
  return { until: readClock(text, "The instant") };
}
