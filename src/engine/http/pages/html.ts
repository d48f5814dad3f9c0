// Creates pages without scripts and external resources, in light and dark colours.
import { createHash } from "node:crypto";
import { Html, type HtmlPart, html } from "../../../platform/html.ts";
import type { Answer } from "../exchange.ts";
import { createSecurityHeaders } from "./security.ts";

const STYLE = `
:root { color-scheme: light dark; --page: #fff; --text: #1b2027; --line: #d5d9e0; --aside: #5a6472; --ground: #f3f5f8; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181d; --text: #e7eaee; --line: #39414d; --aside: #a3adba; --ground: #1d232b; --link: #7db7f5; } }
html { background: var(--page); color: var(--text); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
h1 small, .aside { color: var(--aside); font-weight: normal; font-size: .85rem; }
a { color: var(--link); } a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875rem; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; width: 27%; } td:nth-child(2) { width: 43%; }
@media (max-width: 44rem) { tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  th, td, td:nth-child(2) { display: block; width: auto; border: 0; padding: 0; } }
`;

/** The policy allows this one style by its hash, and nothing else inline. */
const STYLE_HASH = `style-src 'self' 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/** Creates a page, which is not cached because the world changes. */
export function createPage(title: string, body: Html): Answer {
  const whole = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      ...createSecurityHeaders("own", [STYLE_HASH]),
      "cache-control": "no-store",
    },
    body: whole.text,
  };
}

/** Formats a table with a heading in each row. */
export function formatRows(entries: readonly (readonly [heading: HtmlPart, ...cells: HtmlPart[]])[]): Html {
  const lines = entries.map(
    ([heading, ...cells]) =>
      html`<tr><th scope="row">${heading}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  );
  return html`<table>\n${lines}</table>`;
}

export const link = (target: string, text: string = target): Html => html`<a href="${target}">${text}</a>`;
