// A webhook subscription that exists while a command runs; it is made and removed through the public API with the world's own key.
import { type Client, reach } from "./client.ts";
import { Failure } from "./fault.ts";
import { tokenFor } from "./token.ts";

export interface Subscription {
  id: string;
  secret: string;
  remove(): Promise<void>;
}

const SCOPE = "webhook.write";

export async function subscribe(client: Client, url: string, kinds: readonly string[]): Promise<Subscription> {
  const input = { url, event_types: kinds, state: "ENABLED", description: "sandbox listen" };
  const answer = await send(client, "POST", "/v1/webhook-subscriptions", input);
  const made = (await answer.json()) as { id: string; secret: string; message?: string };
  if (!answer.ok) throw new Failure(`The subscription was rejected: ${made.message}`);
  return {
    id: made.id,
    secret: made.secret,
    /** When the sandbox has stopped already, there is nothing to remove. */
    async remove() {
      await send(client, "DELETE", `/v1/webhook-subscriptions/${made.id}`).catch(() => undefined);
    },
  };
}

/** Each time with a fresh token: the world's clock may have outrun the last one. */
async function send(client: Client, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${await tokenFor(client, [SCOPE])}`, "content-type": "application/json" };
  return reach(`${client.url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}
