// The door of the reports: the result format of all checks, and the renderers by name.
import { page } from "./html.ts";
import { json } from "./json.ts";
import { junit } from "./junit.ts";
import { markdown } from "./markdown.ts";
import type { Reporter } from "./reporter.ts";
import { sarif } from "./sarif.ts";
import { spec } from "./spec.ts";

export { type CheckReport, createReport } from "./check-report.ts";
export { reportVerdict } from "./of-verdict.ts";

export const reporters: Readonly<Record<string, Reporter>> = { spec, json, junit, html: page, markdown, sarif };
