// Renders a report as one HTML page with all evidence. The page loads no other files and runs no scripts.
import { createHash } from "node:crypto";
import { formatMs } from "../../platform/duration-text.ts";
import { Html, html } from "../../platform/html.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import type { CheckReport, JudgedProfile, ReportResult } from "./check-report.ts";
import { formatShare, NAMES, OUTCOMES, sortByOutcome } from "./check-report.ts";

/** Light or dark like the reader's system, and light in print. */
const STYLE = `
:root { color-scheme: light dark; --quiet: light-dark(#566170, #9ba7b5); --line: light-dark(#dde2e9, #303944); }
body { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem; font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
html { background: light-dark(#fff, #14181d); color: light-dark(#1a222c, #dfe5ec); }
h2 { margin-top: 2.2rem; }
pre { padding: .8rem 1rem; border: 1px solid var(--line); white-space: pre-wrap; }
.quiet, time, dt { color: var(--quiet); }
.pass { --ink: light-dark(#166a35, #74cf92); }
.warn { --ink: light-dark(#7f4d00, #ecbb62); }
.fail { --ink: light-dark(#a81c25, #ff9c9a); }
.undecided { --ink: light-dark(#0a58a8, #7fbaf8); }
.badge { padding: 0 .5em; border: 1px solid; border-radius: 4px; color: var(--ink, inherit); font-size: .8rem; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; list-style: none; }
.counts li { flex: 1 1 7rem; padding: .5rem .8rem; border: 1px solid var(--line); border-top: 3px solid var(--ink, var(--quiet)); }
.counts strong { display: block; font-size: 1.4rem; }
.check { margin-bottom: 1rem; padding: 0 1rem .8rem; border: 1px solid var(--line); border-left: 3px solid var(--ink, var(--quiet)); break-inside: avoid; }
dl > div { display: grid; grid-template-columns: minmax(6rem, 1fr) 4fr; gap: 1rem; }
dd, dd ul { margin: 0; padding: 0; list-style: none; }
@media print { :root { color-scheme: light; } }
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

const renderBadge = (name: string, style = ""): Html => html`<span class="badge ${style}">${name}</span>`;

function renderCheck(result: ReportResult): Html {
  const { id, title, level, outcome, says, evidence, rule, advice, add, again, ignored, took_ms = 0 } = result;
  const command = html`<code>${again ?? ""}</code>${took_ms > 0 ? ` (${formatMs(took_ms)})` : ""}`;
  const facts: [name: string, value: string | Html | false | undefined][] = [
    ["Evidence", evidence.length > 0 && renderEvidence(result)],
    ["Rule", rule !== "" && renderCode(rule)],
    ["Advice", outcome !== "pass" && advice !== "" && renderCode(advice)],
    ["To decide it", add],
    ["Ignored", ignored && `until ${ignored.until}: ${ignored.reason}`],
    ["Command", again !== undefined && command],
  ];
  return html`<section id="${id}" class="check ${outcome}">
<h3>${id} ${title} ${renderBadge(NAMES[outcome], outcome)} ${ignored ? renderBadge("ignored") : ""}</h3>
<p>${toSentence(says)} <span class="quiet">(${level})</span></p>
${renderList(facts.flatMap(([name, value]) => (value ? [[name, value]] : [])))}
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
