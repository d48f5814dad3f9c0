// Serves documents without a token: the specification, pages, the metadata of the token endpoint, and health checks. Assumptions: discovery
// (OpenID Connect Discovery, RFC 8414), openid-metadata.

import type { RequestsPort, TimePort, WorldsPort } from "../app/application.ts";
import { SCOPES } from "../domain/company/key.ts";
import { createAnnotatedOpenapi, isAnnotated } from "./annotated.ts";
import { HttpError } from "./errors.ts";
import type { Answer, Exchange, Routed } from "./exchange.ts";
import { fileRoutes } from "./files.ts";
import { pagePaths, pageRoutes } from "./pages/index.ts";
import { createOpenapi, findAddress, toYamlAnswer } from "./served.ts";

type DocumentPorts = WorldsPort & RequestsPort & TimePort;

type DocumentMaker = (application: DocumentPorts, exchange: Exchange) => Answer | undefined | Promise<Answer>;

/** A document, a page or a file for GET. `make` returns undefined if there is none for the path parameters. */
export interface DocumentRoute {
  /** The path in the syntax of Express. */
  path: string;
  make: DocumentMaker;
  /** Whether it is a page of the sandbox, which the request log omits. */
  isPage?: boolean;
}

const createSpecification: typeof createOpenapi = (application, exchange) =>
  (isAnnotated(exchange) ? createAnnotatedOpenapi : createOpenapi)(application, exchange);
const toJsonAnswer = (document: object): Answer => ({ status: 200, body: document });

const table: Record<string, DocumentMaker> = {
  "/openapi.json": (application, exchange) => toJsonAnswer(createSpecification(application, exchange)),
  "/openapi.yaml": (application, exchange) => toYamlAnswer(createSpecification(application, exchange)),
  "/.well-known/openid-configuration": (application, exchange) =>
    toJsonAnswer(createOpenIdMetadata(findAddress(application, exchange))),
  // Tokens are not signed, so the set is empty. OpenID Connect Discovery requires its address.
  "/.well-known/jwks.json": () => toJsonAnswer({ keys: [] }),
  "/oauth2/auth": () => {
    const why =
      "No user signs in here, so there is no authorization page. Get a token from POST /oauth2/token with grant_type";
    throw new HttpError(400, `${why}=client_credentials.`, { rule: "sign-in" });
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

/** The paths to suggest for a misspelt one. */
export const documentPaths = [...Object.keys(table), ...pagePaths];

export const documentRoutes: readonly DocumentRoute[] = [
  ...Object.entries(table).map(([path, make]) => ({ path, make })),
  ...fileRoutes,
  ...pageRoutes.map((route) => ({ ...route, isPage: true })),
];

/** Serves an operation of the specification that returns a document. */
export function serveDocument(exchange: Routed, application: DocumentPorts): Answer | Promise<Answer> {
  const answer = table[exchange.route.operation.path]?.(application, exchange);
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
