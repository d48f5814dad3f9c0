// Converts a request to the service to a step, with its parameters, the scopes of its token, and an expectation of the response. Tokens and
// secrets are never written, because a player gets its own.

import type { Json, JsonObject } from "../../platform/json.ts";
import { selectExpectation } from "./expectations.ts";
import { Inexpressible, type RecordedOperation, type RequestEntry } from "./log-slice.ts";
import { escapeText } from "./reference-table.ts";
import type { StoryBuilder } from "./story-builder.ts";
import { createTokenMember } from "./tokens.ts";

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
