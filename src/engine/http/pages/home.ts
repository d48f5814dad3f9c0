// Serves the page at the address that `start` prints: addresses, credentials and first commands. Programs that request
// JSON get the addresses.

import { createHash } from "node:crypto";
import { formatCommand } from "../../../platform/format-command.ts";
import { Html, type HtmlPart, html } from "../../../platform/html.ts";
import type { RequestsPort, TimePort, WorldsPort } from "../../app/application.ts";
import { hasOpenEvent, NO_OPEN_EVENT } from "../../domain/event/opening.ts";
import { describeWorld } from "../control/describe.ts";
import { type Answer, type Exchange, readHeader } from "../exchange.ts";
import { findOverrides } from "../in-force.ts";
import { findAddress, findMeantWorld } from "../served.ts";
import { createSecurityHeaders } from "./built-files.ts";
import { formatCall, formatTokenLines } from "./tool-pages.ts";

const FIRST_COMMANDS = ["logs --follow", "act cancelEvent --set event_id=evt-morning", "clock advance P3D --dry-run"];

export function showHome(application: WorldsPort & RequestsPort & TimePort, exchange: Exchange): Answer {
  const base = findAddress(application, exchange);
  if (isJsonWanted(exchange)) return { status: 200, body: listAddresses(base, application.version) };
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>experience-sandbox</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>experience-sandbox <small>${application.version}</small></h1>
<p>A sandbox of the Experience Booking and Commerce API. Nothing in it is real: no money moves, and no mail is sent.</p>
<h2>Addresses</h2>
${formatAddressRows(base)}
<h2>This world</h2>
${formatWorldRows(application, exchange)}
<h2>First commands</h2>
<p>Client id, secret and token, then a call. ${link("/llms.txt")} leads to a page for every operation.</p>
<pre tabindex="0">${[...formatTokenLines(base), formatCall("/v1/bookings?limit=1")].join("\n")}</pre>
<p>Watch what comes in, make a move of the host, move the clock:</p>
<pre tabindex="0">${FIRST_COMMANDS.map((words) => formatCommand(`${words} --url ${base}`)).join("\n")}</pre>
</main>
</body>
</html>
`;
  const policy = createSecurityHeaders("own", [STYLE_HASH]);
  // The world changes, so the page is not cached.
  const headers = { ...policy, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return { status: 200, headers, body: page.text };
}

/** Whether the client prefers JSON. Browsers accept HTML, which is the default. */
function isJsonWanted(exchange: Exchange): boolean {
  const accept = readHeader(exchange, "accept") ?? "";
  return /\bjson\b/i.test(accept) && !/\bhtml\b/i.test(accept);
}

/** Lists the addresses. Programs depend on the names. */
function listAddresses(base: string, version: string): Record<string, string> {
  return {
    version,
    url: base,
    token_url: `${base}/oauth2/token`,
    openapi_url: `${base}/openapi.json`,
    docs_url: `${base}/docs`,
    llms_url: `${base}/llms.txt`,
    control_url: `${base}/_sandbox`,
    console_url: `${base}/_sandbox/ui`,
    health_url: `${base}/healthz`,
  };
}

function formatAddressRows(base: string): Html {
  const control = "/_sandbox";
  return formatRows([
    ["Public API", html`<code>${base}/v1</code>`, "what your integration talks to"],
    ["Token", html`<code>${base}/oauth2/token</code>`, "POST, OAuth 2.0 client credentials"],
    ["Credentials", link(`${control}/worlds/default/credentials`), html`or <code>${formatCommand("env")}</code>`],
    ["Specification", html`${link("/openapi.json")} · ${link("/openapi.yaml")}`, "OpenAPI 3.1 of this world"],
    ["Console", link("/_sandbox/ui"), "what happens in this world, as it happens: requests, webhooks, the clock"],
    ["Documents", html`${link("/docs")} · ${link("/llms.txt")}`, "each operation, with requests to try; as text"],
    ["Control API", html`${link(control)} · ${link(`${control}/openapi.json`)}`, "acts, clock, faults, worlds"],
    ["Log", html`${link(`${control}/requests`)} · ${link(`${control}/messages`)}`, "requests, and webhook messages"],
    ["Health", link("/healthz"), "status 200 while the sandbox runs"],
  ]);
}

function formatWorldRows(application: WorldsPort & RequestsPort & TimePort, exchange: Exchange): Html {
  const world = findMeantWorld(application, exchange);
  if (!world) return html`<p>There is no world <code>default</code>.</p>`;
  const { fixture, now, mode } = describeWorld(world, application) as Record<"fixture" | "now" | "mode", string>;
  const isBookable =
    !world.counts().events || application.findQuarantine(world) !== undefined || world.read(now, hasOpenEvent);
  const overrides = findOverrides(world, application).join(", ") || "none";
  return formatRows([
    ["World", html`<code>${world.id}</code>`, html`of the fixture ${fixture}. ${isBookable ? "" : NO_OPEN_EVENT}`],
    ["Clock", html`<code>${now}</code>`, mode === "held" ? "held" : "running with real time"],
    ["Assumptions", link("/_sandbox/assumptions"), html`overridden: <code>${overrides}</code>`],
  ]);
}

/** Links and lines have colours of the browser, which follow the preferred scheme like those of the page. */
const STYLE = `
:root { color-scheme: light dark; background: light-dark(#fff, #14181d); color: light-dark(#1a222c, #dfe5ec); }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
h1 small { font-weight: normal; font-size: .85rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875rem; }
pre { border: 1px solid GrayText; border-radius: 6px; padding: .8rem 1rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .4rem 1rem .4rem 0; overflow-wrap: anywhere; }
tr { border-bottom: 1px solid GrayText; } th { width: 27%; } td:nth-child(2) { width: 43%; }
@media (max-width: 44rem) { tr, th, td, td:nth-child(2) { display: block; width: auto; padding: .2rem 0; } }
`;

/** The policy allows this one style by its hash, and nothing else inline. */
const STYLE_HASH = `style-src 'self' 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/** Formats a table with a heading in each row. */
function formatRows(entries: readonly (readonly [heading: HtmlPart, ...cells: HtmlPart[]])[]): Html {
  const lines = entries.map(
    ([heading, ...cells]) =>
      html`<tr><th scope="row">${heading}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  );
  return html`<table>\n${lines}</table>`;
}

const link = (target: string, text: string = target): Html => html`<a href="${target}">${text}</a>`;
