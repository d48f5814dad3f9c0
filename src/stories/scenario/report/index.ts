// Lists the reporters by name.

import { type Case, formatJunit, type Suite } from "../../junit.ts";
import type { Played, Result } from "../scenario.ts";
import { createTranscript } from "../transcript.ts";
import { countResults, display, type Look, listReasonLines, type Reporter } from "./reporter.ts";
import { spec } from "./spec.ts";
import { tap } from "./tap.ts";

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
