// What the sandbox tells people, and tools that read: the page at its address, its documents, and the icon that browsers ask for.
import type { Application } from "../../app/application.ts";
import { operationsOf } from "../../document/document.ts";
import { didYouMean } from "../../domain/kernel/nearest.ts";
import { HttpError } from "../errors.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { inForce } from "../in-force.ts";
import { addressFor, openapi, worldMeant } from "../served.ts";
import { CONSOLE_PATH, consoleAt } from "./console.ts";
import { docs } from "./docs.ts";
import { FAVICON_PATH, favicon } from "./favicon.ts";
import { home } from "./home.ts";
import { llmsText } from "./llms-text.ts";
import { operationText, type Register } from "./operation-text.ts";

type Page = (application: Application, exchange: Exchange) => Answer;

const text = (type: string, body: string): Answer => ({
  status: 200,
  headers: { "content-type": `text/${type}; charset=utf-8`, "x-content-type-options": "nosniff" },
  body,
});

const pages: Readonly<Record<string, Page>> = {
  "/": home,
  "/docs": (application, exchange) => docs(openapi(application, exchange)),
  "/llms.txt": (application, exchange) =>
    text("plain", llmsText(openapi(application, exchange), addressFor(application, exchange))),
  [FAVICON_PATH]: favicon,
};

/** Their paths, for whoever mistypes one. */
export const pagePaths = ["/docs", "/llms.txt", CONSOLE_PATH];

const OPERATION = /^\/docs\/([^/]+)\.md$/;

export function pageAt(path: string): Page | undefined {
  if (Object.hasOwn(pages, path)) return pages[path];
  const [, id] = OPERATION.exec(path) ?? [];
  return id === undefined ? consoleAt(path) : (application, exchange) => operationPage(id, application, exchange);
}

function operationPage(id: string, application: Application, exchange: Exchange): Answer {
  const document = openapi(application, exchange);
  const operations = operationsOf(document);
  const operation = operations.find((each) => each.id === id);
  if (!operation) {
    const meant = didYouMean(
      id,
      operations.map((each) => each.id),
    );
    throw new HttpError(404, `There is no operation ${id.slice(0, 60)}.${meant} /docs lists them.`);
  }
  const register = registerOf(application, exchange);
  return text("markdown", operationText(document, operation, register, addressFor(application, exchange)));
}

interface Entry {
  id: string;
  chosen: string;
  default: string;
  alternatives: { value: string; meaning: string }[];
}

function registerOf(application: Application, exchange: Exchange): Register {
  const world = worldMeant(application, exchange);
  const taken = inForce(world, application);
  const entries = (world ? application.assumptions.all(world) : []) as unknown as readonly Entry[];
  return new Map(
    entries.map(({ id, chosen, default: usual, alternatives }) => {
      const other = alternatives.find(({ value }) => taken.includes(`${id}=${value}`));
      const values = [usual, ...alternatives.map(({ value }) => value)];
      const others = values.filter((value) => value !== (other?.value ?? usual));
      return [id, { chosen: other ? `${other.meaning} (\`${other.value}\`)` : chosen, others }];
    }),
  );
}
