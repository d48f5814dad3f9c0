// sandbox play --shrink: finds the fewest steps of a scenario that still fail the same way.
import { existsSync, statSync } from "node:fs";
import { readBounded } from "../../platform/bounded-file.ts";
import { count } from "../../platform/count.ts";
import { optional } from "../../platform/optional.ts";
import type { Shrunk } from "../../stories/shrink/index.ts";
import { readUrl } from "../client.ts";
import { type Call, type Option, option } from "../command.ts";
import { Failure, Misuse } from "../failure.ts";
import { ownFolders, startOwnSandbox } from "../own-sandbox.ts";
import { waitForStopSignal } from "../stop-signal.ts";
import { assertFree, forceOption, writeWhole } from "../whole-file.ts";

export const shrinkOptions: readonly Option[] = [
  option.flag("shrink", "Remove steps from a failing scenario while it fails the same way."),
  option.text("out", "FILE", "With --shrink: file for the shorter scenario; default: stdout."),
  forceOption,
  option.number("budget", "S", "With --shrink: stop after this many seconds with the shortest scenario so far.", {
    default: 60,
  }),
];

/** Error codes for --json. An invalid scenario is wrong usage and has no code here. */
const CODES = { passes: "SCENARIO_PASSES", unsteady: "SCENARIO_UNSTEADY", unplayed: "FAILED" };

/** Returns 0 if the scenario is shorter or can't be shortened. */
export async function shrinkScenario({ args: [file = "", ...others], given, terminal }: Call): Promise<number> {
  if (others.length > 0) throw new Misuse("--shrink takes one scenario. Name one file.");
  if (!existsSync(file) || statSync(file).isDirectory())
    throw new Misuse(`${existsSync(file) ? `${file} is a folder` : `There is no ${file}`}. Name one scenario.`);
  const [url, controlToken, out] = ["url", "control-token", "out"].map((name) => given.text(name));
  const force = given.flag("force");
  if (out !== undefined) assertFree(out, force);
  // The budget is checked between two plays, so the last play can exceed it.
  const until = performance.now() + given.number("budget") * 1000;
  let stopped = false;
  void waitForStopSignal().then(() => (stopped = true));
  const { load } = await import("../../stories/scenario/index.ts");
  const { NotShrunk, shrink } = await import("../../stories/shrink/index.ts");
  const read = load(file);
  const shorter = await shrink(read, read.loaded ? readBounded(file) : "", {
    ...optional({ url: url === undefined ? undefined : readUrl(given.label("url"), url), controlToken }),
    start: startOwnSandbox,
    folders: ownFolders,
    env: given.list("env"),
    isOver: () => stopped || performance.now() > until,
    report: ({ steps, plays }) =>
      terminal.say(`${count(steps, "step fails", "steps fail")} the same way  (${count(plays, "play")})`),
  }).catch((reason: unknown) => {
    if (!(reason instanceof NotShrunk)) throw reason;
    throw reason.why === "mistakes"
      ? new Misuse(reason.message)
      : new Failure(reason.message, reason.code ?? CODES[reason.why]);
  });
  if (out !== undefined) writeWhole(out, shorter.text, force);
  report(shorter, out, { given, terminal }, stopped);
  return 0;
}

function report(
  { text, ...shorter }: Shrunk,
  out: string | undefined,
  { given, terminal }: Pick<Call, "given" | "terminal">,
  stopped: boolean,
): void {
  const { from, to, plays, fails, unfinished } = shorter;
  if (given.flag("json")) terminal.json({ ...shorter, ...(out === undefined ? { text } : { file: out }) });
  else if (out === undefined) terminal.write(text);
  const early = stopped ? "stopped" : `the budget of ${given.number("budget")} s is used up`;
  terminal.say(
    [
      `${from} → ${count(to, "step")} after ${count(plays, "play")}${out === undefined ? "" : `, in ${out}`}.`,
      `Fails as before at ${fails}`,
      ...(unfinished ? [`Not every step was tried: ${early}.`] : []),
    ].join("\n"),
  );
}
