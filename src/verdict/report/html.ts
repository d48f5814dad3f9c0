// Renders a report as one HTML page with all evidence. The page loads no other files and runs no scripts.
import { createHash } from "node:crypto";
import { formatMs } from "../../platform/duration-text.ts";
import { Html, html } from "../../platform/html.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import type { VerdictOutcome } from "../judgement.ts";
import {
  type CheckReport,
  formatShare,
  isCounted,
  type JudgedProfile,
  NAMES,
  OUTCOMES,
  type ReportResult,
  type Result,
  sortByOutcome,
} from "./check-report.ts";

/** The colours of the console, light or dark like the reader's system, and light in print. */
const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#fff, #14181d); --text: light-dark(#1a222c, #dfe5ec); --quiet: light-dark(#566170, #9ba7b5);
  --line: light-dark(#dde2e9, #303944); --raised: light-dark(#eef1f5, #242b34);
  --ok: light-dark(#166a35, #74cf92); --ok-ground: light-dark(#e0f3e6, #16331f); --amber: light-dark(#7f4d00, #ecbb62);
  --amber-ground: light-dark(#fbeed3, #3a2c0e); --bad: light-dark(#a81c25, #ff9c9a); --bad-ground: light-dark(#fce6e6, #44191c);
  --open: light-dark(#0a58a8, #7fbaf8); --open-ground: light-dark(#e3eefa, #1c3550); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2.2rem 0 .6rem; font-size: 1.1rem; }
h3 { margin: 0 0 .3rem; font-size: 1rem; }
p { margin: 0 0 .5rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .85em; }
pre { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); white-space: pre-wrap; }
.quiet, time { color: var(--quiet); }
time { white-space: nowrap; }
.pass { --ink: var(--ok); --fill: var(--ok-ground); } .warn { --ink: var(--amber); --fill: var(--amber-ground); }
.fail { --ink: var(--bad); --fill: var(--bad-ground); } .undecided { --ink: var(--open); --fill: var(--open-ground); }
.badge { display: inline-block; padding: 0 .5em; border-radius: 4px; background: var(--fill, var(--raised)); color: var(--ink, inherit); font-size: .8rem; font-weight: 600; white-space: nowrap; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1.2rem 0 .8rem; padding: 0; list-style: none; }
.counts li { flex: 1 1 7rem; padding: .5rem .8rem; border: 1px solid var(--line); border-top: 3px solid var(--ink, var(--quiet)); border-radius: 4px; }
.counts strong { display: block; font-size: 1.4rem; line-height: 1.2; }
.check { margin: 0 0 1rem; padding: .8rem 1rem; border: 1px solid var(--line); border-left: 3px solid var(--ink, var(--quiet)); border-radius: 4px; break-inside: avoid; }
dl { margin: 0; }
dl > div { display: grid; grid-template-columns: 11rem 1fr; gap: 1rem; padding: .15rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; }
dd ul { margin: 0; padding: 0; list-style: none; }
@media (max-width: 40rem) {
  main { padding: 1.25rem .9rem 3rem; }
  dl > div { grid-template-columns: 1fr; gap: 0; padding: .3rem 0; }
}
@media print {
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  .badge { border: 1px solid currentcolor; }
}
`;

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
${sortByOutcome(results).map(renderCheck)}`;
}

const renderProfile = (profile: JudgedProfile): Html => html`<h2>Profile: ${formatShare(profile)}</h2>
<p>${profile.for}</p>
${renderList(profile.gaps.map(({ what, says, close }) => [what, html`${says} <code>${close}</code>`] as const))}
`;

const renderBadge = (outcome: VerdictOutcome): Html => html`<span class="badge ${outcome}">${NAMES[outcome]}</span>`;
const renderIgnoredBadge = (result: Partial<Pick<Result, "ignored">>): Html | string =>
  isCounted(result) ? "" : html` <span class="badge">ignored</span>`;

function renderCheck(result: ReportResult): Html {
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
