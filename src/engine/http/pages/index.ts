// Serves the pages of the sandbox for people and tools: the home page, the documents, and the icon.

import { operationsOf } from "../../../contract/document/document.ts";
import { html } from "../../../platform/html.ts";
import { suggest } from "../../../platform/nearest.ts";
import type { RequestsPort, TimePort, WorldsPort } from "../../app/application.ts";
import { createAnnotatedOpenapi } from "../annotated.ts";
import { HttpError } from "../errors.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { findAddress } from "../served.ts";
import { CONSOLE_PATH, showConsole, showReader } from "./console.ts";
import { FAVICON_PATH, showIcon } from "./favicon.ts";
import { showHome } from "./home.ts";
import { formatLlmsText } from "./llms-text.ts";
import { formatOperation } from "./operation-text.ts";
import { readScenario } from "./scenario.ts";

type PagePorts = WorldsPort & RequestsPort & TimePort;
type PageMaker = (application: PagePorts, exchange: Exchange) => Answer | Promise<Answer>;

const createText = (type: string, body: string | Buffer): Answer => ({
  status: 200,
  headers: { "content-type": `text/${type}; charset=utf-8`, "x-content-type-options": "nosniff" },
  body,
});

/** The paths to suggest for a misspelt one. */
export const pagePaths = ["/docs", "/llms.txt", CONSOLE_PATH];

const pages: Readonly<Record<string, PageMaker>> = {
  "/": showHome,
  "/docs": showReader,
  "/docs/:operation.md": createOperationPage,
  "/llms.txt": (application, exchange) =>
    createText(
      "plain",
      formatLlmsText(createAnnotatedOpenapi(application, exchange), findAddress(application, exchange)),
    ),
  [FAVICON_PATH]: showIcon,
  "/scenarios/:name.yaml": (_, { params }) => createText("plain", readScenario(params.name ?? "")),
  // The console selects a screen by the path.
  [CONSOLE_PATH]: showConsole,
  [`${CONSOLE_PATH}/`]: showConsole,
  [`${CONSOLE_PATH}/*screen`]: showConsole,
};

export const pageRoutes = Object.entries(pages).map(([path, page]) => ({
  path,
  make: async (application: PagePorts, exchange: Exchange) => addMount(await page(application, exchange), exchange),
}));

/** Adds the path under which an app mounts the sandbox to the links of a page. */
function addMount(answer: Answer, { mount }: Exchange): Answer {
  if (mount === "" || !answer.headers?.["content-type"]?.startsWith("text/html")) return answer;
  // The template escapes the path for use in an attribute.
  const prefix = html`${mount}`.text;
  return { ...answer, body: String(answer.body).replace(/\b(href|src)="\//g, (_, name) => `${name}="${prefix}/`) };
}

function createOperationPage(application: PagePorts, exchange: Exchange): Answer {
  const { operation: id = "" } = exchange.params;
  const document = createAnnotatedOpenapi(application, exchange);
  const operations = operationsOf(document);
  const operation = operations.find((each) => each.id === id);
  const ids = operations.map((each) => each.id);
  if (!operation)
    throw new HttpError(404, `There is no operation ${id.slice(0, 60)}.${suggest(id, ids)} /docs lists them.`);
  return createText("markdown", formatOperation(document, operation, findAddress(application, exchange)));
}
