// For people: a line per step; of a failure, path by path what was wanted and what was received, and what to run to see more.
import type { Played, Result } from "../scenario.ts";
import { counts, display, type Look, moreLines, type Reporter, type Style } from "./reporter.ts";

export function spec({ terminal, again, paint }: Look): Reporter {
  const inStyle = (style: Style) => (text: string) => paint(style, text);
  const [bold, dim, red] = [inStyle("bold"), inStyle("dim"), inStyle("red")];
  const [green, yellow] = [inStyle("green"), inStyle("yellow")];
  const took = (ms: number) => (terminal ? dim(`  ${Math.round(ms)} ms`) : "");

  const differing = (step: Played): string[] => [
    ...step.differences.flatMap(({ path, wanted, actual }) => [
      `      ${bold(path || "the step")}`,
      `        wanted  ${green(display(wanted))}`,
      `        came    ${red(display(actual))}`,
    ]),
    ...(step.journal ? [`      ${dim("journal")}   ${step.journal}`] : []),
    ...moreLines(step).map(
      (line, index) => `      ${dim(index > 0 ? "    " : step.refusal ? "why " : "more")}      ${line}`,
    ),
  ];

  const ending = ({ skipped, trouble, note, left, passed, file, steps }: Result): string[] => [
    ...(skipped ? [`  ${yellow("-")} not played: ${skipped}`] : []),
    ...(trouble ? [`  ${red("✗")} ${trouble}`] : []),
    ...(left > 0 && !skipped ? [`  ${dim(`- ${left} more ${left === 1 ? "step" : "steps"} not played`)}`] : []),
    ...(passed || skipped ? [] : ["", `  To see every request and answer:  ${again(file)} --reporter json`]),
    ...(passed || skipped || steps.some(({ command }) => command)
      ? []
      : ["  To watch the requests come in:    sandbox start, then sandbox logs --follow, and play it with --url"]),
    ...(note === undefined ? [] : [`  ${note}`]),
  ];

  return {
    scenario: (title, file) => `${bold(title)}  ${dim(file)}\n`,
    step: (step) => {
      const line = `  ${step.passed ? green("✓") : red("✗")} ${step.name}  ${dim([`${step.verb} ${step.about}`, step.at ?? []].flat().join("  "))}${took(step.duration_ms)}`;
      return `${[line, ...differing(step)].join("\n")}\n`;
    },
    result: (result) =>
      `${ending(result)
        .map((line) => `${line}\n`)
        .join("")}\n`,
    end: ({ results, duration_ms }) => {
      const { passed, failed, skipped } = counts(results);
      const parts = [
        `${passed} passed`,
        ...(failed ? [red(`${failed} failed`)] : []),
        ...(skipped ? [yellow(`${skipped} skipped`)] : []),
      ];
      return `${parts.join(", ")}${terminal ? dim(`  ${(duration_ms / 1000).toFixed(1)} s`) : ""}\n`;
    },
  };
}
