// JUnit's XML: a scenario is a suite, a step is a case.
import { type Case, junitText, type Suite } from "../../junit.ts";
import type { Played, Result } from "../scenario.ts";
import { display, moreLines, type Reporter } from "./reporter.ts";

export function junit(): Reporter {
  return { end: ({ results, duration_ms }) => junitText("sandbox play", results.map(suiteOf), duration_ms) };
}

function suiteOf({ title, file, steps, left, skipped, trouble, duration_ms }: Result): Suite {
  // Steps that were not played are cases too, so that the number of cases is the same in every run.
  const none = Array.from({ length: left }, (_, index): Case => {
    return { name: `step ${steps.length + index + 1}`, skipped: skipped ?? "not played" };
  });
  const why: Case[] = trouble ? [{ name: "the world", failure: { message: trouble } }] : [];
  return { name: title, file, classname: file, ms: duration_ms, cases: [...why, ...steps.map(caseOf), ...none] };
}

function caseOf(step: Played): Case {
  const { name, passed, duration_ms, differences, journal, verb, about, at } = step;
  if (passed) return { name, ms: duration_ms };
  const lines = differences.map(
    ({ path, wanted, actual }) => `${path || "the step"}: wanted ${display(wanted)}, came ${display(actual)}`,
  );
  const text = [...lines, ...[at ?? [], journal ?? [], ...moreLines(step)].flat()].join("\n");
  return { name, ms: duration_ms, failure: { message: `${verb} ${about}: ${lines[0] ?? ""}`, text } };
}
