// sandbox clock: shows and moves a world's clock, and prints what the move did.
import type { Schemas } from "../../client/control.ts";
import { isDuration, readInstant } from "../../engine/domain/kernel/instant.ts";
import { shown } from "../../engine/setting-values.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, type Option } from "../command.ts";
import { entryOf } from "../control-command.ts";
import { Misuse } from "../fault.ts";
import { receiptText } from "../terminal/receipt.ts";

const dryRun: Option = { name: "dry-run", kind: "flag", default: false, meaning: "Only print what would happen." };

export const clock = entryOf("clock", {}, [
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
]);

type Move = { by: string } | { until: string } | { to: "next" };

function move(
  name: string,
  summary: string,
  argument: readonly [string, string] | undefined,
  input: (text: string) => Move,
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
      const moved = client.control.POST("/_sandbox/clock/advance", { body: { ...body, dry_run: dry } });
      print(await client.ask(moved), dry, { given, terminal });
      return 0;
    },
  };
}

function mode(name: string, value: Schemas["ClockMode"], summary: string): Command {
  return {
    name,
    summary,
    options: [dryRun, ...clientOptions],
    async run({ given, terminal }) {
      const client = clientOf(given);
      const dry = given.flag("dry-run");
      const moved = dry
        ? await foretold(client, value)
        : await client.ask(client.control.PUT("/_sandbox/clock", { body: { mode: value } }));
      print(moved, dry, { given, terminal });
      return 0;
    },
  };
}

/** Holding and running move nothing by themselves. */
async function foretold(client: Client, value: Schemas["ClockMode"]): Promise<Omit<Schemas["ClockSet"], "id">> {
  const { now } = await client.ask(client.control.GET("/_sandbox/clock"));
  return { now, mode: value, receipt: [] };
}

function print(
  moved: Pick<Schemas["ClockMoved"], "now" | "receipt">,
  dry: boolean,
  { given, terminal }: Pick<Call, "given" | "terminal">,
): void {
  if (given.flag("json")) terminal.json(moved);
  else terminal.print(receiptText(moved, dry, terminal));
}

function advance(text: string): Move {
  if (isDuration(text)) return { by: text };
  throw new Misuse(`${shown(text)} is not a duration. Write it as P3D for three days, or PT90M for ninety minutes.`);
}

function set(text: string): Move {
  const until = readInstant(text);
  if (until === undefined)
    throw new Misuse(
      `The instant is ${shown(text)}, which is not an instant: it has a date, a time and a zone. Write it as ${exampleFor(text)}.`,
    );
  return { until };
}

/** The day that was given, where it is one. */
const exampleFor = (text: string): string =>
  readInstant(`${text}T09:00:00Z`)?.replace(".000Z", "Z") ?? "2030-06-01T09:00:00Z";
