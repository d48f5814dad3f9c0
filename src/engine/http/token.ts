// Implements POST /oauth2/token, the client credentials grant: reads the form and the client, which may use HTTP Basic,
// and issues a token. Heading "Authentication" 3 to 5; RFC 6749 §2.3.1, §3.2, §4.4 and §5; assumptions: token-errors,
// token-client-auth, token-audience, token-scope-unknown, token-scope-omitted, token-lifetime, token-format.
import { isLoopback } from "../../platform/loopback.ts";
import type { Fault, RequestsPort, TimePort, WorldsPort } from "../app/application.ts";
import type { Values } from "../domain/kernel/domain-error.ts";
import { after, type Instant } from "../domain/kernel/instant.ts";
import type { Key, Token } from "../domain/kernel/records.ts";
import { TOKEN_LIFETIME_SECONDS } from "../domain/kernel/token-lifetime.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Cause } from "../world/state/commit.ts";
import { hashToken } from "../world/state/credential.ts";
import type { World } from "../world/state/world.ts";
import { FORM_TYPE, readBody } from "./body.ts";
import { HttpError, type TransportRule, toFailure } from "./errors.ts";
import { type Answer, type Exchange, isRouted, type Routed, readHeader } from "./exchange.ts";
import { logIn, noteToken, readBearer } from "./identify.ts";
import { noteHit, toOccasion } from "./inject-faults.ts";
import { isSameSecret } from "./same-secret.ts";
import { toCause } from "./to-exchange.ts";

/** The number of expired tokens that a world keeps. They become valid again if its clock is rewound. */
const MAX_EXPIRED = 1000;

/** Sets the world of the client of a token request, whose faults apply. An unknown client has none. */
export function findClientWorld(exchange: Exchange, application: WorldsPort & TimePort): void {
  noteToken(exchange, application);
  try {
    const { id } = readClient(exchange, readForm(exchange));
    const world = application.findKey(id)?.world;
    if (!world) return;
    logIn(exchange, world, application);
    exchange.client = id;
  } catch {
    // `issueToken` reports the error.
  }
}

/** Throws GrantError. The order of the checks is form, grant type, client, audience, scope. */
export function issueToken(exchange: Exchange, application: WorldsPort & RequestsPort): Answer {
  const form = readForm(exchange);
  const type = form.get("grant_type");
  if (type === undefined)
    throw new GrantError("invalid_request", "grant_type is missing. Send grant_type=client_credentials.", "grant-type");
  if (type !== "client_credentials") {
    const excerpt = type.slice(0, 100);
    const message = `The grant type ${excerpt} is not supported. Send grant_type=client_credentials.`;
    throw new GrantError("unsupported_grant_type", message, "grant-type", { values: { type: excerpt } });
  }
  const { world, key } = authenticate(readClient(exchange, form), application);
  exchange.key = key;
  const assumes = (id: string) => application.assumes(world, id);
  if (assumes("token-audience") !== "any") checkAudience(form.get("audience"), exchange, application);
  const scopes = selectScopes(form.get("scope"), key, assumes("token-scope-unknown") === "grant-rest");
  const issued = applyTokenFaults(createIssued(world, application), exchange, { world, key }, application);
  const { access_token } = grantToken(exchange, { world, key, scopes }, application, issued);
  const body = { access_token, expires_in: issued.seconds, scope: scopes.join(" "), token_type: "bearer" };
  return { status: 200, body };
}

const createIssued = ({ id }: World, { random }: WorldsPort): Issued => ({
  seconds: TOKEN_LIFETIME_SECONDS,
  token: random.token(id),
});

/** The world, key and scopes of a new token. */
interface Grant {
  world: World;
  key: Key;
  scopes: readonly string[];
  sentBy?: Token["sent_by"] | undefined;
}

/** Creates a token of a key. Only the hash of the token is stored. */
export function grantToken(
  exchange: Exchange,
  { world, key, scopes, sentBy }: Grant,
  application: WorldsPort & RequestsPort,
  { seconds, token: access_token }: Issued = createIssued(world, application),
): { access_token: string; expires_at: Instant } {
  const { route } = exchange;
  const cause: Cause = route?.control ? { kind: "world", id: route.id } : toCause(exchange);
  const outcome = application.change(world, cause, (tx) => {
    if (tx.tokens.size >= MAX_EXPIRED) removeExpired(tx);
    const expires_at = after(tx.now, `PT${seconds}S`);
    const token = { id: hashToken(access_token), client_id: key.id, scopes: [...scopes], expires_at };
    tx.tokens.put(sentBy ? { ...token, sent_by: sentBy } : token);
    tx.emit("token.issued", key.id);
    return expires_at;
  });
  exchange.facts = outcome.facts;
  return { access_token, expires_at: outcome.result };
}

/** Removes the oldest expired tokens. */
function removeExpired({ tokens, now }: Transaction): void {
  for (const { id } of tokens.walk("expires", { until: now })) {
    if (tokens.size < MAX_EXPIRED) return;
    tokens.remove(id);
  }
}

