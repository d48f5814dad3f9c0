// The door of the scenario player: a client of the sandbox that speaks HTTP only. It checks every file before anything runs, plays
// each in a fresh world, and reports.
import { typed } from "../../platform/shell-quoted.ts";
import { problemsOf } from "./check/index.ts";
import { SandboxUnreachable } from "./client.ts";
import { filesAt } from "./files.ts";
import { checkFolders, type FixtureFolders } from "./fixture-folder.ts";
import { load } from "./load.ts";
import { reporters } from "./report/index.ts";
import { counts, type Look, type Reporter } from "./report/reporter.ts";
import { runsOf } from "./rows.ts";
import type { Loaded, Result } from "./scenario.ts";
import { type Application, type Choice, opened, playIn, type Start } from "./target.ts";
import { unknown } from "./unknown.ts";

export { filesAt } from "./files.ts";
export { load } from "./load.ts";
export { play } from "./play.ts";
export type { Loaded, Target } from "./scenario.ts";
export { transcriptOf } from "./transcript.ts";
export { whyNotPlayed } from "./trial.ts";

export interface PlayOptions {
  reporter?: string;
  /** A file for the report, instead of stdout. `write` throws where it can't be written. */
  output?: { file: string; write(text: string): void };
  bail?: boolean;
  /** A running sandbox; otherwise `start` makes one. */
  url?: string;
  controlToken?: string;
  json?: boolean;
  /** The world of a story that failed stays in the running sandbox, for `sandbox why`. */
  keepsFailed?: boolean;
  /** Variables of the environment that scenarios may read, beside SANDBOX_URL and its like. Default: none. */
  env?: readonly string[];
  /** Ends the play: what it made is removed, and the report has what was played until then. */
  signal?: AbortSignal;
  start: Start;
  folders?: FixtureFolders;
  /** Where the report and the words for people go. */
  write?(text: string): void;
  complain?(text: string): void;
  /** Whether the report goes to a terminal that may have colour, and how it is coloured there. */
  terminal?: boolean;
  paint?: Look["paint"];
}

/** 0 all passed, 1 a scenario failed or there is no sandbox to play in, 2 refused before it ran. */
export async function playCommand(paths: readonly string[], options: PlayOptions): Promise<number> {
  const name = options.json ? "json" : (options.reporter ?? "spec");
  const make = Object.hasOwn(reporters, name) ? reporters[name] : undefined;
  // All files are checked before one is played: a mistake in the last must not be found after an hour.
  const { files, problems } = filesAt(paths);
  if (!make) problems.push(unknown("reporter", name, Object.keys(reporters)));
  const read = files.map(load);
  const loaded = read.flatMap((each) => each.loaded ?? []);
  if (!make || loaded.length === 0) return refused([...problems, ...read.flatMap((each) => problemsOf(each))], options);
  let application: Application | undefined;
  try {
    // What only a sandbox knows, such as its operations, is checked now.
    application = await opened(options);
    const known = { ...application.known, folders: await checkFolders(loaded, options.folders) };
    problems.push(...read.flatMap((each) => problemsOf(each, known)));
    if (problems.length > 0) return refused(problems, options);
    const results = await playAll(
      loaded.flatMap(runsOf),
      application,
      options,
      make({
        terminal: options.terminal ?? isTerminal(options),
        again: again(options),
        paint: options.paint ?? ((_, text) => text),
      }),
    );
    return results.every(({ passed, skipped }) => passed || skipped !== undefined) ? 0 : 1;
  } catch (reason) {
    if (!(reason instanceof SandboxUnreachable)) throw reason;
    refused([reason.message], options, reason.code);
    return 1;
  } finally {
    await application?.close();
  }
}

/** What is wrong with each file, as `playCommand` would find before it plays; nothing runs. */
export async function validateScenarios(
  files: readonly string[],
  choice: Pick<Choice, "start" | "folders">,
): Promise<string[][]> {
  const read = files.map(load);
  const loaded = read.flatMap((each) => each.loaded ?? []);
  if (loaded.length === 0) return read.map((each) => problemsOf(each));
  const application = await opened(choice);
  try {
    // Nothing is read, so a scenario may name any variable.
    const { env: _, ...names } = application.known;
    const known = { ...names, folders: await checkFolders(loaded, choice.folders) };
    return read.map((each) => problemsOf(each, known));
  } finally {
    await application.close();
  }
}

/** `code`: for programs, which read it in the place of the report. */
function refused(problems: readonly string[], options: PlayOptions, code = "WRONG_USAGE"): number {
  const message = problems.join("\n");
  complain(options, `${message}\nNothing was played.\n`);
  if (options.json) writerOf(options)(`${JSON.stringify({ error: { code, message } })}\n`);
  return 2;
}

const writerOf = ({ write }: PlayOptions) => write ?? ((text: string) => void process.stdout.write(text));

function complain({ complain: say }: PlayOptions, text: string): void {
  if (say) say(text);
  else process.stderr.write(text);
}

function worded(results: readonly Result[]): string {
  const { passed, failed, skipped } = counts(results);
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

async function playAll(
  loaded: readonly Loaded[],
  application: Application,
  options: PlayOptions,
  reporter: Reporter,
): Promise<Result[]> {
  const report: string[] = [];
  const direct = writerOf(options);
  const write = (text = "") => void (options.output === undefined ? text !== "" && direct(text) : report.push(text));
  const started = performance.now();
  const results: Result[] = [];
  write(reporter.begin?.(loaded.length));
  for (const [index, each] of loaded.entries()) {
    write(reporter.scenario?.(each.scenario.title, each.file));
    const result = await playIn(application, each, options, (step) => write(reporter.step?.(step)));
    results.push(result);
    write(reporter.result?.(result, index + 1));
    if (options.signal?.aborted) break;
    if (options.bail && !result.passed && result.skipped === undefined) break;
  }
  const left = loaded.length - results.length;
  write(reporter.end?.({ results, left, duration_ms: performance.now() - started }));
  options.output?.write(report.join(""));
  if (options.output && !options.json)
    complain(options, `${worded(results)}; the report is in ${options.output.file}.\n`);
  return results;
}

function isTerminal({ output, write }: PlayOptions): boolean {
  return output === undefined && write === undefined && process.stdout.isTTY === true && !process.env.NO_COLOR;
}

const again =
  ({ url, env = [] }: PlayOptions) =>
  (file: string): string =>
    typed([
      "sandbox",
      "play",
      file,
      ...(url === undefined ? [] : ["--url", url]),
      ...env.flatMap((name) => ["--env", name]),
    ]);

export type { FixtureFolders } from "./fixture-folder.ts";
export { arrange } from "./operations.ts";
