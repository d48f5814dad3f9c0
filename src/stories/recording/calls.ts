// A request to the service as a step: its members where the document of the service has them, the token by what it may do, and what the
// response must have. Tokens and secrets are never written: a player gets its own.

import type { Json, JsonObject } from "../../platform/json.ts";
import { selectExpectation } from "./expectations.ts";
import { Inexpressible } from "./inexpressible.ts";
import type { RecordedOperation, RequestEntry } from "./log-slice.ts";
import { escapeText } from "./reference-table.ts";
import type { StoryBuilder } from "./story-builder.ts";
import { createTokenMember } from "./tokens.ts";

/** Their address is that of somebody's receiver; a player has another. */
const TAKES_URL = ["createWebhookSubscription", "replaceWebhookSubscription"];

/** The members of a step without its name and expectation. Throws Inexpressible for a request that no step can send. */
export function callOf(entry: RequestEntry, builder: StoryBuilder): JsonObject {
  const operation = builder.slice.operations.get(entry.operation ?? "");
  if (!operation) throw new Inexpressible("is no operation of the service");
  const query = readQuery(entry, operation);
  const body = readBody(entry, operation);
  const all = { ...readPath(entry, operation), ...query.known, ...readHeaders(entry, operation), ...body };
  const input = builder.references.withReferences(all) as JsonObject;
  // Only an address that was taken gets a path; one that was refused is part of what the story shows.
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

/** The player has a receiver of its own; each address that was taken is a path there. */
function toReceiverPath(url: Json | undefined, isTaken: boolean, { receivers }: StoryBuilder): JsonObject {
  if (typeof url !== "string") return {};
  if (isTaken && !receivers.has(url)) receivers.set(url, receivers.size === 0 ? "" : `/${receivers.size + 1}`);
  const path = receivers.get(url);
  return path === undefined ? {} : { url: `\${receiver.url}${path}` };
}

/** Of an error only its code: the sentence may be worded anew. */
export function createExpectation({ status, answer }: RequestEntry, builder: StoryBuilder): JsonObject {
  // A fault broke the connection, which a step can expect too.
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
  // The path of the document as a pattern, each parameter one part between slashes.
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

/** What the document names, and what is sent beside it. An empty value is sent as such. */
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

/** A number that is written as one is read the same. */
function parseQueryValue(value: unknown): Json {
  const text = String(value);
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** Those that the document names, and that a program of its own accord does not send. */
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
  // In a step the two would have one name.
  const taken = operation.parameters.filter(({ name }) => Object.hasOwn(body, name));
  if (taken.length > 0) throw new Inexpressible(`has ${taken[0]?.name} in its body, which is a parameter`);
  return { ...body };
}

/** Where it is not the one that the operation takes. */
function readContentType({ request }: RequestEntry, { body }: RecordedOperation): string | undefined {
  const type = request.headers["content-type"];
  if (type === undefined) return undefined;
  const isDefault = body === undefined || String(type).toLowerCase().startsWith(body.type);
  return isDefault ? undefined : String(type);
}
