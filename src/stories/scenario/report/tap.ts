// Reports as TAP version 14: a scenario is a test, and its steps are the points of a subtest.
import { count } from "../../../platform/count.ts";
import type { Played } from "../scenario.ts";
import { display, listReasonLines, type Reporter } from "./reporter.ts";

export function tap(): Reporter {
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
