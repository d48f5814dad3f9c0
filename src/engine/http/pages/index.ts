// What the sandbox tells people, and tools that read: the page at its address, its documents, and the icon that browsers ask for.

import { operationsOf } from "../../../contract/document/document.ts";
import { html } from "../../../platform/html.ts";
import { didYouMean } from "../../../platform/nearest.ts";
import type { RequestsPort, TeamsPort, TimePort, WorldsPort } from "../../app/application.ts";
import { annotatedOpenapi } from "../annotated.ts";
import { HttpError } from "../errors.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { addressFor } from "../served.ts";
import { certificateAt } from "./certificate.ts";
import { CONSOLE_PATH, consoleAt } from "./console.ts";
import { FAVICON_PATH, favicon } from "./favicon.ts";
import { home } from "./home.ts";
import { llmsText } from "./llms-text.ts";
import { operationText } from "./operation-text.ts";
import { reader, readerFiles } from "./reader.ts";
import { scenario, scenarioNamed } from "./scenario.ts";

type PagePorts = WorldsPort & RequestsPort & TimePort & TeamsPort;
type PageMaker = (application: PagePorts, exchange: Exchange) => Answer | Promise<Answer>;

const text = (type: string, body: string | Buffer): Answer => ({
  status: 200,
  headers: { "content-type": `text/${type}; charset=utf-8`, "x-content-type-options": "nosniff" },
  body,
});

const pages: Readonly<Record<string, PageMaker>> = {
  "/": home,
  "/docs": reader,
  "/llms.txt": (application, exchange) =>
    text("plain", llmsText(annotatedOpenapi(application, exchange), addressFor(application, exchange))),
  [FAVICON_PATH]: favicon,
};

/** Their paths, for whoever mistypes one. */
export const pagePaths = ["/docs", "/llms.txt", CONSOLE_PATH];

const OPERATION = /^\/docs\/([^/]+)\.md$/;

export function pageAt(path: string): PageMaker | undefined {
  const page = pageOf(path);
  if (!page) return undefined;
  return (application, exchange) => {
    const answer = page(application, exchange);
    return answer instanceof Promise ? answer.then((made) => underMount(made, exchange)) : underMount(answer, exchange);
  };
}

/** Links of a page begin at the root; an app may mount the sandbox elsewhere. */
function underMount(answer: Answer, { mount }: Exchange): Answer {
  if (mount === "" || !answer.headers?.["content-type"]?.startsWith("text/html")) return answer;
  // Escaped, as what stands in an attribute has to be.
  const prefix = html`${mount}`.text;
  return { ...answer, body: String(answer.body).replace(/\b(href|src)="\//g, (_, name) => `${name}="${prefix}/`) };
}

function pageOf(path: string): PageMaker | undefined {
  // A path such as /constructor is none of ours.
  if (Object.hasOwn(pages, path)) return pages[path];
  const file = Object.hasOwn(readerFiles, path) ? readerFiles[path] : undefined;
  if (file) return (_, exchange) => file(exchange);
  const [, id] = OPERATION.exec(path) ?? [];
  if (id !== undefined) return (application, exchange) => operationPage(id, application, exchange);
  const certificate = certificateAt(path);
  if (certificate) return certificate;
  const name = scenarioNamed(path);
  if (name !== undefined) return () => text("plain", scenario(name));
  const console = consoleAt(path);
  return console && ((_, exchange) => console(exchange));
}

function operationPage(id: string, application: PagePorts, exchange: Exchange): Answer {
  const document = annotatedOpenapi(application, exchange);
  const operations = operationsOf(document);
  const operation = operations.find((each) => each.id === id);
  if (!operation) {
    const meant = didYouMean(
      id,
      operations.map((each) => each.id),
    );
    throw new HttpError(404, `There is no operation ${id.slice(0, 60)}.${meant} /docs lists them.`);
  }
  return text("markdown", operationText(document, operation, addressFor(application, exchange)));
}
