// Serves the page at the address that `start` prints: addresses, credentials and first commands. Programs that request JSON get the addresses.

import flips from "../../../contract/generated/flips.json" with { type: "json" };
import { formatCommand } from "../../../platform/format-command.ts";
import { type Html, html } from "../../../platform/html.ts";
import type { RequestsPort, TimePort, WorldsPort } from "../../app/application.ts";
import { hasOpenEvent, NO_OPEN_EVENT } from "../../domain/event/opening.ts";
import { describeWorld } from "../control/describe.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { readHeader } from "../exchange.ts";
import { findOverrides } from "../in-force.ts";
import { findAddress, findMeantWorld } from "../served.ts";
import { createPage, formatRows, link } from "./html.ts";
import { formatCall, formatTokenLines } from "./shell.ts";

const FIRST_COMMANDS = ["logs --follow", "act cancelEvent --set event_id=evt-morning", "clock advance P3D --dry-run"];

export function showHome(application: WorldsPort & RequestsPort & TimePort, exchange: Exchange): Answer {
  const base = findAddress(application, exchange);
  if (isJsonWanted(exchange)) return { status: 200, body: listAddresses(base, application.version) };
  return createPage(
    "experience-sandbox",
    html`<h1>experience-sandbox <small>${application.version}</small></h1>
<p>A sandbox of the Experience Booking and Commerce API. Nothing in it is real: no money moves, and no mail is sent.</p>
<h2>Addresses</h2>
${formatAddressRows(base)}
<h2>This world</h2>
${formatWorldRows(application, exchange)}
<h2>First commands</h2>
<p>Client id, secret and token, then a call. ${link("/llms.txt")} leads to a line like the last one for every operation.</p>
<pre tabindex="0">${[...formatTokenLines(base), formatCall("/v1/bookings?limit=1")].join("\n")}</pre>
<p>Watch what comes in, make a move of the host, move the clock:</p>
<pre tabindex="0">${FIRST_COMMANDS.map((words) => formatCommand(`${words} --url ${base}`)).join("\n")}</pre>`,
  );
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
    [
      "Credentials",
      link(`${control}/worlds/default/credentials`),
      html`client ids and secrets; also <code>${formatCommand("env")}</code>`,
    ],
    [
      "Specification",
      html`${link("/openapi.json")} · ${link("/openapi.yaml")}`,
      "OpenAPI 3.1, with the overrides of this world",
    ],
    ["Console", link("/_sandbox/ui"), "what happens in this world, as it happens: requests, webhooks, the clock"],
    [
      "Documents",
      html`${link("/docs")} · ${link("/llms.txt")}`,
      "each operation, with what is assumed and a request to try; the same as text",
    ],
    ["Control API", html`${link(control)} · ${link(`${control}/openapi.json`)}`, "acts, clock, faults, worlds"],
    ["Log", html`${link(`${control}/requests`)} · ${link(`${control}/messages`)}`, "requests, and webhook messages"],
    ["Health", link("/healthz"), "status 200 while the sandbox runs"],
  ]);
}

function formatWorldRows(application: WorldsPort & RequestsPort & TimePort, exchange: Exchange): Html {
  const world = findMeantWorld(application, exchange);
  if (!world) return html`<p>There is no world <code>default</code>.</p>`;
  const { fixture, now, mode, counts } = describeWorld(world, application) as {
    [name in "fixture" | "now" | "mode"]: string;
  } & { counts: Record<string, number> };
  const { experiences = 0, events = 0, bookings = 0, orders = 0 } = counts;
  const isBookable = events === 0 || application.findQuarantine(world) !== undefined || world.read(now, hasOpenEvent);
  const names = findOverrides(world, application);
  const taken = names.map((name) => html`<div><code>${name}</code> ${flips[name]?.meaning ?? ""}</div>`);
  return formatRows([
    ["World", html`<code>${world.id}</code>`, html`of the fixture ${fixture}`],
    ["Clock", html`<code>${now}</code>`, mode === "held" ? "held" : "running with real time"],
    [
      "Holds",
      `${experiences} experiences, ${events} events, ${bookings} bookings, ${orders} orders`,
      isBookable ? "" : NO_OPEN_EVENT,
    ],
    [
      "Assumptions",
      taken.length === 0 ? "every open question has its usual answer" : taken,
      link(`/_sandbox/assumptions`),
    ],
  ]);
}
