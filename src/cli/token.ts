// A token of the client's world, for the commands that call the public API.
import { OBSERVER } from "../client/observer.ts";
import { type Client, credentialsOf, reach } from "./client.ts";
import { Failure } from "./fault.ts";

/** With these scopes; without any, one with all that the key has. A key that lacks one is taken only where none has them all. */
export async function tokenFor(client: Client, scopes: readonly string[], wanted: readonly string[] = scopes) {
  const [{ items }, { url, token_url }] = await Promise.all([
    credentialsOf(client),
    client.ask(client.control.GET("/_sandbox")),
  ]);
  const hasAll = (key: (typeof items)[number]) =>
    wanted.every((scope) => (key.scopes as readonly string[]).includes(scope));
  const key = items.find(hasAll) ?? (scopes.length === 0 ? items[0] : undefined);
  if (!key) throw new Failure(lackOf(client.world, scopes));
  const { client_id, client_secret } = key;
  const scope = scopes.length === 0 ? {} : { scope: scopes.join(" ") };
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    audience: url,
    ...scope,
    client_id,
    client_secret,
  });
  const answer = await reach(`${client.url}${new URL(token_url).pathname}`, {
    method: "POST",
    body,
    headers: OBSERVER,
  });
  const { access_token, error_description } = (await answer.json()) as {
    access_token?: string;
    error_description?: string;
  };
  if (access_token === undefined) throw new Failure(`There is no token: ${error_description}`);
  return access_token;
}

/** The form of a token request with the first key of the world. */
export async function tokenForm(client: Client): Promise<Record<string, string | undefined>> {
  const [{ items }, { url }] = await Promise.all([credentialsOf(client), client.ask(client.control.GET("/_sandbox"))]);
  const { client_id, client_secret } = items[0] ?? {};
  return { grant_type: "client_credentials", audience: url, client_id, client_secret };
}

function lackOf(world: string, scopes: readonly string[]): string {
  const lacks =
    scopes.length === 0 ? "is left" : `has the ${scopes.length === 1 ? "scope" : "scopes"} ${scopes.join(", ")}`;
  return `No key of world ${world} ${lacks}. Make one with \`sandbox act createKey\`.`;
}
