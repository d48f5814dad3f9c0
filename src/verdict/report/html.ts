// Renders a report as one HTML page with all evidence. The page loads no other files and runs no scripts.
import { createHash } from "node:crypto";
import { formatMs } from "../../platform/duration-text.ts";
import { Html, html } from "../../platform/html.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import type { VerdictOutcome } from "../check.ts";
import type { JudgedProfile } from "../profiles/profile.ts";
import { OUTCOMES, type Result, sortByOutcome } from "../result.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { STYLE } from "./html-style.ts";
import { formatShare, isCounted, NAMES } from "./reporter.ts";

const HASH = createHash("sha256").update(STYLE).digest("base64");
/** The page allows only its own style, by hash, so that the program's output can't run in it. */
const POLICY = `default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'none'`;

export function renderHtml(report: CheckReport): string {
  const { command, name } = report;
  const title = command.length > 0 ? `Verdict: ${toCommand(command)}` : name;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<header>
<h1>${title}</h1>
<p class="quiet">Observed by this sandbox on ${formatDay(report)}.</p>
</header>
${report.no_verdict ? renderNoVerdict(report.no_verdict) : renderResults(report)}
<h2>Environment</h2>
${renderList(report.facts)}
</main>
</body>
</html>
`.text;
}

const formatDay = ({ at }: CheckReport): string => `${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`;

function renderNoVerdict({ says, output = "" }: NonNullable<CheckReport["no_verdict"]>): Html {
  const tail = output.trim() === "" ? "" : html`<p>Last output:</p>\n<pre>${output.trim()}</pre>`;
  return html`<p class="badge warn">No verdict</p>\n<p>${says}</p>\n${tail}`;
}

function renderResults({ results, counts, notes, profile }: CheckReport): Html {
  const shares = OUTCOMES.map((name) => html`<li class="${name}"><strong>${counts[name]}</strong> ${NAMES[name]}</li>`);
  const ignored = counts.ignored > 0 ? html`<li><strong>${counts.ignored}</strong> ignored</li>` : "";
  return html`<ul class="counts" aria-label="Results">${shares}${ignored}</ul>
<p class="quiet">Checks that were not exercised or are undecided don't count as passed.</p>
${notes.map((note) => html`<p>${note}</p>\n`)}${profile ? renderProfile(profile) : ""}<h2>All checks</h2>
<table class="checks">
<thead><tr><th scope="col">Check</th><th scope="col">Requirement</th><th scope="col">Level</th><th scope="col">Result</th></tr></thead>
<tbody>
${results.map(renderRow)}</tbody>
</table>
<h2>Evidence</h2>
${sortByOutcome(results).map(renderObservation)}`;
}

const renderProfile = (profile: JudgedProfile): Html => html`<h2>Profile: ${formatShare(profile)}</h2>
<p>${profile.for}</p>
${renderList(profile.gaps.map(({ what, says, close }) => [what, html`${says} <code>${close}</code>`] as const))}
`;

const renderBadge = (outcome: VerdictOutcome): Html => html`<span class="badge ${outcome}">${NAMES[outcome]}</span>`;
const renderIgnoredBadge = (result: Partial<Pick<Result, "ignored">>): Html | string =>
  isCounted(result) ? "" : html` <span class="badge">ignored</span>`;

const renderRow = (result: ReportResult): Html =>
  html`<tr><th scope="row"><a href="#${result.id}">${result.id}</a></th><td>${result.title}</td><td>${result.level}</td><td>${renderBadge(result.outcome)}${renderIgnoredBadge(result)}</td></tr>\n`;

function renderObservation(result: ReportResult): Html {
  const { id, title, level, outcome, says, evidence, rule, advice, add, again, ignored, took_ms = 0 } = result;
  const facts: (readonly [string, string | Html])[] = [
    ...(evidence.length > 0 ? [["Evidence", renderEvidence(result)] as const] : []),
    ...(rule === "" ? [] : [["Rule", renderCode(rule)] as const]),
    ...(outcome === "pass" || advice === "" ? [] : [["Advice", renderCode(advice)] as const]),
    ...(add === undefined ? [] : [["To decide it", add] as const]),
    ...(ignored ? [["Ignored", `until ${ignored.until}: ${ignored.reason}`] as const] : []),
    ...(again
      ? [["Command", html`<code>${again}</code>${took_ms > 0 ? ` (${formatMs(took_ms)})` : ""}`] as const]
      : []),
  ];
  return html`<section id="${id}" class="check ${outcome}">
<h3>${id} ${title} ${renderBadge(outcome)}${renderIgnoredBadge(result)}</h3>
<p>${toSentence(says)} <span class="quiet">(${level})</span></p>
${renderList(facts)}
</section>
`;
}

const toSentence = (says: string): string => `${says.charAt(0).toUpperCase()}${says.slice(1).replace(/\.$/, "")}.`;

/** Text between backticks is code. */
const renderCode = (text: string): Html =>
  html`${text.split("`").map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;

const renderEvidence = ({ evidence }: ReportResult): Html =>
  html`<ul>${evidence.map(({ id, says, at }) => html`<li><code>${id}</code> ${says}${at === undefined ? "" : html` <time>${at}</time>`}</li>`)}</ul>`;

const renderList = (facts: readonly (readonly [string, string | Html])[]): Html =>
  html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
