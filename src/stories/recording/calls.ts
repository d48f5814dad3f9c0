// Converts a request to the service to a step, with its parameters, the scopes of its token, and an expectation of the response. Tokens and
// secrets are never written, because a player gets its own.

import { TOKEN_LIFETIME_SECONDS } from "../../engine/domain/index.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { selectExpectation } from "./expectations.ts";
import { Inexpressible, type RecordedOperation, type RequestEntry } from "./log-slice.ts";
import { escapeText, type StoryBuilder } from "./story-builder.ts";

/** The URL in these requests is that of a receiver, and the player has another receiver. */
const TAKES_URL = ["createWebhookSubscription", "replaceWebhookSubscription"];

/** Returns the members of a step without its name and expectation. Throws Inexpressible if no step can send the request. */
export function toCall(entry: RequestEntry, builder: StoryBuilder): JsonObject {
  const operation = builder.slice.operations.get(entry.operation ?? "");
  if (!operation) throw new Inexpressible("is no operation of the service");
  const query = readQuery(entry, operation);
  const body = readBody(entry, operation);
  const all = { ...readPath(entry, operation), ...query.known, ...readHeaders(entry, operation), ...body };
  const input = builder.references.withReferences(all) as JsonObject;
  // A rejected URL stays unchanged, because the scenario shows its rejection.
  if (TAKES_URL.includes(operation.id))
    Object.assign(input, toReceiverPath(body.url, (entry.status ?? 500) < 400, builder));
  const headers = readContentType(entry, operation);
  return {
    call: operation.id,
    ...createTokenMember(entry, builder),
    ...(Object.keys(input).length > 0 ? { with: input } : {}),
    ...(Object.keys(query.more).length > 0 ? { query: builder.references.withReferences(query.more) } : {}),
    ...(headers === undefined ? {} : { headers: { "content-type": escapeText(headers) } }),
  };
}

/** Replaces each accepted URL by a path of the player's receiver. */
function toReceiverPath(url: Json | undefined, isTaken: boolean, { receivers }: StoryBuilder): JsonObject {
  if (typeof url !== "string") return {};
  if (isTaken && !receivers.has(url)) receivers.set(url, receivers.size === 0 ? "" : `/${receivers.size + 1}`);
  const path = receivers.get(url);
  return path === undefined ? {} : { url: `\${receiver.url}${path}` };
}

/** Expects only the code of an error, because its message may change. */
export function createExpectation({ status, answer }: RequestEntry, builder: StoryBuilder): JsonObject {
  // The status is null if a fault broke the connection, which a step can expect.
  if (status === null) return { status: null };
  const body = answer?.body ?? null;
  if (status < 400) {
    const matters = selectExpectation(body, builder.references);
    return { status, ...(matters === undefined ? {} : { body: matters }) };
  }
  const { code, error } = (typeof body === "object" && body !== null ? body : {}) as JsonObject;
  if (typeof code === "string") return { status, body: { code: escapeText(code) } };
  return { status, ...(typeof error === "string" ? { body: { error: escapeText(error) } } : {}) };
}

function readPath({ path }: RequestEntry, operation: RecordedOperation): JsonObject {
  const names: string[] = [];
  // The document's path becomes a pattern in which each parameter matches one segment.
  const pattern = operation.path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return "([^/]*)";
  });
  const found = new RegExp(`^${pattern}$`).exec(path.split("?")[0] ?? "");
  if (!found) throw new Inexpressible("has an address that a step can't write");
  return Object.fromEntries(names.map((name, index) => [name, decodePathSegment(found[index + 1] ?? "")]));
}

function decodePathSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Inexpressible("has an address that is not well encoded");
  }
}

/** Splits the query into parameters that the document names and others. An empty value is sent unchanged. */
function readQuery(
  { request }: RequestEntry,
  { parameters }: RecordedOperation,
): { known: JsonObject; more: JsonObject } {
  const names = new Set(parameters.flatMap(({ name, in: location }) => (location === "query" ? [name] : [])));
  const pairs = Object.entries(request.query).map(
    ([name, value]) => [name, Array.isArray(value) ? value.map(parseQueryValue) : parseQueryValue(value)] as const,
  );
  return {
    known: Object.fromEntries(pairs.filter(([name]) => names.has(name))),
    more: Object.fromEntries(pairs.filter(([name]) => !names.has(name))),
  };
}

