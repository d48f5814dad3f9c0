// For who has to believe it: one page with all that was observed, to keep, to print or to hand on. It loads nothing and runs nothing.
import { createHash } from "node:crypto";
import { formatMs } from "../../platform/duration-text.ts";
import { Html, html } from "../../platform/html.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import type { VerdictOutcome } from "../check.ts";
import type { ProfileJudged } from "../profiles/profile.ts";
import { OUTCOMES, type Result } from "../result.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { STYLE } from "./html-style.ts";
import { isCounted, NAMES, shareOf } from "./reporter.ts";

const HASH = createHash("sha256").update(STYLE).digest("base64");
/** Only our own style, by its hash: whatever a program printed can't run in the page. */
const POLICY = `default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'none'`;

export function page(report: CheckReport): string {
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
<p class="quiet">Observed by this sandbox on ${dayOf(report)}.</p>
</header>
${report.no_verdict ? whyNone(report.no_verdict) : judged(report)}
<h2>What it was judged with</h2>
${listOf(report.facts)}
</main>
</body>
</html>
`.text;
}

const dayOf = ({ at }: CheckReport): string => `${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`;

function whyNone({ says, output = "" }: NonNullable<CheckReport["no_verdict"]>): Html {
  const tail = output.trim() === "" ? "" : html`<p>It printed at the end:</p>\n<pre>${output.trim()}</pre>`;
  return html`<p class="badge warn">No verdict</p>\n<p>${says}</p>\n${tail}`;
}

function judged({ results, counts, notes, profile }: CheckReport): Html {
  // What failed comes first.
  const ordered = OUTCOMES.flatMap((outcome) => results.filter((each) => each.outcome === outcome));
  const shares = OUTCOMES.map((name) => html`<li class="${name}"><strong>${counts[name]}</strong> ${NAMES[name]}</li>`);
  const ignored = counts.ignored > 0 ? html`<li><strong>${counts.ignored}</strong> ignored</li>` : "";
  return html`<ul class="counts" aria-label="Results">${shares}${ignored}</ul>
<p class="quiet">A pass was seen; what was not exercised or is undecided is no pass.</p>
${notes.map((note) => html`<p>${note}</p>\n`)}${profile ? profileOf(profile) : ""}<h2>All checks</h2>
<table class="checks">
<thead><tr><th scope="col">Check</th><th scope="col">Asks for</th><th scope="col">Level</th><th scope="col">Result</th></tr></thead>
<tbody>
${results.map(rowOf)}</tbody>
</table>
<h2>What was observed</h2>
${ordered.map(observedOf)}`;
}

const profileOf = (profile: ProfileJudged): Html => html`<h2>Profile: ${shareOf(profile)}</h2>
<p>${profile.for}</p>
${listOf(profile.gaps.map(({ what, says, close }) => [what, html`${says} <code>${close}</code>`] as const))}
`;

const badge = (outcome: VerdictOutcome): Html => html`<span class="badge ${outcome}">${NAMES[outcome]}</span>`;
const ignoredBadge = (result: Partial<Pick<Result, "ignored">>): Html | string =>
  isCounted(result) ? "" : html` <span class="badge">ignored</span>`;

const rowOf = (result: ReportResult): Html =>
  html`<tr><th scope="row"><a href="#${result.id}">${result.id}</a></th><td>${result.title}</td><td>${result.level}</td><td>${badge(result.outcome)}${ignoredBadge(result)}</td></tr>\n`;

function observedOf(result: ReportResult): Html {
  const { id, title, level, outcome, says, evidence, rule, advice, add, again, ignored, took_ms = 0 } = result;
  const facts: (readonly [string, string | Html])[] = [
    ...(evidence.length > 0 ? [["Evidence", evidenceOf(result)] as const] : []),
    ...(rule === "" ? [] : [["It rests on", withCode(rule)] as const]),
    ...(outcome === "pass" || advice === "" ? [] : [["What to write", withCode(advice)] as const]),
    ...(add === undefined ? [] : [["What would decide it", add] as const]),
    ...(ignored ? [["Ignored", `until ${ignored.until}: ${ignored.reason}`] as const] : []),
    ...(again
      ? [["Repeat it", html`<code>${again}</code>${took_ms > 0 ? ` (${formatMs(took_ms)})` : ""}`] as const]
      : []),
  ];
  return html`<section id="${id}" class="check ${outcome}">
<h3>${id} ${title} ${badge(outcome)}${ignoredBadge(result)}</h3>
<p>${sentence(says)} <span class="quiet">(${level})</span></p>
${listOf(facts)}
</section>
`;
}

const sentence = (says: string): string => `${says.charAt(0).toUpperCase()}${says.slice(1).replace(/\.$/, "")}.`;

/** What stands between backticks is code. */
const withCode = (text: string): Html =>
  html`${text.split("`").map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;

const evidenceOf = ({ evidence }: ReportResult): Html =>
  html`<ul>${evidence.map(({ id, says, at }) => html`<li><code>${id}</code> ${says}${at === undefined ? "" : html` <time>${at}</time>`}</li>`)}</ul>`;

const listOf = (facts: readonly (readonly [string, string | Html])[]): Html =>
  html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
