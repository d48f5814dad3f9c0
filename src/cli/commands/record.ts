// sandbox record: writes activity in a world as a scenario, from now until Ctrl-C, or for a period of the past.
import { existsSync } from "node:fs";
import { dirname, join, parse, relative, resolve } from "node:path";
import { SandboxError } from "../../client/sandbox-error.ts";
import { count } from "../../platform/count.ts";
import { optional } from "../../platform/optional.ts";
import { getPackageRoot } from "../../platform/package-folder.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { formatRecording } from "../../stories/index.ts";
import type { Recorder, Recording } from "../../stories/recording/index.ts";
import { type Client, createClient, toFailure } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { ownFolders, startOwnSandbox } from "../own-sandbox.ts";
import { abortOnStop } from "../stop-signal.ts";
import { follow } from "../stream.ts";
import { formatLogEntry } from "../terminal/log-line.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { assertFree, forceOption, writeWhole } from "../whole-file.ts";

export const record: Command = {
  name: "record",
  summary: "Record activity in a world as a scenario, until Ctrl-C.",
  arguments: [["<file>", "The scenario to write: JSON if it ends in .json, otherwise YAML."]],
  options: [
    option.text(
      "since",
      "P",
      "Record past activity since then: `start` of the world, a change number, an id of the log, or an instant.",
    ),
    option.text("until", "P", "With --since: the end of the period; default: now."),
    option.text("title", "TEXT", "Title of the scenario; default: the name of the file."),
    option.flag("no-check", "Do not play the scenario to verify it."),
    forceOption,
    ...clientOptions,
  ],
  epilogue:
    "The scenario begins with earlier changes of the world, without expectations. The command\nplays it once in a fresh world. Exit codes: 0 it passes, 1 it fails; the file is kept.\n\n  sandbox record story.yaml\n  sandbox record story.yaml --since start\n  sandbox record story.yaml --since req-1f3a2b-7 --until req-1f3a2b-12",
  run: recordWorld,
};

async function recordWorld({ args: [file = ""], given, terminal }: Call): Promise<number> {
  const [since, until, title] = ["since", "until", "title"].map((name) => given.text(name));
  if (until !== undefined && since === undefined)
    throw new Misuse("--until requires --since, the beginning of the period, such as `--since start`.");
  const force = given.flag("force");
  // The file is checked first, because the recording may take an hour.
  assertFree(file, force);
  const client = createClient(given);
  const { fixtures } = await client.ask(client.control.GET("/_sandbox"));
  const { startRecording } = await import("../../stories/recording/index.ts");
  const recordActivity = async () => {
    const recorder = await startRecording(client, client.world, { since, until });
    if (since === undefined) await recordUntilStopped(recorder, client, terminal);
    return { recorder, recording: await recorder.finish(title ?? toTitle(file)) };
  };
  const { recorder, recording } = await recordActivity().catch((reason) => rethrow(reason, client));
  nameFolder(recording, file, fixtures);
  writeWhole(file, formatScenario(recording, file), force);
  const problems = given.flag("no-check") ? undefined : await findPlayProblems(file, client);
  const { scenario, leftOut } = recording;
  const [steps, entries, before] = [scenario.steps.length, recorder.entries().length, recorder.before()];
  if (given.flag("json"))
    terminal.json({ file, steps, entries, before, left_out: leftOut, ...optional({ faults: problems }) });
  else {
    terminal.print(`${file}: ${count(steps, "step")} from ${count(entries, "entry", "entries")} of the log.`);
    for (const sentence of describeRecording(recording, before, problems, file)) terminal.say(sentence);
  }
  return problems?.length ? 1 : 0;
}

/** Plays the scenario once and returns its differences. */
async function findPlayProblems(file: string, { url, controlToken }: Client): Promise<readonly string[]> {
  const { explainNotPlayed } = await import("../../stories/scenario/index.ts");
  return explainNotPlayed(file, { url, ...optional({ controlToken }), start: startOwnSandbox, folders: ownFolders });
}

function describeRecording(
  { leftOut }: Recording,
  before: number,
  problems: readonly string[] | undefined,
  file: string,
): string[] {
  const earlier = count(before, "earlier entry", "earlier entries");
  const play = toCommand(["sandbox", "play", file]);
  return [
    ...(before > 0 ? [`The world was changed before: the scenario begins with ${earlier} of the log.`] : []),
    ...leftOut,
    ...(problems?.length
      ? [...problems, `${file} was written, but fails. Change it, then run \`${play}\`.`]
      : [`${problems ? "The scenario passes: " : "Play it with "}\`${play}\`.`]),
  ];
}

/** Reads the log whenever the stream has an event, because only the log has complete entries. */
async function recordUntilStopped(recorder: Recorder, client: Client, terminal: Terminal): Promise<void> {
  const signal = abortOnStop();
  const stream = await follow(client, signal);
  terminal.say(`Recording the world ${client.world} of ${client.url}. Press Ctrl-C to stop and write the scenario.`);
  /** Shows nothing if the sandbox has stopped. */
  const showNewEntries = async () => {
    const found = await recorder.read().catch((reason: unknown) => {
      if (reason instanceof TypeError) return [];
      throw reason;
    });
    for (const entry of found) terminal.say(formatLogEntry(entry as Parameters<typeof formatLogEntry>[0], terminal));
  };
  // A fact belongs to an entry that has its own event.
  for await (const { type } of stream) if (type !== "fact") await showNewEntries();
  if (!signal.aborted) terminal.say(`The sandbox at ${client.url} has stopped.`);
  await showNewEntries();
}

/** Translates errors of the recorder to errors of the command line. */
function rethrow(reason: unknown, client: Client): Promise<never> {
  if (reason instanceof SandboxError) throw toFailure(reason, reason.status, client.url);
  // fetch throws a TypeError if the sandbox is unreachable; the client translates it.
  if (reason instanceof TypeError) return client.ask(Promise.reject(reason));
  throw reason;
}

/** Converts `last-seat.yaml` to `Last seat`. */
function toTitle(file: string): string {
  const words = parse(file).name.replaceAll(/[-_]+/g, " ");
  return words.replace(/^./, (letter) => letter.toUpperCase());
}

/** Replaces a fixture that the sandbox does not have by name with the path of its folder. */
function nameFolder({ scenario, leftOut }: Recording, file: string, names: readonly string[]): void {
  const { fixture } = scenario;
  if (typeof fixture !== "string" || names.includes(fixture)) return;
  // The path is relative to the scenario, so that both can be moved together.
  const home = dirname(resolve(file));
  const folder = [resolve(fixture), join(home, fixture)].find((each) => existsSync(join(each, "world.json")));
  if (folder !== undefined) scenario.fixture = toScenarioPath(relative(home, folder));
  else
    leftOut.push(
      `The fixture ${fixture} of the world is neither in this folder nor next to ${file}. Write the path of its folder in \`fixture\`.`,
    );
}

const toScenarioPath = (path: string): string => (path.startsWith(".") ? path : `./${path}`).replaceAll("\\", "/");

function formatScenario(recording: Recording, file: string): string {
  if (file.endsWith(".json")) return `${JSON.stringify(recording.scenario, null, 2)}\n`;
  // The schema enables completion in editors. Outside of node_modules its path would only exist on this machine.
  const schema = relative(dirname(resolve(file)), join(getPackageRoot(), "spec", "scenario.schema.json"));
  return formatRecording(recording, schema.includes("node_modules") ? toScenarioPath(schema) : undefined);
}
