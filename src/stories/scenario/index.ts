// The entry point of the scenario player, which uses the sandbox over HTTP only. It checks every file before anything runs, plays each in
// a fresh world, and reports.
import { toCommand } from "../../platform/shell-quoted.ts";
import { findProblems } from "./check/index.ts";
import { SandboxUnreachable } from "./client.ts";
import { findScenarioFiles } from "./files.ts";
import type { FixtureFolders } from "./fixture-folder.ts";
import { load } from "./load.ts";
import { reporters } from "./report/index.ts";
import { countResults, type Look, type Reporter } from "./report/reporter.ts";
import { expandRuns } from "./rows.ts";
import type { Loaded, Result } from "./scenario.ts";
import { type Application, type Choice, playIn, type Start, withApplication } from "./target.ts";
import { suggest } from "./unknown.ts";

export { findScenarioFiles } from "./files.ts";
export { load } from "./load.ts";
export { play } from "./play.ts";
export type { Loaded, Target } from "./scenario.ts";
export { createTranscript } from "./transcript.ts";
export { explainNotPlayed } from "./trial.ts";

export interface PlayOptions {
  reporter?: string;
  /** A file for the report, instead of stdout. `write` throws where it can't be written. */
  output?: { file: string; write(text: string): void };
  bail?: boolean;
  /** A running sandbox; otherwise `start` makes one. */
  url?: string;
  controlToken?: string;
  json?: boolean;
  /** Whether the world of a failed scenario stays in the running sandbox, for `sandbox why`. */
  keepsFailed?: boolean;
  /** Environment variables that scenarios may read in addition to SANDBOX_URL and similar ones. Default: none. */
  env?: readonly string[];
  /** Stops the run. Its worlds are removed, and the report has the steps until then. */
  signal?: AbortSignal;
  start: Start;
  folders?: FixtureFolders;
  /** Write the report, and messages for the user. */
  write?(text: string): void;
  reportComplaint?(text: string): void;
  /** Whether the report goes to a terminal, and how to colour it. */
  terminal?: boolean;
  paint?: Look["paint"];
}

/** Returns 0 if all passed, 1 if a scenario failed or no sandbox is available, 2 if the files or options are invalid. */
export async function playCommand(paths: readonly string[], options: PlayOptions): Promise<number> {
  const name = options.json ? "json" : (options.reporter ?? "spec");
  const make = Object.hasOwn(reporters, name) ? reporters[name] : undefined;
  // All files are checked before the first is played, so that an error in the last is found immediately.
  const { files, problems } = findScenarioFiles(paths);
  if (!make) problems.push(suggest("reporter", name, Object.keys(reporters)));
  const read = files.map(load);
  const loaded = read.flatMap((each) => each.loaded ?? []);
  if (!make || loaded.length === 0) return fail([...problems, ...read.flatMap((each) => findProblems(each))], options);
  const reporter = make({
    terminal: options.terminal ?? isTerminal(options),
    formatReplayCommand: formatReplayCommand(options),
    paint: options.paint ?? ((_, text) => text),
  });
  try {
    // The sandbox is needed to check names that only it knows, such as operations.
    return await withApplication(options, loaded, async (application) => {
      problems.push(...read.flatMap((each) => findProblems(each, application.known)));
      if (problems.length > 0) return fail(problems, options);
      const results = await playAll(loaded.flatMap(expandRuns), application, options, reporter);
      return results.every(({ passed, skipped }) => passed || skipped !== undefined) ? 0 : 1;
    });
  } catch (reason) {
    if (!(reason instanceof SandboxUnreachable)) throw reason;
    fail([reason.message], options, reason.code);
    return 1;
  }
}

/** Returns the problems of each file that `playCommand` would report, without playing anything. */
export async function validateScenarios(
  files: readonly string[],
  choice: Pick<Choice, "start" | "folders">,
): Promise<string[][]> {
  const read = files.map(load);
  const loaded = read.flatMap((each) => each.loaded ?? []);
  if (loaded.length === 0) return read.map((each) => findProblems(each));
  // Validation reads no variables, so a scenario may name any.
  return withApplication(choice, loaded, async ({ known: { env: _, ...known } }) =>
    read.map((each) => findProblems(each, known)),
  );
}

/** `code` is for programs, which get it instead of the report. */
function fail(problems: readonly string[], options: PlayOptions, code = "WRONG_USAGE"): number {
  const message = problems.join("\n");
  reportComplaint(options, `${message}\nNothing was played.\n`);
  if (options.json) selectWriter(options)(`${JSON.stringify({ error: { code, message } })}\n`);
  return 2;
}

const selectWriter = ({ write }: PlayOptions) => write ?? ((text: string) => void process.stdout.write(text));

function reportComplaint({ reportComplaint: say }: PlayOptions, text: string): void {
  if (say) say(text);
  else process.stderr.write(text);
}

function formatSummary(results: readonly Result[]): string {
  const { passed, failed, skipped } = countResults(results);
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

async function playAll(
  loaded: readonly Loaded[],
  application: Application,
  options: PlayOptions,
  reporter: Reporter,
): Promise<Result[]> {
  const report: string[] = [];
  const direct = selectWriter(options);
  const write = (text = "") => void (options.output === undefined ? text !== "" && direct(text) : report.push(text));
  const started = performance.now();
  const results: Result[] = [];
  write(reporter.reportPlan?.(loaded.length));
  for (const [index, each] of loaded.entries()) {
    write(reporter.reportScenario?.(each.scenario.title, each.file));
    const result = await playIn(application, each, options, (step) => write(reporter.reportStep?.(step)));
    results.push(result);
    write(reporter.reportResult?.(result, index + 1));
    if (options.signal?.aborted) break;
    if (options.bail && !result.passed && result.skipped === undefined) break;
  }
  const left = loaded.length - results.length;
  write(reporter.reportEnd?.({ results, left, duration_ms: performance.now() - started }));
  options.output?.write(report.join(""));
  if (options.output && !options.json)
    reportComplaint(options, `${formatSummary(results)}; the report is in ${options.output.file}.\n`);
  return results;
}

function isTerminal({ output, write }: PlayOptions): boolean {
  return output === undefined && write === undefined && process.stdout.isTTY === true && !process.env.NO_COLOR;
}

const formatReplayCommand =
  ({ url, env = [] }: PlayOptions) =>
  (file: string): string =>
    toCommand([
      "sandbox",
      "play",
      file,
      ...(url === undefined ? [] : ["--url", url]),
      ...env.flatMap((name) => ["--env", name]),
    ]);

export type { FixtureFolders } from "./fixture-folder.ts";
export { arrange } from "./operations.ts";
