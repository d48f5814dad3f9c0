// The entry point of the scenario player, which uses the sandbox over HTTP only. It checks every file before anything runs, plays each in
// a fresh world, and reports.
import { toCommand } from "../../platform/shell-quoted.ts";
import { findProblems } from "./check/index.ts";
import { SandboxUnreachable } from "./client.ts";
import { findScenarioFiles, load } from "./load.ts";
import { countResults, display, type Look, type Reporter, reporters } from "./report.ts";
import { expandRuns } from "./rows.ts";
import type { Loaded, Result } from "./scenario.ts";
import { type Application, type Choice, playIn, withApplication } from "./target.ts";

export type { FixtureFolders } from "./fixture-folder.ts";
export { findScenarioFiles, load } from "./load.ts";
export { arrange } from "./operations.ts";
export { play } from "./play.ts";
export type { Loaded, Target } from "./scenario.ts";
export { createTranscript } from "./transcript.ts";

/** If `signal` stops the run, its worlds are removed, and the report has the steps until then. */
export interface PlayOptions extends Omit<Choice, "patienceMs"> {
  reporter?: keyof typeof reporters;
  /** A file for the report, instead of stdout. `write` throws where it can't be written. */
  output?: { file: string; write(text: string): void };
  bail?: boolean;
  json?: boolean;
  /** Write the report, and messages for the user. */
  write(text: string): void;
  reportComplaint(text: string): void;
  /** Whether the report goes to a terminal, and how to colour it. */
  terminal?: boolean;
  paint?: Look["paint"];
}

/** Returns 0 if all passed, 1 if a scenario failed or no sandbox is available, 2 if the files or options are invalid. */
export async function playCommand(paths: readonly string[], options: PlayOptions): Promise<number> {
  const name = options.json ? "json" : (options.reporter ?? "spec");
  // All files are checked before the first is played, so that an error in the last is found immediately.
  const { files, problems } = findScenarioFiles(paths);
  const read = files.map(load);
  const loaded = read.flatMap((each) => each.loaded ?? []);
  if (loaded.length === 0) return fail([...problems, ...read.flatMap((each) => findProblems(each))], options);
  const reporter = reporters[name]({
    terminal: options.terminal ?? false,
    formatReplayCommand: (file) => formatReplayCommand(file, options),
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
  options.reportComplaint(`${message}\nNothing was played.\n`);
  if (options.json) options.write(`${JSON.stringify({ error: { code, message } })}\n`);
  return 2;
}

async function playAll(
  loaded: readonly Loaded[],
  application: Application,
  options: PlayOptions,
  reporter: Reporter,
): Promise<Result[]> {
  const report: string[] = [];
  const write = (text = "") => void (options.output ? report.push(text) : text !== "" && options.write(text));
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
  if (options.output && !options.json) {
    const { passed, failed, skipped } = countResults(results);
    const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
    options.reportComplaint(`${counts}; the report is in ${options.output.file}.\n`);
  }
  return results;
}

function formatReplayCommand(file: string, { url, env = [] }: PlayOptions): string {
  const target = url === undefined ? [] : ["--url", url];
  return toCommand(["sandbox", "play", file, ...target, ...env.flatMap((name) => ["--env", name])]);
}

// Tests whether a scenario plays, in the running sandbox if possible, and otherwise in a new one.

interface Trial {
  problems: readonly string[];
  /** Whether the trial has no result, because this sandbox can't play the scenario. */
  isVoid?: boolean;
}

/** Returns why the scenario does not play, with positions in the file; empty if it plays. */
export async function explainNotPlayed(file: string, choice: Choice): Promise<readonly string[]> {
  const { url: _, ...own } = choice;
  // The sandbox of the recording is tried first, because it has the settings that the scenario needs.
  const there = await runTrial(file, choice);
  return there.isVoid && choice.url !== undefined ? (await runTrial(file, own)).problems : there.problems;
}

async function runTrial(file: string, choice: Choice): Promise<Trial> {
  const read = load(file);
  const { loaded } = read;
  if (!loaded) return { problems: findProblems(read) };
  try {
    return await withApplication(choice, [loaded], async (application) => {
      const problems = findProblems(read, application.known);
      if (problems.length > 0) return { problems };
      return toTrial(await playIn(application, loaded, choice, () => undefined), loaded);
    });
  } catch (reason) {
    if (!(reason instanceof SandboxUnreachable)) throw reason;
    return { problems: [`${file}: ${reason.message}`], isVoid: true };
  }
}

function toTrial({ file, skipped, trouble, steps }: Result, { locate }: Loaded): Trial {
  const outside = skipped ?? trouble;
  if (outside !== undefined) return { problems: [`${file}: ${outside}`], isVoid: true };
  const problems = steps.flatMap(({ name, differences }, index) =>
    differences.map(({ path, wanted, actual }) => {
      const { line, column } = locate(["steps", index]);
      const what = path === "" ? "" : `${path} `;
      return `${file}:${line}:${column}: ${name}: ${what}wanted ${display(wanted)}, came ${display(actual)}`;
    }),
  );
  return { problems };
}
