// Reports for people, with a line per step. A failure lists the wanted and the received value of each path, and a command that shows more.
import type { Played, Result } from "../scenario.ts";
import { countResults, display, type Look, listReasonLines, type Reporter, type Style } from "./reporter.ts";

export function spec({ terminal, formatReplayCommand: again, paint }: Look): Reporter {
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
    reportResult: (result) =>
      `${formatEnding(result)
        .map((line) => `${line}\n`)
        .join("")}\n`,
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
