// The list of the operations, by the headings of the document, each with its own page as text.
import { type Json, operationsOf } from "../../document/document.ts";
import type { Answer } from "../exchange.ts";
import { html, link, page, rows } from "./html.ts";

export function docs(document: Json): Answer {
  const operations = operationsOf(document);
  const { title, summary } = document.info as Record<"title" | "summary", string>;
  const tags = (document.tags as { name: string; description: string }[]).map(({ name, description }) => ({
    name,
    description,
    items: operations.filter(({ tag }) => tag === name),
  }));
  const sections = tags
    .filter(({ items }) => items.length > 0)
    .map(
      ({ name, description, items }) => html`<h2>${name}</h2>
<p class="aside">${description}</p>
${rows(
  items.map(({ id, method, path, summary: what, maturity }) => [
    link(`/docs/${id}.md`, id),
    html`<code>${method} ${path}</code>`,
    html`${what} <span class="aside">${maturity}</span>`,
  ]),
)}
`,
    );
  return page(
    title,
    html`<h1>${title}</h1>
<p>${summary} As a document for programs: ${link("/openapi.json")}, ${link("/openapi.yaml")}, ${link("/llms.txt")}.
What the sandbox can do and the service cannot: ${link("/_sandbox/openapi.json")}. Back to ${link("/", "the addresses")}.</p>
${sections}`,
  );
}
