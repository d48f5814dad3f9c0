// The shape of a reporter: it hears of everything in order, and answers text to write.
import type { Played, Result } from "../scenario.ts";

interface Summary {
  results: readonly Result[];
  /** How many were not begun: the first failure or a signal has ended the run. */
  left: number;
  duration_ms: number;
}

/** Each method is optional; a reporter of a whole document has only `reportEnd`. */
export interface Reporter {
  /** How many scenarios there will be. */
  reportPlan?(count: number): string;
  reportScenario?(title: string, file: string): string;
  reportStep?(step: Played): string;
  reportResult?(result: Result, number: number): string;
  reportEnd?(summary: Summary): string;
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow";

export interface Look {
  /** Written to a terminal: with durations. */
  terminal: boolean;
  /** Colours as the terminal shows them. */
  paint(style: Style, text: string): string;
  /** The words that play this file again, for `${command} --reporter json`. */
  formatReplayCommand(file: string): string;
}

/** Why the request of a step was refused, and the command that tells more of a step that failed. */
export const listReasonLines = ({ refusal, command }: Played): string[] => [
  ...(refusal?.reason ?? []),
  ...[command ?? []].flat(),
];

/** Text for people: short enough for a line. */
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
