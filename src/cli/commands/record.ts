// sandbox record: what happens in a world becomes a scenario, from now until Ctrl-C, or over a stretch that is past.
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { SandboxError } from "../../client/sandbox-error.ts";
import { count } from "../../platform/count.ts";
import { optional } from "../../platform/optional.ts";
import { getPackageRoot } from "../../platform/package-folder.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { textOf } from "../../stories/index.ts";
import type { Recorder, Recording } from "../../stories/recording/index.ts";
import { type Client, createClient } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { ownFolders, startOwnSandbox } from "../own-sandbox.ts";
import { toFailure } from "../rejection.ts";
import { abortOnStop } from "../stop-signal.ts";
import { follow } from "../stream.ts";
import { entryLine } from "../terminal/log-line.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { assertFree, forceOption, writeWhole } from "../whole-file.ts";

export const record: Command = {
  name: "record",
  summary: "Make a scenario of what happens in a world, until Ctrl-C.",
  arguments: [["<file>", "The scenario to write: YAML, or JSON where it ends in .json."]],
  options: [
    option.text(
      "since",
      "P",
      "Do not wait: take what has happened since then. `start` is where the world began; otherwise a seq, an id of the log, or an instant.",
    ),
    option.text("until", "P", "With --since: up to there; default: now."),
    option.text("title", "TEXT", "What the story shows; default: the name of the file."),
    option.flag("no-check", "Do not play what was written, to see that it plays."),
    forceOption,
    ...clientOptions,
  ],
  epilogue:
    "What changed the world before the story comes first in it, without expectations. What was\nwritten is played once in a fresh world. Exit codes: 0 it plays, 1 it does not: the file stays.\n\n  sandbox record story.yaml\n  sandbox record story.yaml --since start\n  sandbox record story.yaml --since req-1f3a2b-7 --until req-1f3a2b-12",
  run: recordWorld,
};

async function recordWorld({ args: [file = ""], given, terminal }: Call): Promise<number> {
  const [since, until, title] = ["since", "until", "title"].map((name) => given.text(name));
  if (until !== undefined && since === undefined)
    throw new Misuse("--until goes with --since, which says where the story begins, such as `--since start`.");
  const force = given.flag("force");
  // Before the recording, which may take an hour.
  assertFree(file, force);
  const client = createClient(given);
  const { fixtures } = await client.ask(client.control.GET("/_sandbox"));
  const { startRecording } = await import("../../stories/recording/index.ts");
  const recorder = await inWords(startRecording(client, client.world, { since, until }), client);
  if (since === undefined) await inWords(recordUntilStopped(recorder, client, terminal), client);
  const recording = await inWords((async () => recorder.finish(title ?? titleOf(file)))(), client);
  nameFolder(recording, file, fixtures);
  writeWhole(file, written(recording, file), force);
  const problems = given.flag("no-check") ? undefined : await problemsIn(file, client);
  report({ ...recording, problems }, recorder, file, { given, terminal });
  return problems?.length ? 1 : 0;
}

/** What differs when it is played once. */
async function problemsIn(file: string, { url, controlToken }: Client): Promise<readonly string[]> {
  const { whyNotPlayed } = await import("../../stories/scenario/index.ts");
  return whyNotPlayed(file, { url, ...optional({ controlToken }), start: startOwnSandbox, folders: ownFolders });
}

/** Each event of the stream is a reason to read the log, which has it whole. */
async function recordUntilStopped(recorder: Recorder, client: Client, terminal: Terminal): Promise<void> {
  const signal = abortOnStop();
  const stream = await follow(client, signal);
  terminal.say(`Recording the world ${client.world} of ${client.url}. Ctrl-C ends it and writes the scenario.`);
  /** A sandbox that has stopped has nothing to add. */
  const tell = async () => {
    const found = await recorder.read().catch((reason: unknown) => {
      if (reason instanceof TypeError) return [];
      throw reason;
    });
    for (const entry of found) terminal.say(entryLine(entry as Parameters<typeof entryLine>[0], terminal));
  };
  // Facts come with the entry that caused them, which is in the log too.
  for await (const { type } of stream) if (type !== "fact") await tell();
  if (!signal.aborted) terminal.say(`The sandbox at ${client.url} has stopped.`);
  await tell();
}

/** An error of the recorder in the words of the command line. */
async function inWords<T>(work: Promise<T>, client: Client): Promise<T> {
  return work.catch((reason: unknown) => {
    if (reason instanceof SandboxError) throw toFailure(reason, reason.status, client.url);
    // What fetch throws where nobody answers; the client words it.
    if (reason instanceof TypeError) return client.ask(Promise.reject(reason));
    throw reason;
  });
}

/** story.yaml → Story; a sentence is better, and `--title` takes one. */
function titleOf(file: string): string {
  const words = (file.split(/[\\/]/).at(-1) ?? file).replace(/\.\w+$/, "").replaceAll(/[-_]+/g, " ");
  return words.replace(/^./, (letter) => letter.toUpperCase());
}

/** A fixture that the sandbox does not have by name is a folder, relative to the file of the scenario. */
function nameFolder({ scenario, leftOut }: Recording, file: string, names: readonly string[]): void {
  const { fixture } = scenario;
  if (typeof fixture !== "string" || names.includes(fixture)) return;
  // The path is written relative to the scenario, so that both can be moved together.
  const home = dirname(resolve(file));
  const folder = [resolve(fixture), join(home, fixture)].find((each) => existsSync(join(each, "world.json")));
  if (folder !== undefined) scenario.fixture = asPath(relative(home, folder));
  else
    leftOut.push(
      `The world began with the fixture ${fixture}, which is neither in this folder nor beside ${file}: name its folder in \`fixture\`.`,
    );
}

const asPath = (path: string): string => (path.startsWith(".") ? path : `./${path}`).replaceAll("\\", "/");

function written(recording: Recording, file: string): string {
  if (file.endsWith(".json")) return `${JSON.stringify(recording.scenario, null, 2)}\n`;
  // Editors then complete the scenario. Outside of a project the path would be one of this machine alone.
  const schema = relative(dirname(resolve(file)), join(getPackageRoot(), "spec", "scenario.schema.json"));
  return textOf(recording, schema.includes("node_modules") ? asPath(schema) : undefined);
}

function report(
  { scenario, leftOut, problems }: Recording & { problems: readonly string[] | undefined },
  recorder: Recorder,
  file: string,
  { given, terminal }: Pick<Call, "given" | "terminal">,
): void {
  const [steps, entries, before] = [scenario.steps.length, recorder.entries().length, recorder.before()];
  if (given.flag("json")) {
    terminal.json({ file, steps, entries, before, left_out: leftOut, ...optional({ faults: problems }) });
    return;
  }
  terminal.print(`${file}: ${count(steps, "step")} from ${count(entries, "entry", "entries")} of the log.`);
  if (before > 0)
    terminal.say(
      `The world was changed before: ${count(before, "entry of the log comes", "entries of the log come")} first in the story.`,
    );
  for (const sentence of leftOut) terminal.say(sentence);
  const play = toCommand(["sandbox", "play", file]);
  if (problems?.length)
    terminal.say([...problems, `${file} stays, but it does not play yet. Change it, then \`${play}\`.`].join("\n"));
  else terminal.say(`${problems ? "It plays: " : "Play it with "}\`${play}\`.`);
}
