// The operations of the public API with all that the sandbox's own description says of them: scopes, parameters, body, an example.

import { OBSERVER } from "../client/observer.ts";
import { withoutUnions } from "../contract/document/without-unions.mjs";
import type { JsonSchema } from "../contract/json-schema.ts";
import { excerptOf } from "../engine/setting-values.ts";
import { didYouMean } from "../platform/nearest.ts";
import { type Operation, operationsOf, plain } from "../stories/scenario/operations.ts";
import { type Client, reach } from "./client.ts";
import { Misuse } from "./failure.ts";
import { rejectionOf } from "./rejection.ts";
import { type InputMember, membersOf } from "./terminal/input-view.ts";

type PlainJson = Parameters<typeof plain>[0];
type JsonObject = Parameters<typeof plain>[1];

export interface PublicOperation extends Operation {
  summary: string;
  description: string;
  scopes: readonly string[];
  members: readonly InputMember[];
  /** What `--data` takes to see it work. */
  example: JsonObject;
}

/** By operationId, as the document of the client's world has them. */
export async function publicOperations(client: Client): Promise<ReadonlyMap<string, PublicOperation>> {
  const { world, controlToken } = client;
  const credentials = controlToken ? { authorization: `Bearer ${controlToken}` } : {};
  const headers = { "sandbox-world": encodeURIComponent(world), ...credentials, ...OBSERVER };
  const { items } = await client.ask(client.control.GET("/_sandbox/operations"));
  const answer = await reach(`${client.url}/openapi.json`, { headers });
  if (!answer.ok) throw rejectionOf(await answer.json().catch(() => null), answer.status, client.url);
  const document = withoutUnions((await answer.json()) as JsonObject);
  const scopes = new Map(items.map((each) => [each.operation_id, each.scopes]));
  const all = [...operationsOf(document).values()].map((operation) =>
    described(operation, scopes.get(operation.id) ?? [], document),
  );
  return new Map(all.map((operation) => [operation.id, operation]));
}

export function mustFind(operations: ReadonlyMap<string, PublicOperation>, name: string): PublicOperation {
  const found = operations.get(name);
  if (found) return found;
  throw new Misuse(
    `There is no operation ${excerptOf(name)}.${didYouMean(name, operations.keys())} \`sandbox call --list\` names all.`,
  );
}

/**
 * Anything else is sent as it is: the answer of the API is what one wants to see. Path parameters have to be there, or
 * no address can be made.
 */
export function mustFit({ id, path, body, members: known }: PublicOperation, members: object): void {
  const names = known.map(({ name }) => name);
  const lacking = [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = ""]) => name)
    .find((name) => !Object.hasOwn(members, name));
  if (lacking !== undefined) throw new Misuse(`${id} needs ${lacking}: --set ${lacking}=…`);
  const odd =
    body === undefined &&
    Object.keys(members).find((name) => !names.some((each) => each.toLowerCase() === name.toLowerCase()));
  if (odd)
    throw new Misuse(
      `${id} takes no ${odd}.${didYouMean(odd, names)} \`sandbox call ${id} --list\` shows what it takes.`,
    );
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

function described(operation: Operation, scopes: readonly string[], document: JsonObject): PublicOperation {
  const item = objectOf(objectOf(document.paths)[operation.path]);
  const found = objectOf(item[operation.method.toLowerCase()]);
  const parameters = [item.parameters, found.parameters].flatMap((list) => (list ?? []) as PlainJson[]);
  const known = parameters.map((each) => objectOf(plain(each, document)));
  const body = mediaOf(found, document);
  const schema = whole(body.schema ?? {}, document) as JsonSchema;
  return {
    ...operation,
    summary: String(found.summary ?? ""),
    description: String(found.description ?? ""),
    scopes,
    members: [...known.map((each) => memberOf(each, document)), ...membersOf(schema)],
    example: { ...examplesOf(known), ...objectOf(body.example ?? firstOf(body.examples, document)) },
  };
}

function mediaOf(operation: JsonObject, document: JsonObject): JsonObject {
  const content = objectOf(objectOf(plain(operation.requestBody ?? null, document)).content);
  return objectOf(Object.values(content)[0]);
}

function memberOf({ name, required, schema, description }: JsonObject, document: JsonObject): InputMember {
  const known = whole(schema ?? {}, document) as JsonSchema;
  return {
    name: String(name),
    required: required === true,
    schema: { ...known, description: String(description ?? known.description ?? "") },
  };
}

/** Only of what must be given. */
function examplesOf(parameters: readonly JsonObject[]): JsonObject {
  const exampled = parameters.filter(({ required, example }) => required === true && example !== undefined);
  return Object.fromEntries(exampled.map(({ name, example }) => [String(name), example as PlainJson]));
}

function firstOf(examples: PlainJson | undefined, document: JsonObject): PlainJson | undefined {
  const [first] = Object.values(objectOf(examples));
  return first === undefined ? undefined : objectOf(plain(first, document)).value;
}

/** A schema and its members with their references resolved, as deep as rows show it; the parts of an allOf are one. */
function whole(value: PlainJson, document: JsonObject, depth = 0): JsonObject {
  const schema = objectOf(plain(value, document));
  // Schemas can hold themselves.
  if (depth > 2) return schema;
  const parts = ((schema.allOf ?? []) as PlainJson[]).map((part) => whole(part, document, depth));
  const own = objectOf(schema.properties);
  const properties = Object.fromEntries(
    Object.entries(own).map(([name, member]) => [name, whole(member, document, depth + 1)]),
  );
  const items = schema.items === undefined ? {} : { items: whole(schema.items, document, depth + 1) };
  return {
    ...schema,
    ...items,
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {}), properties) as JsonObject,
    required: [
      ...parts.flatMap((part) => (part.required ?? []) as PlainJson[]),
      ...((schema.required ?? []) as PlainJson[]),
    ],
  };
}
