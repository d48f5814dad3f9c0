// Identifies the sender of a request by its bearer token, and finds the world that a request names. Heading
// "Authentication"; assumptions: no-token, scope-missing, token-lifetime, preview-production, other-company (a world
// never sees ids of another, so they are a plain 404).
import type { RequestsPort, TimePort, WorldsPort } from "../app/application.ts";
import type { Values } from "../domain/kernel/domain-error.ts";
import type { World } from "../world/state/world.ts";
import { HttpError, type TransportRule } from "./errors.ts";
import { type Exchange, type Routed, readHeader } from "./exchange.ts";
import { readAssumption } from "./in-force.ts";

/** Sets world, key, scopes and time of the request. Throws 401 or 403, and 404 for a Preview operation in production. */
export function identify(exchange: Routed, application: WorldsPort & RequestsPort & TimePort): void {
  const authorization = readHeader(exchange, "authorization")?.trim() ?? "";
  const sent = /^bearer\b/i.test(authorization);
  if (!sent)
    throw createUnauthorized(
      "There is no bearer token. Get one from POST /oauth2/token and send it as `Authorization: Bearer …`.",
      "token-missing",
      { scheme: authorization === "" ? "none" : authorization.split(" ", 1)[0]?.slice(0, 40) },
    );
  const found = noteToken(exchange, application);
  const key = found?.world.credentials().keys.get(found.token.client_id);
  // Tokens expire on the clock of the world.
  if (found) logIn(exchange, found.world, application);
  if (!found || !key || key.revoked_at)
    throw createUnauthorized(
      "The bearer token is malformed, unknown or revoked. Get a new one from POST /oauth2/token.",
      key ? "key-revoked" : readBearer(authorization) === undefined ? "token-malformed" : "token-unknown",
      key ? { client_id: key.id, name: key.name, at: key.revoked_at } : { length: authorization.length - 7 },
    );
  exchange.key = key;
  exchange.scopes = found.token.scopes;
  if (found.token.expires_at <= exchange.at)
    throw createUnauthorized(
      `The bearer token expired at ${found.token.expires_at}; it is ${exchange.at} now. Get a new one from POST /oauth2/token.`,
      "token-expired",
      { expired: found.token.expires_at, now: exchange.at, client_id: key.id },
    );
  // Scopes are checked before maturity, so that callers without the scope learn nothing more.
  assertScope(exchange, application);
  assertServed(exchange, application);
}

/** Sets the world and its time. Rejected requests have them too, because they are logged in that world. */
export function logIn(exchange: Exchange, world: World, application: TimePort): void {
  exchange.world = world;
  exchange.at = application.now(world);
}

/** Logs a request without an operation in the world of its token, which may be invalid. */
export function logByToken(exchange: Exchange, application: WorldsPort & TimePort): void {
  const world = findTokenWorld(exchange, application);
  if (world) logIn(exchange, world, application);
}

/** Reads the token (RFC 6750 section 2.1); undefined if it is malformed. */
export const readBearer = (authorization: string): string | undefined =>
  /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1];

/** Finds the token of the request, which may have expired, and notes the sender. */
export function noteToken(exchange: Exchange, application: WorldsPort): ReturnType<WorldsPort["findToken"]> {
  const token = readBearer(readHeader(exchange, "authorization")?.trim() ?? "");
  const found = token === undefined ? undefined : application.findToken(token);
  if (found) exchange.tokenHash = found.token.id;
  if (found?.token.sent_by) exchange.sentBy = found.token.sent_by;
  return found;
}

/** Finds the world of the request's token, which may have expired. */
export const findTokenWorld = (exchange: Exchange, application: WorldsPort): World | undefined =>
  noteToken(exchange, application)?.world;

function createUnauthorized(message: string, rule: TransportRule, values: Values): HttpError {
  // RFC 6750 section 3.1 forbids an error code if no token was sent.
  const challenge = `Bearer realm="sandbox"${rule === "token-missing" ? "" : ', error="invalid_token"'}`;
  return new HttpError(401, message, { headers: { "www-authenticate": challenge }, rule, values });
}

function assertScope(exchange: Routed, application: WorldsPort): void {
  const { route } = exchange;
  const missing = route.scopes.filter((scope) => !exchange.scopes?.includes(scope));
  if (missing.length === 0) return;
  const scope = missing.join(" ");
  const message = `${route.id} needs the scope ${scope}, which this token does not have. Request a token with it; the key must have been granted it.`;
  const code = readAssumption(exchange, application, "scope-missing") === "FORBIDDEN" ? "FORBIDDEN" : "UNAUTHORIZED";
  throw new HttpError(403, message, {
    code,
    headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
    rule: "scope-missing",
    values: { scope, client_id: exchange.key?.id, granted: exchange.scopes?.join(" ") },
  });
}

function assertServed(exchange: Routed, application: WorldsPort & RequestsPort): void {
  const { route } = exchange;
  if (application.settings.maturity !== "production" || route.maturity !== "preview") return;
  const status = readAssumption(exchange, application, "preview-production") === "403" ? 403 : 404;
  const message = `${route.id} is labelled Preview: its specification is published for feedback, and it can't be called in production. Start the sandbox with --maturity preview to try it.`;
  throw new HttpError(status, message, {
    code: "NOT_AVAILABLE_IN_PRODUCTION",
    rule: "preview-operation",
    values: { operation: route.id },
  });
}
