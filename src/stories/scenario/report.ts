// Defines the reporters. The player calls their methods in order, and writes the returned text.
import { count } from "../../platform/count.ts";
import { type Case, formatJunit, type Suite } from "../junit.ts";
import type { Played, Result } from "./scenario.ts";
import { createTranscript } from "./transcript.ts";

interface Summary {
  results: readonly Result[];
  /** The number of scenarios that were not started, because a failure or a signal ended the run. */
  left: number;
  duration_ms: number;
}

/** Each method is optional. A reporter that writes one document has only `reportEnd`. */
export interface Reporter {
  /** `count` is the number of scenarios. */
  reportPlan?(count: number): string;
  reportScenario?(title: string, file: string): string;
  reportStep?(step: Played): string;
  reportResult?(result: Result, number: number): string;
  reportEnd?(summary: Summary): string;
}

type Style = "bold" | "dim" | "red" | "green" | "yellow";

export interface Look {
  /** Whether the report goes to a terminal, and then includes durations. */
  terminal: boolean;
  /** Colours the text for the terminal. */
  paint(style: Style, text: string): string;
  /** Returns the command that plays the file again, for `${command} --reporter json`. */
  formatReplayCommand(file: string): string;
}

/** Lists why the request of a step was rejected, and the command that shows more about a failed step. */
const listReasonLines = ({ refusal, command }: Played): string[] => [refusal?.reason ?? [], command ?? []].flat();

/** Formats a value as text that fits on a line. */
export function display(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 400 ? `${text.slice(0, 397)}…` : text;
}

export function countResults(results: readonly Result[]): { passed: number; failed: number; skipped: number } {
  const skipped = results.filter((result) => result.skipped !== undefined).length;
  const failed = results.filter(({ passed, skipped: why }) => !passed && why === undefined).length;
  return { passed: results.length - failed - skipped, failed, skipped };
}

export const reporters = { spec, tap, junit, json } satisfies Record<string, (look: Look) => Reporter>;

/** Reports the transcripts of all scenarios as one JSON document, which is identical in two runs with the same seed. */
function json(): Reporter {
  return {
    reportEnd({ results }) {
      const summary = countResults(results);
      const document = { passed: summary.failed === 0, counts: summary, scenarios: results.map(createTranscript) };
      return `${JSON.stringify(document, null, 2)}\n`;
    },
  };
}

// Reports as JUnit XML: a scenario is a suite, a step is a case.

function junit(): Reporter {
  return { reportEnd: ({ results, duration_ms }) => formatJunit("sandbox play", results.map(toSuite), duration_ms) };
}

function toSuite({ title, file, steps, left, skipped, trouble, duration_ms }: Result): Suite {
  // Steps that were not played are also cases, so that every run has the same number of cases.
  const none = Array.from({ length: left }, (_, index): Case => {
    return { name: `step ${steps.length + index + 1}`, skipped: skipped ?? "not played" };
  });
  const why: Case[] = trouble ? [{ name: "the world", failure: { message: trouble } }] : [];
  return { name: title, file, classname: file, ms: duration_ms, cases: [...why, ...steps.map(toCase), ...none] };
}

function toCase(step: Played): Case {
  const { name, passed, duration_ms, differences, verb, about, at } = step;
  if (passed) return { name, ms: duration_ms };
  const lines = differences.map(
    ({ path, wanted, actual }) => `${path || "the step"}: wanted ${display(wanted)}, came ${display(actual)}`,
  );
  const text = [...lines, ...(at ? [at] : []), ...listReasonLines(step)].join("\n");
  return { name, ms: duration_ms, failure: { message: `${verb} ${about}: ${lines[0] ?? ""}`, text } };
}

// Reports for people, with a line per step. A failure lists the wanted and the received value of each path, and a command that shows more.