/** The response to an unknown client is the same as to a wrong secret, and takes the same time. */
function authenticate({ id, secret, basic }: Client, application: WorldsPort): { world: World; key: Key } {
  const found = application.findKey(id);
  // The secret is also compared for an unknown client, so that both take the same time.
  const right = isSameSecret(secret, found?.key.secret ?? "");
  if (found && right && !found.key.revoked_at) return found;
  const message = "The client is unknown or its secret is wrong. Start prints both; `sandbox env` prints them again.";
  const rule = found === undefined ? "client-unknown" : right ? "key-revoked" : "client-secret";
  const values = { client_id: id.slice(0, 100), name: found?.key.name, at: found?.key.revoked_at };
  throw new GrantError("invalid_client", message, rule, { values, basic });
}

function checkAudience(audience: string | undefined, exchange: Exchange, application: RequestsPort): void {
  const own = application.getBaseUrl();
  const sentTo = `${new URL(own).protocol}//${readHeader(exchange, "host") ?? ""}${exchange.mount}`;
  // The address that the client used is also accepted.
  const accepted = [own, sentTo, ...application.settings.audience];
  if (audience !== undefined && accepted.some((each) => isSameAddress(each, audience))) return;
  const received = audience === undefined ? "audience is missing" : `The audience was ${audience.slice(0, 200)}`;
  const option = audience === undefined ? "" : ` The option \`audience\` of the sandbox allows another one.`;
  const values = { sent: audience?.slice(0, 200) ?? "none", own };
  throw new GrantError("invalid_target", `${received}; expected ${own}.${option}`, "audience", { values });
}

/** Whether two addresses are equal. All names of the loopback host are, with or without a final slash. */
function isSameAddress(a: string, b: string): boolean {
  // Most addresses are equal, and this comparison takes a hundredth of the time.
  if (a === b) return true;
  const [left, right] = [a, b].map((text) => {
    if (!URL.canParse(text)) return text;
    const url = new URL(text);
    // RFC 8707 section 2 forbids a fragment. With user info or a fragment, only the exact text that was allowed is accepted.
    if (url.username !== "" || url.password !== "" || text.includes("#")) return text;
    return `${url.protocol}//${isLoopback(url.hostname) ? "loopback" : url.hostname}:${url.port}${url.pathname.replace(/\/$/, "")}${url.search}`;
  });
  return left === right;
}

function selectScopes(scope: string | undefined, key: Key, grantRest: boolean): string[] {
  // RFC 6749 section 3.3 allows a default, which is all scopes of the key (assumption: token-scope-omitted).
  if (scope === undefined) return key.scopes;
  const requested = [...new Set(scope.split(" ").filter((each) => each !== ""))];
  // Some libraries request `openid`, which has no meaning here.
  const refused = requested.filter((each) => each !== "openid" && !key.scopes.includes(each));
  if (refused.length > 0 && !grantRest) throw createNotGranted(key, refused);
  const granted = requested.filter((each) => !refused.includes(each));
  if (requested.length > 0 && granted.length === 0) throw createNotGranted(key, refused);
  return granted;
}

function createNotGranted(key: Key, refused: readonly string[]): GrantError {
  const granted = key.scopes.join(" ");
  const advice = refused.some((each) => each.includes(",")) ? " Separate scopes by spaces, not commas." : "";
  const message = `The key ${key.name} was not granted the scope ${refused.join(", ").slice(0, 200)}. It has: ${granted}.${advice}`;
  const values = { refused: refused.join(" "), granted, client_id: key.id };
  return new GrantError("invalid_scope", message, "scope-not-granted", { values });
}

/** Characters of a signed token with many claims. */
const LONG_TOKEN_LENGTH = 2048;

/** Runs before the token is checked, so that this request is the first that is rejected. */
export function revokeUsedToken(exchange: Routed, application: WorldsPort & RequestsPort): void {
  if (!application.faults.isArmed()) return;
  const bearer = readBearer(readHeader(exchange, "authorization")?.trim() ?? "");
  const used = bearer === undefined ? undefined : application.findToken(bearer);
  if (!used) return;
  const { world, token } = used;
  const { id } = exchange;
  const chance = { ...toOccasion(exchange, "use"), client: token.client_id };
  for (const { fault } of application.faults.hit(world.id, chance)) {
    // The token expires and is not removed, so that the response can name the reason.
    application.change(world, { kind: "request", id }, (tx) => tx.tokens.put({ ...token, expires_at: tx.now }));
    noteHit(exchange, fault, "revoked the token of the request");
  }
}

interface Issued {
  seconds: number;
  token: string;
}

/** Changes a token that is issued by the armed faults of the world. */
function applyTokenFaults(
  issued: Issued,
  exchange: Exchange,
  { world, key }: { world: World; key: Key },
  { faults, random }: WorldsPort & RequestsPort,
): Issued {
  if (!isRouted(exchange) || !faults.isArmed(world.id)) return issued;
  const made = { ...issued };
  const chance = { ...toOccasion(exchange, "issue"), client: key.id };
  for (const { fault } of faults.hit(world.id, chance)) {
    const did = changeToken(made, fault.token, () => random.token(world.id));
    noteHit(exchange, fault, did);
  }
  return made;
}

