// Defines reporters. The player calls their methods in order, and writes the returned text.
import type { Played, Result } from "../scenario.ts";

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

export type Style = "bold" | "dim" | "red" | "green" | "yellow";

export interface Look {
  /** Whether the report goes to a terminal, and then includes durations. */
  terminal: boolean;
  /** Colours the text for the terminal. */
  paint(style: Style, text: string): string;
  /** Returns the command that plays the file again, for `${command} --reporter json`. */
  formatReplayCommand(file: string): string;
}

/** Lists why the request of a step was rejected, and the command that shows more about a failed step. */
export const listReasonLines = ({ refusal, command }: Played): string[] => [
  ...(refusal?.reason ?? []),
  ...[command ?? []].flat(),
];

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
