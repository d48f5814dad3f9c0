// Issues tokens of the world for commands that use the public API.
import type { Schemas } from "../client/control.ts";
import { SCOPES } from "../engine/domain/index.ts";
import { type Client, fetchCredentials } from "./client.ts";
import { Failure, rejectUnknown } from "./failure.ts";

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