function spec({ terminal, formatReplayCommand: again, paint }: Look): Reporter {
  const withStyle = (style: Style) => (text: string) => paint(style, text);
  const [bold, dim, red] = [withStyle("bold"), withStyle("dim"), withStyle("red")];
  const [green, yellow] = [withStyle("green"), withStyle("yellow")];
  const formatElapsed = (ms: number) => (terminal ? dim(`  ${Math.round(ms)} ms`) : "");

  const formatDifferences = (step: Played): string[] => [
    ...step.differences.flatMap(({ path, wanted, actual }) => [
      `      ${bold(path || "the step")}`,
      `        wanted  ${green(display(wanted))}`,
      `        came    ${red(display(actual))}`,
    ]),
    ...listReasonLines(step).map(
      (line, index) => `      ${dim(index > 0 ? "    " : step.refusal ? "why " : "more")}      ${line}`,
    ),
  ];

  const formatEnding = ({ skipped, trouble, left, passed, file, steps }: Result): string[] => [
    ...(skipped ? [`  ${yellow("-")} not played: ${skipped}`] : []),
    ...(trouble ? [`  ${red("✗")} ${trouble}`] : []),
    ...(left > 0 && !skipped ? [`  ${dim(`- ${left} more ${left === 1 ? "step" : "steps"} not played`)}`] : []),
    ...(passed || skipped ? [] : ["", `  To see every request and answer:  ${again(file)} --reporter json`]),
    ...(passed || skipped || steps.some(({ command }) => command)
      ? []
      : ["  To watch the requests come in:    sandbox start, then sandbox logs --follow, and play it with --url"]),
  ];

  return {
    reportScenario: (title, file) => `${bold(title)}  ${dim(file)}\n`,
    reportStep: (step) => {
      const line = `  ${step.passed ? green("✓") : red("✗")} ${step.name}  ${dim([`${step.verb} ${step.about}`, step.at ?? []].flat().join("  "))}${formatElapsed(step.duration_ms)}`;
      return `${[line, ...formatDifferences(step)].join("\n")}\n`;
    },
    reportResult: (result) => `${[...formatEnding(result), ""].join("\n")}\n`,
    reportEnd: ({ results, duration_ms }) => {
      const { passed, failed, skipped } = countResults(results);
      const parts = [
        `${passed} passed`,
        ...(failed ? [red(`${failed} failed`)] : []),
        ...(skipped ? [yellow(`${skipped} skipped`)] : []),
      ];
      return `${parts.join(", ")}${terminal ? dim(`  ${(duration_ms / 1000).toFixed(1)} s`) : ""}\n`;
    },
  };
}

// Reports as TAP version 14: a scenario is a test, and its steps are the points of a subtest.

function tap(): Reporter {
  return {
    reportPlan: (planned) => `TAP version 14\n1..${planned}\n`,
    reportResult(result, number) {
      const { title, passed, skipped, trouble, steps, left } = result;
      if (skipped) return `ok ${number} - ${escapeTap(title)} # SKIP ${escapeTap(skipped)}\n`;
      const points = steps.flatMap(formatPoint);
      // The plan includes all steps, so skipped ones need a point.
      const rest = Array.from({ length: left }, (_, index) => `ok ${steps.length + index + 1} # SKIP not played`);
      const inner = [
        `# Subtest: ${escapeTap(title)}`,
        ...[`1..${steps.length + left}`, ...points, ...rest].map((line) => `    ${line}`),
      ];
      const why = trouble ? formatYamlBlock([`message: ${JSON.stringify(trouble)}`]) : [];
      return `${[...inner, `${passed ? "ok" : "not ok"} ${number} - ${escapeTap(title)}`, ...why].join("\n")}\n`;
    },
    // TAP readers would otherwise report an incomplete plan.
    reportEnd: ({ left }) => (left > 0 ? `Bail out! ${count(left, "scenario")} not played\n` : ""),
  };
}

function formatPoint(step: Played, index: number): string[] {
  const line = `${step.passed ? "ok" : "not ok"} ${index + 1} - ${escapeTap(step.name)}`;
  return step.passed ? [line] : [line, ...formatYamlBlock(listReasons(step))];
}

function listReasons(step: Played): string[] {
  const { differences, at, refusal } = step;
  const parts = differences.flatMap(({ path, wanted, actual }) => [
    `  - path: ${JSON.stringify(path)}`,
    `    wanted: ${JSON.stringify(display(wanted))}`,
    `    came: ${JSON.stringify(display(actual))}`,
  ]);
  const more = listReasonLines(step);
  return [
    "differences:",
    ...parts,
    ...(at ? [`at: ${JSON.stringify(at)}`] : []),
    ...(more.length > 0 ? [refusal ? "why:" : "more:", ...more.map((line) => `  - ${JSON.stringify(line)}`)] : []),
  ];
}

function formatYamlBlock(lines: readonly string[]): string[] {
  return ["---", ...lines, "..."].map((line) => `  ${line}`);
}

/** Escapes a hash, which starts a directive, and a backslash. */
function escapeTap(text: string): string {
  return text.replace(/[\\#]/g, "\\$&").replace(/\s+/g, " ");
}
