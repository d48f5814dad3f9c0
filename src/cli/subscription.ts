// Creates a webhook subscription for the duration of a command through the public API, with the world's own key. The subscription survives
// every reset of the world.
import { before, isDuration } from "../engine/domain/index.ts";
import { type Client, sendAndBuffer } from "./client.ts";
import { Failure } from "./failure.ts";
import { issueToken } from "./public-api.ts";
import type { Message } from "./terminal/message-view.ts";

export interface Subscription {
  id: string;
  secret: string;
  /** Returns false if the subscription is gone, because a restarted sandbox may have a new world. */
  isThere(): Promise<boolean>;
  remove(): Promise<void>;
}

/** Rejects with a Failure if the sandbox rejects the subscription. */
export async function subscribe(client: Client, url: string, kinds: readonly string[]): Promise<Subscription> {
  const input = { url, event_types: kinds, state: "ENABLED", description: "sandbox listen" };
  const answer = await sendWithToken(client, "POST", "/v1/webhook-subscriptions", input);
  const made = (await answer.json()) as { id: string; secret: string; message?: string };
  if (!answer.ok) throw new Failure(`The subscription was rejected: ${made.message}`);
  const pin = { params: { path: { subscriptionId: made.id } } };
  const path = "/_sandbox/webhook-subscriptions/{subscriptionId}/pin";
  // A reset of the world removes a subscription that is not pinned.
  await client.ask(client.control.POST(path, pin));
  return {
    id: made.id,
    secret: made.secret,
    async isThere() {
      try {
        await client.ask(client.control.POST(path, pin));
        return true;
      } catch (error) {
        if (error instanceof Failure && error.code === "NOT_FOUND") return false;
        throw error;
      }
    },
    /** Errors are ignored, because a stopped sandbox has nothing to remove. */
    async remove() {
      await sendWithToken(client, "DELETE", `/v1/webhook-subscriptions/${made.id}`).catch(() => undefined);
    },
  };
}

/** Sends a request with a new token, because the world's clock may have moved past the expiry of the last one. */
async function sendWithToken(client: Client, method: string, path: string, body?: object): Promise<Response> {
  const scope = method === "GET" ? "webhook.read" : "webhook.write";
  const authorization = `Bearer ${await issueToken(client, [scope], { sentBy: "tool" })}`;
  const headers = { authorization, "content-type": "application/json" };
  return sendAndBuffer(`${client.url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

const PAGE_SIZE = 1000;

/** Returns the ids of the messages after `point` that were not sent to the subscription, oldest first. */
export async function findEarlierMessages(
  client: Client,
  point: string,
  { subscriptionId, kinds }: { subscriptionId: string; kinds: readonly string[] },
): Promise<string[]> {
  const { ask, control } = client;
  const since = isDuration(point) ? await subtractFromNow(client, point) : point;
  const found: Message[] = [];
  for (let more = 1; more > 0; ) {
    const [first] = found;
    const query = { since, limit: PAGE_SIZE, ...(first && { before: first.id }) };
    const page = await ask(control.GET("/_sandbox/messages", { params: { query } }));
    found.unshift(...page.items);
    more = page.more ?? 0;
  }
  return found
    .filter(({ kind }) => kinds.includes(kind))
    .filter(({ deliveries }) => !deliveries.some(({ subscription_id }) => subscription_id === subscriptionId))
    .map(({ id }) => id);
}

/** Returns the point in time before the world's current time, at the earliest the start of its history. */
async function subtractFromNow({ ask, control }: Client, duration: string): Promise<string> {
  const { kept } = await ask(control.GET("/_sandbox/history", { params: { query: { limit: 1 } } }));
  const { now } = await ask(control.GET("/_sandbox/clock"));
  const instant = before(now, duration);
  return instant < kept.from.at && kept.dropped === 0 ? String(kept.from.seq) : instant;
}
