// The report of a verdict, and the renderers of all reports by name.
import { count } from "../../platform/count.ts";
import { formatMs } from "../../platform/duration-text.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { type CheckReport, createReport, type Reporter, type Verdict } from "./check-report.ts";
import { renderJUnit, renderMarkdown, renderSarif } from "./ci-formats.ts";
import { renderHtml } from "./html.ts";
import { renderSpec } from "./spec.ts";

export { type CheckReport, createReport } from "./check-report.ts";

export function reportVerdict(verdict: Verdict): CheckReport {
  const { sandbox, seed, command, at, took_ms, results } = verdict;
  const { version, fixture, flips, specification, register } = sandbox;
  return createReport({
    ...verdict,
    name: "sandbox check",
    about: [`seed ${seed}`, count(results.length, "check"), formatMs(took_ms)],
    facts: [
      ["Command", toCommand(command)],
      ["Sandbox", `version ${version}, fixture ${fixture}`],
      ["Specification", `sha256:${specification}`],
      ["Assumptions", `sha256:${register}`],
      ["Changed assumptions", flips.length === 0 ? "none" : flips.join(", ")],
      ["Seed", seed],
      ["Checks", `${results.length}, each in its own world, and two runs without an injected failure`],
      ["Ended", `${at}, after ${formatMs(took_ms)}`],
    ],
    version,
    document: verdict,
  });
}

const renderJson = ({ document, results, counts, no_verdict, profile, exit_code }: CheckReport): string =>
  `${JSON.stringify({ ...document, no_verdict, results, counts, ...(profile ? { profile } : {}), exit_code }, null, 2)}\n`;

export const reporters: Readonly<Record<string, Reporter>> = {
  spec: renderSpec,
  json: renderJson,
  junit: renderJUnit,
  html: renderHtml,
  markdown: renderMarkdown,
  sarif: renderSarif,
};
