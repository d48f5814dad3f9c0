// Documents that need no token: the specification, the metadata of the token endpoint, the health check. Assumptions: discovery
// (OpenID Connect Discovery, RFC 8414), openid-metadata.

import { stringify } from "yaml";
import type { Application } from "../app/application.ts";
import { SCOPES } from "../domain/company/key.ts";
import controlDocument from "../generated/control.json" with { type: "json" };
import { HttpError } from "./errors.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { worldOfToken } from "./identify.ts";
import { documentInForce, inForce } from "./in-force.ts";
import { namedWorld, worldCalled } from "./named-world.ts";

type Document = (application: Application, exchange: Exchange) => Answer;

const asYaml = (document: object): Answer => ({
  status: 200,
  headers: { "content-type": "application/yaml; charset=utf-8" },
  // YAML 1.1 too: its parsers would read an unquoted timestamp as a date.
  body: stringify(document, { version: "1.1", lineWidth: 0 }),
});
const asJson = (document: object): Answer => ({ status: 200, body: document });

const table: Record<string, Document> = {
  "/openapi.json": (application, exchange) => asJson(openapi(application, exchange)),
  "/openapi.yaml": (application, exchange) => asYaml(openapi(application, exchange)),
  "/_sandbox/openapi.json": (application) => asJson(controlOpenapi(application)),
  "/.well-known/openid-configuration": (application) => asJson(openIdMetadata(application)),
  "/.well-known/jwks.json": () => asJson({ keys: [] }),
  "/oauth2/auth": () => {
    const why =
      "No user signs in here, so there is no authorization page. Get a token from POST /oauth2/token with grant_type";
    throw new HttpError(400, `${why}=client_credentials.`);
  },
  "/.well-known/oauth-authorization-server": (application) => asJson(metadata(application)),
  "/healthz": () => asJson({ status: "ok" }),
};

/** Their paths, to be suggested when one is misspelt. */
export const documentPaths = Object.keys(table);

export function documents(exchange: Exchange, application: Application): Answer | undefined {
  if (!Object.hasOwn(table, exchange.path)) return undefined;
  if (exchange.method === "GET" || exchange.method === "HEAD") return table[exchange.path]?.(application, exchange);
  const headers = { allow: "GET, HEAD, OPTIONS" };
  if (exchange.method === "OPTIONS") return { status: 204, headers };
  throw new HttpError(405, `${exchange.method} is not possible on ${exchange.path}. Use GET.`, { headers });
}

/** The same where the specification has an operation for the document. */
export function serveDocument(exchange: Exchange, application: Application): Answer {
  const answer = documents(exchange, application);
  if (!answer) throw new Error(`${exchange.route?.id} is not served`);
  return answer;
}

export function controlOpenapi(application: Application): object {
  return served(controlDocument, application);
}

/** As it binds the named world, or the world of the token, or the world default. */
function openapi(application: Application, exchange: Exchange): object {
  const named = namedWorld(exchange);
  const world = named === undefined ? worldOfToken(exchange, application) : worldCalled(application, named);
  return served(documentInForce(inForce(world ?? application.worlds.get("default"), application)), application);
}

/** The address in the documents. */
const WRITTEN = "http://127.0.0.1:4010";

/** The document with this sandbox's version, with this sandbox as its only server, and in all its addresses. */
function served(document: Record<string, unknown>, application: Application): object {
  const info = { ...(document.info as object), version: application.version };
  const text = JSON.stringify({ ...document, info, servers: [{ url: WRITTEN }] });
  return JSON.parse(text.replaceAll(WRITTEN, application.base()));
}

/** With all that OpenID Connect Discovery requires: strict libraries reject the document otherwise. */
function openIdMetadata(application: Application): object {
  return {
    ...metadata(application),
    authorization_endpoint: `${application.base()}/oauth2/auth`,
    jwks_uri: `${application.base()}/.well-known/jwks.json`,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [],
  };
}

function metadata(application: Application): object {
  return {
    issuer: application.base(),
    token_endpoint: `${application.base()}/oauth2/token`,
    grant_types_supported: ["client_credentials"],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    scopes_supported: SCOPES,
    service_documentation: `${application.base()}/openapi.json`,
  };
}