function changeToken(made: Issued, { expires_in, form }: NonNullable<Fault["token"]> = {}, more: () => string): string {
  if (expires_in !== undefined) made.seconds = expires_in;
  if (form === "long") made.token = createLongToken(made.token, more);
  const lifetime = expires_in === undefined ? [] : [`lives ${expires_in} seconds`];
  const length = form === "long" ? [`has ${LONG_TOKEN_LENGTH} characters`] : [];
  return `issued a token that ${[...lifetime, ...length].join(" and ")}`;
}

/** Extends the random part of a token, after the last dot. */
function createLongToken(first: string, more: () => string): string {
  let token = first;
  while (token.length < LONG_TOKEN_LENGTH) token += more().replace(/^.*\./, "");
  return token.slice(0, LONG_TOKEN_LENGTH);
}

interface GrantDetails {
  values?: Values;
  /** Whether the client used HTTP Basic. */
  basic?: boolean;
}

/** An error of the token endpoint, in the terms of RFC 6749 §5.2. */
class GrantError extends HttpError {
  readonly error: string;
  constructor(error: string, description: string, rule: TransportRule, { values = {}, basic }: GrantDetails = {}) {
    // The challenge is sent only to a client that used HTTP Basic: other clients show it instead of the description.
    const headers: Record<string, string> = basic ? { "www-authenticate": 'Basic realm="sandbox"' } : {};
    super(error === "invalid_client" ? 401 : 400, toPrintable(description), { rule, values, headers });
    this.error = error;
  }
}

/** `basic`: the credentials were sent as HTTP Basic. */
interface Client {
  id: string;
  secret: string;
  basic: boolean;
}

type FormParameters = ReadonlyMap<string, string>;

/** Empty parameters count as missing, unknown ones are ignored, and repeated ones are an error. */
function readForm(exchange: Exchange): FormParameters {
  const text = readBody(exchange, FORM_TYPE);
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(typeof text === "string" ? text : "")) {
    // A parameter that was sent twice is an error even if one is empty.
    const excerpt = name.slice(0, 100);
    const message = `${excerpt} was sent more than once. Send it once.`;
    if (form.has(name))
      throw new GrantError("invalid_request", message, "grant-repeated", { values: { name: excerpt } });
    form.set(name, value);
  }
  for (const [name, value] of form) if (value.trim() === "") form.delete(name);
  return form;
}

/** Throws invalid_client or invalid_request. Does not check the secret. */
function readClient(exchange: Exchange, form: FormParameters): Client {
  const authorization = readHeader(exchange, "authorization")?.trim() ?? "";
  if (/^basic\b/i.test(authorization)) return readBasicClient(authorization, form);
  const id = form.get("client_id");
  const secret = form.get("client_secret");
  if (id && secret) return { id, secret, basic: false };
  const message = "client_id or client_secret is missing. Send both, in the form or as HTTP Basic.";
  throw new GrantError("invalid_client", message, "client-missing");
}

function readBasicClient(authorization: string, form: FormParameters): Client {
  // RFC 6749 section 2.3 allows one method in a request.
  if (form.has("client_secret")) {
    const message = "The credentials were sent both as HTTP Basic and in the form. Send them in one place.";
    throw new GrantError("invalid_request", message, "client-twice");
  }
  const coded = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1];
  const text = coded === undefined ? "" : Buffer.from(coded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) {
    const message = "The HTTP Basic credentials are malformed. Send the base64 form of id:secret.";
    throw new GrantError("invalid_client", message, "basic-malformed", { basic: true });
  }
  // RFC 6749 section 2.3.1: both are form-encoded before they are joined.
  const [id, secret] = [decodeFormText(text.slice(0, colon)), decodeFormText(text.slice(colon + 1))];
  if (form.has("client_id") && form.get("client_id") !== id) {
    throw new GrantError("invalid_request", "client_id differs from the one in HTTP Basic. Send one.", "client-twice");
  }
  return { id, secret, basic: true };
}

function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // Many clients send a plain percent sign.
    return text;
  }
}

/** Converts to ASCII without quotes and backslashes, as RFC 6749 requires for descriptions. */
function toPrintable(text: string, most = 600): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?").slice(0, most);
}

export function toTokenFailure(reason: unknown, requestId: string): Answer {
  const { status, headers = {}, body } = toFailure(reason, requestId);
  const otherError = status < 500 ? "invalid_request" : "server_error";
  const error = reason instanceof GrantError ? reason.error : otherError;
  const error_description = toPrintable((body as { message: string }).message);
  // RFC 6749 §5.2 has 400 for every malformed request, and no 415.
  return { status: status === 415 ? 400 : status, headers, body: { error, error_description } };
}
