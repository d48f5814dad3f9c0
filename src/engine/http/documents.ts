// Serves what GET returns without a token: the specification, pages for people and tools, the metadata of the token
// endpoint, health checks, and the files that responses link to. Assumptions: discovery (OpenID Connect Discovery, RFC
// 8414), openid-metadata, ticket-url, journal-documents, media-item.
import { html } from "../../platform/html.ts";
import { SCOPES } from "../domain/company/key.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { HttpError } from "./errors.ts";
import type { Answer, DocumentPorts, DocumentRoute, Routed } from "./exchange.ts";
import { CONSOLE_PATH, readPackagedFile, showConsole, showReader } from "./pages/built-files.ts";
import { showHome } from "./pages/home.ts";
import { formatLlmsText, formatOperation, readScenario } from "./pages/tool-pages.ts";
import { createAnnotatedOpenapi, createOpenapi, findAddress, isAnnotated, toYamlAnswer } from "./served.ts";

type DocumentTable = Readonly<Record<string, DocumentRoute["make"]>>;

const createSpecification: typeof createOpenapi = (application, exchange) =>
  (isAnnotated(exchange) ? createAnnotatedOpenapi : createOpenapi)(application, exchange);
const toJsonAnswer = (document: object): Answer => ({ status: 200, body: document });

const documents: DocumentTable = {
  "/openapi.json": (application, exchange) => toJsonAnswer(createSpecification(application, exchange)),
  "/openapi.yaml": (application, exchange) => toYamlAnswer(createSpecification(application, exchange)),
  "/.well-known/openid-configuration": (application, exchange) =>
    toJsonAnswer(createOpenIdMetadata(findAddress(application, exchange))),
  // Tokens are not signed, so the set is empty. OpenID Connect Discovery requires its address.
  "/.well-known/jwks.json": () => toJsonAnswer({ keys: [] }),
  "/oauth2/auth": () => {
    const message =
      "No user signs in here, so there is no authorization page. Get a token from POST /oauth2/token with grant_type=client_credentials.";
    throw new HttpError(400, message, { rule: "sign-in" });
  },
  "/.well-known/oauth-authorization-server": (application, exchange) =>
    toJsonAnswer(createMetadata(findAddress(application, exchange))),
  // The process is alive. /readyz reports whether it can serve requests.
  "/healthz": () => toJsonAnswer({ status: "ok" }),
  "/readyz": (application) => {
    const obstacle = application.findObstacle();
    if (obstacle === undefined) return toJsonAnswer({ status: "ready" });
    const { why, isStopping } = obstacle;
    // A 404 makes a load balancer finish current requests and send no new ones.
    return { ...toJsonAnswer({ status: "unavailable", why }), status: isStopping ? 404 : 503 };
  },
};

/** All tickets and documents are the same PDF, and all pictures the same PNG. */
const createFileMaker =
  (type: string, name: string, exists: (tx: Transaction, id: string) => boolean): DocumentRoute["make"] =>
  ({ worlds, read }, { params: { world: worldId = "", id = "" } }) => {
    const world = worlds.get(worldId);
    if (!world || !read(world, (tx) => exists(tx, id))) return undefined;
    return { status: 200, headers: { "content-type": type }, body: readPackagedFile("spec", "files", name) };
  };

const hasTicket = (tx: Transaction, id: string): boolean => tx.tickets.get(id) !== undefined;
const hasDocument = (tx: Transaction, id: string): boolean => tx.entries.where("document", id).length > 0;
const isPictureName = (_: Transaction, id: string): boolean => /^[a-z0-9-]{1,60}$/.test(id);

const files: DocumentTable = {
  "/files/:world/tickets/:id.pdf": createFileMaker("application/pdf", "document.pdf", hasTicket),
  "/files/:world/documents/:id.pdf": createFileMaker("application/pdf", "document.pdf", hasDocument),
  "/files/:world/media/:id.png": createFileMaker("image/png", "picture.png", isPictureName),
};

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/><path d="M3 9h10l-2 4H5zM8 2v6h4z" fill="#fff"/></svg>`;

const createText = (type: string, body: string | Buffer): Answer => ({
  status: 200,
  headers: { "content-type": `${type}; charset=utf-8`, "x-content-type-options": "nosniff" },
  body,
});

const pages: DocumentTable = {
  "/": showHome,
  "/docs": showReader,
  "/docs/:operation.md": (application, exchange) => {
    const document = createAnnotatedOpenapi(application, exchange);
    const { operation = "" } = exchange.params;
    return createText("text/markdown", formatOperation(document, operation));
  },
  "/llms.txt": (application, exchange) => {
    const document = createAnnotatedOpenapi(application, exchange);
    return createText("text/plain", formatLlmsText(document, findAddress(application, exchange)));
  },
  // Browsers request an icon, which would be a 404 in the request log.
  "/favicon.ico": () => createText("image/svg+xml", ICON),
  "/scenarios/:name.yaml": (_, { params }) => createText("text/plain", readScenario(params.name ?? "")),
  // The console selects a screen by the path.
  [CONSOLE_PATH]: showConsole,
  [`${CONSOLE_PATH}/`]: showConsole,
  [`${CONSOLE_PATH}/*screen`]: showConsole,
};

/** The paths to suggest for a misspelt one. */
export const documentPaths = [...Object.keys(documents), "/docs", "/llms.txt", CONSOLE_PATH];

export const documentRoutes: readonly DocumentRoute[] = [
  ...Object.entries({ ...documents, ...files }).map(([path, make]) => ({ path, make })),
  ...Object.entries(pages).map(([path, make]) => ({ path, isPage: true, make: addMount(make) })),
];

/** Serves an operation of the specification that returns a document. */
export function serveDocument(exchange: Routed, application: DocumentPorts): ReturnType<DocumentRoute["make"]> {
  const answer = documents[exchange.route.operation.path]?.(application, exchange);
  if (!answer) throw new Error(`${exchange.route.id} is not served`);
  return answer;
}

/** Adds all fields that OpenID Connect Discovery requires, because strict libraries reject the document otherwise. */
function createOpenIdMetadata(base: string): object {
  return {
    ...createMetadata(base),
    authorization_endpoint: `${base}/oauth2/auth`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [],
  };
}

function createMetadata(base: string): object {
  return {
    issuer: base,
    token_endpoint: `${base}/oauth2/token`,
    grant_types_supported: ["client_credentials"],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    scopes_supported: SCOPES,
    service_documentation: `${base}/openapi.json`,
  };
}

/** Adds the path under which an app mounts the sandbox to the links of a page. */
function addMount(make: DocumentRoute["make"]): DocumentRoute["make"] {
  return async (application, exchange) => {
    const answer = (await make(application, exchange)) as Answer;
    if (exchange.mount === "" || !answer.headers?.["content-type"]?.startsWith("text/html")) return answer;
    // The template escapes the path for use in an attribute.
    const prefix = html`${exchange.mount}`.text;
    return { ...answer, body: String(answer.body).replace(/\b(href|src)="\//g, (_, name) => `${name}="${prefix}/`) };
  };
}