/** Returns a number if writing it gives the same text. */
function parseQueryValue(value: unknown): Json {
  const text = String(value);
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** Reads the headers that the document names, except defaults that HTTP clients send automatically. */
function readHeaders({ request }: RequestEntry, { parameters }: RecordedOperation): JsonObject {
  const named = parameters.filter(({ in: location }) => location === "header");
  return Object.fromEntries(
    named.flatMap(({ name, required }) => {
      const value = request.headers[name.toLowerCase()];
      return value === undefined || (value === "*" && !required) ? [] : [[name, String(value)]];
    }),
  );
}

function readBody({ request }: RequestEntry, operation: RecordedOperation): JsonObject {
  const { body } = request;
  if (body === null || body === undefined) return {};
  if (operation.body === undefined) throw new Inexpressible("has a body, and the operation takes none");
  if (typeof body !== "object" || Array.isArray(body)) throw new Inexpressible("has a body that is no object");
  // A step can't contain a parameter and a field of the body with the same name.
  const taken = operation.parameters.filter(({ name }) => Object.hasOwn(body, name));
  if (taken.length > 0) throw new Inexpressible(`has ${taken[0]?.name} in its body, which is a parameter`);
  return { ...body };
}

/** Returns the content type if it is not the one that the operation accepts. */
function readContentType({ request }: RequestEntry, { body }: RecordedOperation): string | undefined {
  const type = request.headers["content-type"];
  if (type === undefined) return undefined;
  const isDefault = body === undefined || String(type).toLowerCase().startsWith(body.type);
  return isDefault ? undefined : String(type);
}

// Converts tokens and token requests. The player gets tokens of the world's key automatically, so only other tokens become steps, such as a
// token of another key, or a rejected token request.

/** A token that no sandbox knows. */
const UNKNOWN_TOKEN = "raw:not-a-token";
/** Replaces a wrong secret, because the recorded one may be a real secret. */
const WRONG_SECRET = "not-the-secret";

/** Returns the member `as` of a call; empty for a token with all scopes. */
function createTokenMember(entry: RequestEntry, builder: StoryBuilder): JsonObject {
  const { key } = builder.slice;
  const { request, client_id, scopes, status, faults } = entry;
  if (entry.operation === "createToken") return {};
  if (request.headers.authorization === undefined) return { as: "none" };
  // A fault with status 401 only hits requests with a valid token, unless it is a fault of the token.
  const isRefused = status === 401 && faults.every(({ fault }) => fault?.token);
  if (client_id === null || isRefused) return { as: UNKNOWN_TOKEN };
  if (client_id !== key.client_id) return { as: useOtherKey(client_id, entry, builder) };
  // The player uses a token with all scopes of the key by default.
  const isWhole =
    !scopes || (scopes.length === key.scopes.length && scopes.every((scope) => key.scopes.includes(scope)));
  return isWhole ? {} : { as: [...scopes] };
}

/** Returns a valid token of the key, with these scopes if known. Adds a step that requests one if the scenario has none. */
function useOtherKey(client_id: string, { at, scopes }: RequestEntry, builder: StoryBuilder): string {
  // The clock moves first, because the time of the request decides which tokens have expired.
  builder.moveClockTo(at);
  const now = Date.parse(builder.now);
  const scope = scopes?.join(" ");
  const valid = builder.tokens.findLast(
    (each) => each.client_id === client_id && each.expiresAt > now && (scope === undefined || each.scope === scope),
  );
  return `raw:\${${valid?.step ?? requestToken(client_id, scope, builder)}.body.access_token}`;
}

function requestToken(client_id: string, scope: string | undefined, builder: StoryBuilder): string {
  const step = builder.add("a token", {
    call: "createToken",
    with: { ...readKey(client_id, builder), ...(scope ? { scope } : {}) },
  });
  const expiresAt = Date.parse(builder.now) + TOKEN_LIFETIME_SECONDS * 1000;
  builder.tokens.push({ client_id, scope: scope ?? "", step, expiresAt });
  return step;
}

/** Stores a token from a recorded response for later requests. */
export function rememberToken(client_id: string, { answer }: RequestEntry, step: string, builder: StoryBuilder): void {
  const { scope, expires_in } = (answer?.body ?? {}) as JsonObject;
  const expiresAt = Date.parse(builder.now) + Number(expires_in ?? TOKEN_LIFETIME_SECONDS) * 1000;
  builder.tokens.push({ client_id, scope: String(scope ?? ""), step, expiresAt });
}

/** Returns the id and the secret of a key that an act of the scenario created. */
function readKey(client_id: string, { references }: StoryBuilder): JsonObject {
  const made = references.find(client_id);
  if (made === undefined) throw new Inexpressible("has a token of a key that the story did not make");
  return { client_id: made, client_secret: made.replace(/client_id\}$/, "client_secret}") };
}

/** Returns the members of a step that requests a token; undefined if the player does so automatically. */
export function createTokenCall(entry: RequestEntry, builder: StoryBuilder): JsonObject | undefined {
  const { key, url } = builder.slice;
  const form = (entry.request.body ?? {}) as JsonObject;
  const isOwn = entry.client_id === key.client_id || form.client_id === key.client_id;
  if (isOwn && entry.status === 200) return undefined;
  if (typeof form !== "object" || Array.isArray(form)) throw new Inexpressible("has a body that is no form");
  if (entry.request.headers.authorization !== undefined)
    throw new Inexpressible("has a key in its header, which is not written");
  const { grant_type, audience, client_id, client_secret, ...more } = form;
  // The client is missing in the log if the client or its secret was wrong.
  const isGuessed = entry.status === 401 && !entry.client_id;
  const ofOther = typeof client_id === "string" && !isOwn ? builder.references.find(client_id) : undefined;
  const withReferences = (value: Json | undefined): Json => builder.references.withReferences(value ?? null);
  const members: JsonObject = {
    ...omitDefault(grant_type, "client_credentials", { grant_type: withReferences(grant_type) }),
    ...(isSameAddress(audience, url) ? {} : { audience: withReferences(audience) }),
    ...(isOwn
      ? {}
      : ofOther === undefined
        ? { client_id: withReferences(client_id) }
        : readKey(String(client_id), builder)),
    ...(client_secret === undefined
      ? { client_secret: null }
      : isGuessed && ofOther === undefined
        ? { client_secret: WRONG_SECRET }
        : {}),
    ...(withReferences(more) as JsonObject),
  };
  return { call: "createToken", ...(Object.keys(members).length > 0 ? { with: members } : {}) };
}

const omitDefault = (value: unknown, byDefault: string, members: JsonObject): JsonObject =>
  value === byDefault ? {} : members;

function isSameAddress(audience: unknown, url: string): boolean {
  if (typeof audience !== "string" || !URL.canParse(audience) || !URL.canParse(url)) return false;
  const getPort = (text: string) => new URL(text).port;
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(audience).hostname)
    ? getPort(audience) === getPort(url)
    : audience === url;
}
