// JUnit's XML, as CI servers read it: a scenario is a suite, a step is a case.
import type { Played, Result } from "../scenario.ts";
import { counts, type Reporter, refusalLines, shown } from "./reporter.ts";

export function junit(): Reporter {
  return {
    end({ results, duration_ms }) {
      const cases = results.reduce((sum, { steps, left }) => sum + steps.length + left, 0);
      const head = `<testsuites name="sandbox play" tests="${cases}" failures="${counts(results).failed}" time="${seconds(duration_ms)}">`;
      return `${['<?xml version="1.0" encoding="UTF-8"?>', head, ...results.flatMap(suite), "</testsuites>"].join("\n")}\n`;
    },
  };
}

function suite(result: Result): string[] {
  const { title, file, steps, left, skipped, trouble, passed, duration_ms } = result;
  const total = Math.max(1, steps.length + left);
  const numbers = `tests="${total}" failures="${passed || skipped ? 0 : 1}" skipped="${skipped ? total : left}"`;
  const none = Array.from({ length: left }, (_, index) =>
    bare(`step ${steps.length + index + 1}`, file, skipped ?? "not played"),
  );
  const why = trouble
    ? [
        `    <testcase name="the world" classname="${escaped(file)}"><failure message="${escaped(trouble)}"/></testcase>`,
      ]
    : [];
  return [
    `  <testsuite name="${escaped(title)}" file="${escaped(file)}" ${numbers} time="${seconds(duration_ms)}">`,
    ...why,
    ...steps.flatMap((step) => oneCase(step, file)),
    ...none,
    "  </testsuite>",
  ];
}

function bare(name: string, file: string, why: string): string {
  return `    <testcase name="${escaped(name)}" classname="${escaped(file)}"><skipped message="${escaped(why)}"/></testcase>`;
}

function oneCase(
  { name, passed, duration_ms, differences, journal, verb, about, at, refusal }: Played,
  file: string,
): string[] {
  const open = `    <testcase name="${escaped(name)}" classname="${escaped(file)}" time="${seconds(duration_ms)}"`;
  if (passed) return [`${open}/>`];
  const lines = differences.map(
    ({ path, wanted, came }) => `${path || "the step"}: wanted ${shown(wanted)}, came ${shown(came)}`,
  );
  const text = [...lines, ...[at ?? [], journal ?? [], ...refusalLines(refusal)].flat()].join("\n");
  const failure = `      <failure message="${escaped(`${verb} ${about}: ${lines[0] ?? ""}`)}">${escaped(text)}</failure>`;
  return [`${open}>`, failure, "    </testcase>"];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function escaped(text: string): string {
  const plain = [...text].filter((letter) => letter >= " " || "\n\t".includes(letter)).join("");
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
