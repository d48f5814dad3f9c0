// What the sandbox tells people, and tools that read: the page at its address, its documents, and the icon that browsers ask for.

import { operationsOf } from "../../../contract/document/document.ts";
import { html } from "../../../platform/html.ts";
import { suggest } from "../../../platform/nearest.ts";
import type { RequestsPort, TimePort, WorldsPort } from "../../app/application.ts";
import { annotatedOpenapi } from "../annotated.ts";
import { HttpError } from "../errors.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { addressFor } from "../served.ts";
import { CONSOLE_PATH, consolePage } from "./console.ts";
import { FAVICON_PATH, favicon } from "./favicon.ts";
import { home } from "./home.ts";
import { llmsText } from "./llms-text.ts";
import { operationText } from "./operation-text.ts";
import { reader } from "./reader.ts";
import { scenario } from "./scenario.ts";

type PagePorts = WorldsPort & RequestsPort & TimePort;
type PageMaker = (application: PagePorts, exchange: Exchange) => Answer | Promise<Answer>;

const text = (type: string, body: string | Buffer): Answer => ({
  status: 200,
  headers: { "content-type": `text/${type}; charset=utf-8`, "x-content-type-options": "nosniff" },
  body,
});

/** Paths to be suggested when one is misspelt. */
export const pagePaths = ["/docs", "/llms.txt", CONSOLE_PATH];

const pages: Readonly<Record<string, PageMaker>> = {
  "/": home,
  "/docs": reader,
  "/docs/:operation.md": createOperationPage,
  "/llms.txt": (application, exchange) =>
    text("plain", llmsText(annotatedOpenapi(application, exchange), addressFor(application, exchange))),
  [FAVICON_PATH]: favicon,
  "/scenarios/:name.yaml": (_, { params }) => text("plain", scenario(params.name ?? "")),
  // Its address says what the page shows.
  [CONSOLE_PATH]: consolePage,
  [`${CONSOLE_PATH}/`]: consolePage,
  [`${CONSOLE_PATH}/*screen`]: consolePage,
};

export const pageRoutes = Object.entries(pages).map(([path, page]) => ({
  path,
  make: async (application: PagePorts, exchange: Exchange) => underMount(await page(application, exchange), exchange),
}));

/** Links of a page begin at the root; an app may mount the sandbox elsewhere. */
function underMount(answer: Answer, { mount }: Exchange): Answer {
  if (mount === "" || !answer.headers?.["content-type"]?.startsWith("text/html")) return answer;
  // Escaped, as what stands in an attribute has to be.
  const prefix = html`${mount}`.text;
  return { ...answer, body: String(answer.body).replace(/\b(href|src)="\//g, (_, name) => `${name}="${prefix}/`) };
}

function createOperationPage(application: PagePorts, exchange: Exchange): Answer {
  const { operation: id = "" } = exchange.params;
  const document = annotatedOpenapi(application, exchange);
  const operations = operationsOf(document);
  const operation = operations.find((each) => each.id === id);
  if (!operation) {
    const meant = suggest(
      id,
      operations.map((each) => each.id),
    );
    throw new HttpError(404, `There is no operation ${id.slice(0, 60)}.${meant} /docs lists them.`);
  }
  return text("markdown", operationText(document, operation, addressFor(application, exchange)));
}
