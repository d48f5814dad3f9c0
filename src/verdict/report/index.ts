// Reports: the result format of all checks, and the renderers by name.
import type { CheckReport } from "./check-report.ts";
import { renderHtml } from "./html.ts";
import { renderJUnit } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import type { Reporter } from "./reporter.ts";
import { renderSarif } from "./sarif.ts";
import { renderSpec } from "./spec.ts";

export { type CheckReport, createReport } from "./check-report.ts";
export { reportVerdict } from "./report-verdict.ts";

const renderJson = ({ document, results, counts, no_verdict, profile, exit_code }: CheckReport): string =>
  `${JSON.stringify({ ...document, no_verdict, results, counts, ...(profile ? { profile } : {}), exit_code }, null, 2)}\n`;

export const reporters: Readonly<Record<string, Reporter>> = {
  ...{ spec: renderSpec, json: renderJson, junit: renderJUnit },
  ...{ html: renderHtml, markdown: renderMarkdown, sarif: renderSarif },
};
