// sandbox play: plays scenarios, each in a fresh world. With --shrink it finds the fewest steps of a scenario that still fail the same way.
import { once, setMaxListeners } from "node:events";
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBounded } from "../../platform/bounded-file.ts";
import { count } from "../../platform/count.ts";
import { optional } from "../../platform/optional.ts";
import type { PlayOptions } from "../../stories/scenario/index.ts";
import { readUrl } from "../client.ts";
import { type Call, type Command, jsonOption, type Option, option, playerOptions } from "../command.ts";
import { Failure, Misuse } from "../failure.ts";
import { type Given, getText } from "../options.ts";
import { ownFolders, startOwnSandbox } from "../own-sandbox.ts";
import { toExitCode, waitForStopSignal } from "../stop-signal.ts";
import { watchFolders } from "../watch.ts";
import { assertFree, assertWritable, forceOption, writeOutput, writeWhole } from "../whole-file.ts";

const shrinkOptions: readonly Option[] = [
  option.flag("shrink", "Remove steps from a failing scenario while it fails the same way."),
  option.text("out", "FILE", "With --shrink: file for the shorter scenario; default: stdout."),
  forceOption,
  option.number("budget", "S", "With --shrink: stop after this many seconds with the shortest scenario so far.", {
    default: 60,
  }),
];

type Scenarios = typeof import("../../stories/scenario/index.ts");

/** Returns where scenarios are played: in a running sandbox, or in one that is started. */
function describePlayer(given: Given) {
  const url = given.text("url");
  return {
    ...optional({
      url: url === undefined ? undefined : readUrl(given.label("url"), url),
      controlToken: given.text("control-token"),
    }),
    env: given.list("env"),
    start: startOwnSandbox,
    folders: ownFolders,
  };
}

export const play: Command = {
  name: "play",
  summary: "Play scenarios, each in a fresh world.",
  arguments: [["<file or folder...>", "Scenarios, or folders of them."]],
  options: [
    option.text("reporter", "spec, tap, junit or json", "Format of the report.", {
      default: "spec",
      choices: ["spec", "tap", "junit", "json"],
    }),
    option.text("output", "FILE", "Where to write the report; default: stdout."),
    option.flag("bail", "Stop at the first scenario that fails."),
    option.list("env", "NAME", "Let the scenario read this environment variable. Repeatable."),
    ...playerOptions,
    option.flag("watch", "Play again when a scenario or its fixture changes."),
    ...shrinkOptions,
    jsonOption,
  ],
  epilogue:
    "  sandbox play scenarios/\n  sandbox play scenarios/last-seat-is-sold-once.yaml --reporter junit --output report.xml\n  sandbox play story.yaml --shrink --out shorter.yaml",
  run: (call) => (call.given.flag("shrink") ? shrinkScenario(call) : playAll(call)),
};

async function playAll({ args, given, terminal }: Call): Promise<number> {
  // A misspelt path would play no scenario and pass.
  const missing = args.find((path) => !existsSync(path));
  if (missing !== undefined) throw new Misuse(`There is no ${missing}. Name a scenario or a folder of scenarios.`);
  const scenarios = await import("../../stories/scenario/index.ts");
  const output = given.text("output");
  if (output !== undefined) assertReportFile(output, scenarios.findScenarioFiles(args).files);
  const reporter = getText(given, "reporter") as NonNullable<PlayOptions["reporter"]>;
  const stop = new AbortController();
  void waitForStopSignal().then((name) => stop.abort(name));
  const { signal } = stop;
  // Each scenario and each open request adds a listener.
  setMaxListeners(0, signal);
  const options: PlayOptions = {
    ...describePlayer(given),
    reporter,
    bail: given.flag("bail"),
    json: given.flag("json"),
    signal,
    // Failed worlds would accumulate with --watch.
    keepsFailed: !given.flag("watch"),
    // The spec report is for people, the others are for programs.
    write: reporter === "spec" ? (text) => terminal.write(terminal.wrapLines(text)) : terminal.write,
    reportComplaint: terminal.writeStderr,
    terminal: terminal.colours && output === undefined,
    ...(output === undefined
      ? { paint: terminal.paint }
      : { output: { file: output, write: (text) => writeOutput(output, text) } }),
  };
  for (;;) {
    const changed = given.flag("watch") ? waitForChange(args, scenarios, signal) : undefined;
    const code = await scenarios.playCommand([...args], options);
    if (changed && !signal.aborted) {
      // The exit code is ignored, because --watch runs until Ctrl-C.
      terminal.say("Waiting for changes. Press Ctrl-C to stop.");
      await changed;
    }
    if (signal.aborted) return toExitCode(signal.reason);
    if (!changed) return code;
  }
}

/** Throws a Misuse if the report can't be written, or would overwrite a scenario. */
function assertReportFile(output: string, scenarios: readonly string[]): void {
  const isSame = (file: string) => existsSync(file) && realpathSync(file) === realpathSync(output);
  if (existsSync(output) && scenarios.some(isSame))
    throw new Misuse(`--output ${output} is one of the scenarios to play. Name another file.`);
  assertWritable("--output", output);
}

/**
 * Resolves at the next change of a scenario or its fixture, or at the abort. It starts watching before the play, so that no change is
 * missed.
 */
async function waitForChange(paths: readonly string[], { findScenarioFiles, load }: Scenarios, signal: AbortSignal) {
  const findFixture = (file: string) => join(dirname(file), load(file).loaded?.scenario.fixture ?? "");
  const named = paths.map((path) => (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path)));
  const files = findScenarioFiles(paths).files;
  const fixtures = files.map(findFixture).filter((folder) => existsSync(join(folder, "world.json")));
  const folders = [...named, ...files.map((file) => dirname(file)), ...fixtures].filter((folder) => existsSync(folder));
  const change = new AbortController();
  const end = watchFolders(folders, () => change.abort());
  signal.addEventListener("abort", () => change.abort(), { once: true });
  await once(change.signal, "abort");
  end();
}

/** Error codes for --json. An invalid scenario is wrong usage and has no code here. */
const CODES = { passes: "SCENARIO_PASSES", unsteady: "SCENARIO_UNSTEADY", unplayed: "FAILED" };

/** Returns 0 if the scenario is shorter or can't be shortened. */
async function shrinkScenario({ args: [file = "", ...others], given, terminal }: Call): Promise<number> {
  if (others.length > 0) throw new Misuse("--shrink takes one scenario. Name one file.");
  if (!existsSync(file) || statSync(file).isDirectory())
    throw new Misuse(`${existsSync(file) ? `${file} is a folder` : `There is no ${file}`}. Name one scenario.`);
  const out = given.text("out");
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
    ...describePlayer(given),
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
  const { text, ...about } = shorter;
  if (given.flag("json")) terminal.json({ ...about, ...(out === undefined ? { text } : { file: out }) });
  else if (out === undefined) terminal.write(text);
  const { from, to, plays, fails, unfinished } = shorter;
  const early = stopped ? "stopped" : `the budget of ${given.number("budget")} s is used up`;
  terminal.say(
    [
      `${from} → ${count(to, "step")} after ${count(plays, "play")}${out === undefined ? "" : `, in ${out}`}.`,
      `Fails as before at ${fails}`,
      ...(unfinished ? [`Not every step was tried: ${early}.`] : []),
    ].join("\n"),
  );
  return 0;
}
