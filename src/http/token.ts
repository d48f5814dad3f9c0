// POST /oauth2/token: the client credentials grant. Heading "Authentication" 3 to 5; RFC 6749 §4.4 and §5; assumptions: token-errors,
// token-client-auth, token-audience, token-scope-unknown, token-scope-omitted, token-lifetime, token-format.
import { createHash, timingSafeEqual } from "node:crypto";
import { after } from "../domain/instant.ts";
import type { Key } from "../domain/records.ts";
import type { World } from "../world/world.ts";
import { FORM_TYPE, readBody } from "./body.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { header } from "./exchange.ts";
import { HttpError } from "./errors.ts";
import type { House } from "./house.ts";
import { hashOf } from "./identify.ts";

const LIFETIME = 3599;
const NOT_STORED = { "cache-control": "no-store", pragma: "no-cache" };

class GrantError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Record<string, string>;
  constructor(error: string, description: string, status = 400, headers: Record<string, string> = {}) {
    super(description);
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

interface Client {
  id: string;
  secret: string;
  basic: boolean;
}

/** Who is behind a token request, for the world it belongs to; undefined when the client is unknown. */
export function clientWorld(exchange: Exchange, house: House): World | undefined {
  try {
    return house.keyOf(clientOf(exchange, readForm(exchange)).id)?.world;
  } catch {
    return undefined;
  }
}

export function createToken(exchange: Exchange, house: House): Answer {
  try {
    return { status: 200, headers: NOT_STORED, body: grant(exchange, house) };
  } catch (reason) {
    const { status, error, message, headers } = reason instanceof GrantError ? reason : asGrantError(reason);
    return { status, headers: { ...NOT_STORED, ...headers }, body: { error, error_description: message } };
  }
}

function asGrantError(reason: unknown): GrantError {
  if (reason instanceof HttpError) return new GrantError("invalid_request", reason.message, reason.status);
  throw reason;
}

function grant(exchange: Exchange, house: House): object {
  const form = readForm(exchange);
  if (!form.has("grant_type")) throw new GrantError("invalid_request", "grant_type is missing. Send grant_type=client_credentials.");
  if (form.get("grant_type") !== "client_credentials") {
    throw new GrantError("unsupported_grant_type", `The grant type ${quoted(form.get("grant_type"))} is not supported. Send grant_type=client_credentials.`);
  }
  const client = clientOf(exchange, form);
  const { world, key } = authenticated(client, house);
  exchange.world = world;
  exchange.key = key;
  exchange.at = house.now(world);
  const assumes = (id: string) => house.look(world, (desk) => desk.assumes(id));
  if (assumes("token-audience") !== "any") checkAudience(form.get("audience"), exchange, house);
  const scopes = scopesFor(form.get("scope"), key, assumes("token-scope-unknown") === "grant-rest");
  const token = house.random.token();
  const outcome = house.change(world, exchange.id, (desk) => {
    for (const old of desk.tokens.walk("expires", { until: desk.now })) desk.tokens.remove(old.id);
    const expires_at = after(desk.now, `PT${LIFETIME}S`);
    desk.tokens.put({ id: hashOf(token), client_id: key.id, scopes, expires_at });
    desk.tell("token.issued", key.id);
  });
  exchange.facts = outcome.facts;
  return { access_token: token, expires_in: LIFETIME, scope: scopes.join(" "), token_type: "bearer" };
}

/** Empty parameters count as absent, unknown ones are ignored, repeated ones are an error (RFC 6749 §3.2). */
function readForm(exchange: Exchange): Map<string, string> {
  const text = readBody(exchange, FORM_TYPE);
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(typeof text === "string" ? text : "")) {
    if (form.has(name)) throw new GrantError("invalid_request", `${quoted(name)} was sent more than once. Send it once.`);
    form.set(name, value);
  }
  for (const [name, value] of form) if (value === "") form.delete(name);
  return form;
}

function clientOf(exchange: Exchange, form: ReadonlyMap<string, string>): Client {
  const basic = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(header(exchange, "authorization")?.trim() ?? "")?.[1];
  const inForm = form.has("client_secret") || (basic === undefined && form.has("client_id"));
  if (basic !== undefined && inForm) throw new GrantError("invalid_request", "The credentials came both as HTTP Basic and in the form. Send them in one place.");
  if (basic !== undefined) {
    const [id = "", secret = ""] = splitOnce(Buffer.from(basic, "base64").toString("utf8")).map(formDecoded);
    if (form.has("client_id") && form.get("client_id") !== id) throw new GrantError("invalid_request", "client_id differs from the one in HTTP Basic. Send one.");
    return { id, secret, basic: true };
  }
  const [id, secret] = [form.get("client_id"), form.get("client_secret")];
  if (!id || !secret) throw new GrantError("invalid_client", "client_id or client_secret is missing. Send both, in the form or as HTTP Basic.", 401);
  return { id, secret, basic: false };
}

function splitOnce(text: string): [string, string] {
  const colon = text.indexOf(":");
  return colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** One answer for an unknown client and a wrong secret, in the same time. */
function authenticated({ id, secret, basic }: Client, house: House): { world: World; key: Key } {
  const found = house.keyOf(id);
  const right = timingSafeEqual(digest(found?.key.secret ?? ""), digest(secret));
  if (found && right && !found.key.revoked_at) return found;
  const challenge: Record<string, string> = basic ? { "www-authenticate": 'Basic realm="sandbox"' } : {};
  throw new GrantError("invalid_client", "The client is unknown or its secret is wrong. Start prints both; `sandbox env` prints them again.", 401, challenge);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function checkAudience(audience: string | undefined, exchange: Exchange, house: House): void {
  const own = house.base();
  const accepted = [own, `http://${header(exchange, "host") ?? ""}`, ...house.settings.audience];
  if (audience !== undefined && accepted.some((each) => sameAddress(each, audience))) return;
  const came = audience === undefined ? "audience is missing" : `The audience was ${quoted(audience)}`;
  const option = audience === undefined ? "" : ` Another one is allowed with --audience ${quoted(audience)}.`;
  throw new GrantError("invalid_target", `${came}; expected ${own}.${option}`);
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/i;

/** Any spelling of the loopback host will do, with or without a final slash. */
function sameAddress(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => {
    if (!URL.canParse(text)) return text;
    const url = new URL(text);
    return `${url.protocol}//${LOOPBACK.test(url.hostname) ? "loopback" : url.hostname}:${url.port}${url.pathname.replace(/\/$/, "")}${url.search}`;
  });
  return left === right;
}

function scopesFor(scope: string | undefined, key: Key, grantRest: boolean): string[] {
  if (scope === undefined) return key.scopes;
  const asked = [...new Set(scope.split(" ").filter((each) => each !== ""))];
  const refused = asked.filter((each) => each !== "openid" && !key.scopes.includes(each));
  if (refused.length > 0 && !grantRest) {
    throw new GrantError("invalid_scope", `The key ${key.name} was not granted the scope ${refused.map(quoted).join(", ")}. It has: ${key.scopes.join(" ")}.`);
  }
  return asked.filter((each) => !refused.includes(each));
}

/** Printable ASCII without quotes and backslashes, as RFC 6749 wants descriptions. */
function quoted(text: string | undefined): string {
  return (text ?? "").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?").slice(0, 200);
}
