// A webhook subscription that exists while a command runs; it is made and removed through the public API with the world's own key.
import { TOOL } from "../client/tool-requests.ts";
import { type Client, credentialsOf, reach } from "./client.ts";
import { Failure } from "./fault.ts";

export interface Subscription {
  id: string;
  secret: string;
  /** Whether the sandbox has it still: one that was started again may have a new world. */
  isThere(): Promise<boolean>;
  remove(): Promise<void>;
}

export async function subscribe(client: Client, url: string, kinds: readonly string[]): Promise<Subscription> {
  const input = { url, event_types: kinds, state: "ENABLED", description: "sandbox listen" };
  const answer = await send(client, "POST", "/v1/webhook-subscriptions", input);
  const made = (await answer.json()) as { id: string; secret: string; message?: string };
  if (!answer.ok) throw new Failure(`The subscription was rejected: ${made.message}`);
  return {
    id: made.id,
    secret: made.secret,
    async isThere() {
      const { ok, status } = await send(client, "GET", `/v1/webhook-subscriptions/${made.id}`);
      if (!ok && status !== 404) throw new Failure(`The subscription can't be read: the sandbox answered ${status}.`);
      return ok;
    },
    /** When the sandbox has stopped already, there is nothing to remove. */
    async remove() {
      await send(client, "DELETE", `/v1/webhook-subscriptions/${made.id}`).catch(() => undefined);
    },
  };
}

/** Each time with a fresh token: the world's clock may have outrun the last one. */
async function send(client: Client, method: string, path: string, body?: object): Promise<Response> {
  const authorization = `Bearer ${await tokenOf(client, method === "GET" ? "webhook.read" : "webhook.write")}`;
  const headers = { authorization, "content-type": "application/json", "user-agent": TOOL };
  return reach(`${client.url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

async function tokenOf(client: Client, scope: string): Promise<string> {
  const [{ items }, { url, token_url }] = await Promise.all([
    credentialsOf(client),
    client.ask(client.control.GET("/_sandbox")),
  ]);
  const key = items.find(({ scopes }) => scopes.includes(scope));
  if (!key)
    throw new Failure(
      `No key of world ${client.world} has the scope ${scope}. Make one with \`sandbox act createKey\`.`,
    );
  const { client_id, client_secret } = key;
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    audience: url,
    scope,
    client_id,
    client_secret,
  });
  const answer = await reach(`${client.url}${new URL(token_url).pathname}`, {
    method: "POST",
    body,
    headers: { "user-agent": TOOL },
  });
  const { access_token, error_description } = (await answer.json()) as {
    access_token?: string;
    error_description?: string;
  };
  if (access_token === undefined) throw new Failure(`No token for the subscription: ${error_description}`);
  return access_token;
}
