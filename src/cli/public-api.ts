// The public API for commands: its operations with all that the sandbox's own description says of them, and tokens of the world.

import type { Schemas } from "../client/control.ts";
import { type Json, type Operation, operationsOf, type Parameter, resolve } from "../contract/document/document.ts";
import { withoutUnions } from "../contract/document/without-unions.mjs";
import type { JsonSchema } from "../contract/json-schema.ts";
import { SCOPES } from "../engine/domain/index.ts";
import { suggest } from "../platform/nearest.ts";
import { type Client, fetchCredentials, sendAndBuffer } from "./client.ts";
import { Failure, Misuse, rejectUnknown } from "./failure.ts";
import { toFailure } from "./rejection.ts";
import { type InputMember, type PublicOperation, toMembers } from "./terminal/operation-view.ts";

/** Reads the operations from the API description of the world, by operationId. */
export async function fetchOperations(client: Client): Promise<ReadonlyMap<string, PublicOperation>> {
  const { world, controlToken } = client;
  const credentials = controlToken ? { authorization: `Bearer ${controlToken}` } : {};
  const headers = { "sandbox-world": encodeURIComponent(world), ...credentials };
  const { items } = await client.ask(client.control.GET("/_sandbox/operations"));
  const answer = await sendAndBuffer(`${client.url}/openapi.json`, { headers });
  if (!answer.ok) throw toFailure(await answer.json().catch(() => null), answer.status, client.url);
  const document = withoutUnions((await answer.json()) as Json);
  const scopes = new Map(items.map((each) => [each.operation_id, each.scopes]));
  const all = operationsOf(document).map((each) => toPublicOperation(each, scopes.get(each.id) ?? [], document));
  return new Map(all.map((operation) => [operation.id, operation]));
}

/** Throws a Misuse if the operation is unknown. */
export function findOperation(operations: ReadonlyMap<string, PublicOperation>, name: string): PublicOperation {
  const found = operations.get(name);
  if (found) return found;
  throw rejectUnknown("There is no operation", name, operations.keys(), "`sandbox call --list` names all.");
}

/** Rejects missing path parameters and unknown query parameters. Everything else is sent, because users want to see the API's response. */
export function assertInputFits({ id, path, body, members: known }: PublicOperation, members: object): void {
  const names = known.map(({ name }) => name);
  const missing = [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = ""]) => name)
    .find((name) => !Object.hasOwn(members, name));
  if (missing !== undefined) throw new Misuse(`${id} needs ${missing}: --set ${missing}=…`);
  const odd =
    body === undefined &&
    Object.keys(members).find((name) => !names.some((each) => each.toLowerCase() === name.toLowerCase()));
  if (odd)
    throw new Misuse(`${id} takes no ${odd}.${suggest(odd, names)} \`sandbox call ${id} --list\` shows what it takes.`);
}

function toPublicOperation(operation: Operation, scopes: readonly string[], document: Json): PublicOperation {
  const { parameters, body } = operation;
  const known = parameters.map((each) => toInputMember(each, document));
  const [first] = body?.examples ?? [];
  return {
    ...operation,
    scopes,
    members: [...known, ...toMembers(resolveSchema(body?.schema ?? {}, document))],
    example: { ...collectExamples(parameters), ...(first as Json | undefined) },
  };
}

function toInputMember({ name, required, schema, description }: Parameter, document: Json): InputMember {
  const known = resolveSchema(schema, document);
  return { name, required, schema: { ...known, description: description || (known.description ?? "") } };
}

/** Returns the examples of required parameters. */
function collectExamples(parameters: readonly Parameter[]): Json {
  const exampled = parameters.filter(({ required, example }) => required && example !== undefined);
  return Object.fromEntries(exampled.map(({ name, example }) => [name, example]));
}

/** Resolves the references of a schema to the depth of the printed rows, and merges the parts of an allOf. */
function resolveSchema(node: JsonSchema, document: Json, depth = 0): JsonSchema {
  const schema = resolve<JsonSchema>(node, document);
  // A schema may contain itself.
  if (depth > 2) return schema;
  const { allOf = [], properties = {}, items, required = [] } = schema;
  const parts = allOf.map((part) => resolveSchema(part, document, depth));
  const own = Object.entries(properties).map(([name, member]) => [name, resolveSchema(member, document, depth + 1)]);
  return {
    ...schema,
    ...(items ? { items: resolveSchema(items, document, depth + 1) } : {}),
    properties: Object.assign({}, ...parts.map((part) => part.properties), Object.fromEntries(own)),
    required: [...parts.flatMap((part) => part.required ?? []), ...required],
  };
}

type Key = Schemas["CredentialList"]["items"][number];

/**
 * Issues a token with these scopes, or without `scopes` with all scopes of the key. `wanted` are the scopes that the operation needs. A key
 * that has all of them is preferred; with `scopes` it is required.
 */
export async function issueToken(
  client: Client,
  scopes: readonly string[],
  { wanted = scopes, sentBy = "person" }: { wanted?: readonly string[]; sentBy?: "person" | "tool" } = {},
) {
  assertScopesExist(scopes);
  const { items: keys } = await fetchCredentials(client);
  const hasAll = (key: Key) => wanted.every((scope) => (key.scopes as readonly string[]).includes(scope));
  const key = keys.find(hasAll) ?? (scopes.length === 0 ? keys[0] : undefined);
  if (!key) throw new Failure(explainMissingKey(client.world, scopes));
  const named = scopes.length === 0 ? {} : { scopes: [...scopes] };
  // `sent_by` excludes requests with this token from the checks of the program.
  const body = { client_id: key.client_id, ...named, sent_by: sentBy };
  return (await client.ask(client.control.POST("/_sandbox/token", { body }))).access_token;
}

/** Returns the form fields of a token request with the first key of the world. */
export async function createTokenForm(client: Client): Promise<Record<string, string>> {
  const [{ items }, { url: audience }] = await Promise.all([
    fetchCredentials(client),
    client.ask(client.control.GET("/_sandbox")),
  ]);
  const [key] = items;
  return {
    grant_type: "client_credentials",
    audience,
    ...(key && { client_id: key.client_id, client_secret: key.client_secret }),
  };
}

function assertScopesExist(scopes: readonly string[]): void {
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown === undefined) return;
  throw rejectUnknown("There is no scope", unknown, SCOPES, "`sandbox act createKey --list` names all.");
}

function explainMissingKey(world: string, scopes: readonly string[]): string {
  const lacks =
    scopes.length === 0 ? "is left" : `has the ${scopes.length === 1 ? "scope" : "scopes"} ${scopes.join(", ")}`;
  return `No key of world ${world} ${lacks}. Make one with \`sandbox act createKey\`.`;
}
