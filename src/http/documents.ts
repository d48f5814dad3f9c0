// What the sandbox says of itself without a token: the specification, the metadata of the token endpoint, and that it is well.
// Assumption: discovery (OpenID Connect Discovery, RFC 8414).

import { stringify } from "yaml";
import { SCOPES } from "../domain/key.ts";
import controlDocument from "../generated/control.json" with { type: "json" };
import { HttpError } from "./errors.ts";
import type { Answer, Exchange } from "./exchange.ts";
import type { House } from "./house.ts";
import { worldOfToken } from "./identify.ts";
import { documentInForce, inForce } from "./in-force.ts";
import { namedWorld, worldCalled } from "./named-world.ts";

type Document = (house: House, exchange: Exchange) => Answer;

const asYaml = (document: object): Answer => ({
  status: 200,
  headers: { "content-type": "application/yaml; charset=utf-8" },
  body: stringify(document),
});
const asJson = (document: object): Answer => ({ status: 200, body: document });

const table: Record<string, Document> = {
  "/openapi.json": (house, exchange) => asJson(openapi(house, exchange)),
  "/openapi.yaml": (house, exchange) => asYaml(openapi(house, exchange)),
  "/_sandbox/openapi.json": (house) => asJson(controlOpenapi(house)),
  "/.well-known/openid-configuration": (house) =>
    asJson({ ...metadata(house), subject_types_supported: ["public"], id_token_signing_alg_values_supported: [] }),
  "/.well-known/oauth-authorization-server": (house) => asJson(metadata(house)),
  "/healthz": () => asJson({ status: "ok" }),
};

/** Their paths, for whoever mistypes one. */
export const documentPaths = Object.keys(table);

export function documents(exchange: Exchange, house: House): Answer | undefined {
  if (!Object.hasOwn(table, exchange.path)) return undefined;
  if (exchange.method === "GET" || exchange.method === "HEAD") return table[exchange.path]?.(house, exchange);
  const headers = { allow: "GET, HEAD, OPTIONS" };
  if (exchange.method === "OPTIONS") return { status: 204, headers };
  throw new HttpError(405, `${exchange.method} is not possible on ${exchange.path}. Use GET.`, { headers });
}

export function controlOpenapi(house: House): object {
  return served(controlDocument, house);
}

/** As it binds the world that is named, or that the token is of, or the usual one. */
function openapi(house: House, exchange: Exchange): object {
  const named = namedWorld(exchange);
  const world = named === undefined ? worldOfToken(exchange, house) : worldCalled(house, named);
  return served(documentInForce(inForce(world ?? house.worlds.get("default"), house)), house);
}

/** The address that the documents are written with. */
const WRITTEN = "http://127.0.0.1:4010";

/** The document with this sandbox as its only server, and in all its addresses. */
function served(document: object, house: House): object {
  const text = JSON.stringify({ ...document, servers: [{ url: WRITTEN }] });
  return JSON.parse(text.replaceAll(WRITTEN, house.base()));
}

function metadata(house: House): object {
  return {
    issuer: house.base(),
    token_endpoint: `${house.base()}/oauth2/token`,
    grant_types_supported: ["client_credentials"],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    scopes_supported: SCOPES,
    service_documentation: `${house.base()}/openapi.json`,
  };
}
