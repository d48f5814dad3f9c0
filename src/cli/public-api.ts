// The public API for commands: its operations with all that the sandbox's own description says of them, and tokens of the world.
import { type Json, type Operation, operationsOf, resolve } from "../contract/document/document.ts";
import { withoutUnions } from "../contract/document/without-unions.mjs";
import type { JsonSchema } from "../contract/json-schema.ts";
import { suggest } from "../platform/nearest.ts";
import { type Client, fetchCredentials, sendAndBuffer, toFailure } from "./client.ts";
import { Failure, Misuse } from "./failure.ts";
import { type PublicOperation, toMembers } from "./terminal/operation-view.ts";

/** Reads the operations from the API description of the world. */
export async function fetchOperations({ url, world, controlToken }: Client): Promise<readonly PublicOperation[]> {
  const credentials = controlToken ? { authorization: `Bearer ${controlToken}` } : {};
  const headers = { "sandbox-world": encodeURIComponent(world), ...credentials };
  const answer = await sendAndBuffer(`${url}/openapi.json`, { headers });
  const description = await answer.json().catch(() => null);
  if (!answer.ok) throw toFailure(description, answer.status, url);
  const document = withoutUnions(description as Json);
  return operationsOf(document).map((each) => toPublicOperation(each, document));
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

function toPublicOperation(operation: Operation, document: Json): PublicOperation {
  const { parameters, body, scopes = [] } = operation;
  const known = parameters.map(({ name, required, schema, description }) => {
    const resolved = resolveSchema(schema, document);
    return { name, required, schema: { ...resolved, description: description || (resolved.description ?? "") } };
  });
  const exampled = parameters.filter(({ required, example }) => required && example !== undefined);
  return {
    ...operation,
    scopes,
    members: [...known, ...toMembers(resolveSchema(body?.schema ?? {}, document))],
    example: {
      ...Object.fromEntries(exampled.map(({ name, example }) => [name, example])),
      ...(body?.examples[0] as Json | undefined),
    },
  };
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

/**
 * Issues a token with these scopes, or without `scopes` with all scopes of the key. A key that has all the `wanted` scopes, which the
 * operation needs, is preferred. `sentBy` excludes requests with this token from the checks of the program.
 */
export async function issueToken(
  client: Client,
  scopes: readonly string[],
  { wanted = scopes, sentBy = "person" }: { wanted?: readonly string[]; sentBy?: "person" | "tool" } = {},
) {
  const { items: keys } = await fetchCredentials(client);
  const key =
    keys.find((each) => wanted.every((scope) => (each.scopes as readonly string[]).includes(scope))) ?? keys[0];
  if (!key) throw new Failure(`World ${client.world} has no key. Create one with \`sandbox act createKey\`.`);
  const named = scopes.length === 0 ? {} : { scopes: [...scopes] };
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
