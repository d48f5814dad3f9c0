// sandbox listen: subscribes to webhooks while it runs, verifies each delivery, shows it and forwards it.
import { setTimeout as pause } from "node:timers/promises";
import { parseReceiverAddress } from "../../client/address.ts";
import { before, EVENT_KINDS, isDuration } from "../../engine/domain/index.ts";
import { toExcerpt } from "../../engine/settings.ts";
import { parseReceiverTimeout } from "../../engine/webhooks/index.ts";
import { type Client, createClient, nameByOptions, sendAndBuffer } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Failure, Misuse } from "../failure.ts";
import { issueToken } from "../public-api.ts";
import { type ReceivedDelivery, startReceiver } from "../receiver.ts";
import { readKinds } from "../start-settings.ts";
import { abortOnStop } from "../stop-signal.ts";
import { followAcrossRestarts, reconnectOption } from "../stream.ts";
import { escapeText, formatStatus, formatTime } from "../terminal/line.ts";
import type { Message } from "../terminal/message-view.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The command waits at most this long for the removal of the subscription after Ctrl-C. */
const MAX_REMOVE_MS = 2000;

export const listen: Command = {
  name: "listen",
  summary: "Show, verify and forward webhook deliveries as they arrive.",
  options: [
    option.text(
      "forward-to",
      "URL",
      "Forward each delivery to this URL; its response decides whether the delivery succeeded.",
    ),
    option.list("events", "a,b", "Only these event types; default: all."),
    option.text(
      "since",
      "point",
      "First receive earlier messages since a change number, an instant or a duration such as PT10M.",
    ),
    option.flag("print-secret", "Print the secret that signs the deliveries."),
    reconnectOption,
    ...clientOptions,
  ],
  epilogue:
    "The command receives on a loopback address of this machine. It creates a subscription\nfor this address and removes it at the end. It continues after a reset of the world and\na restart of the sandbox.",
  run: listenUntilStopped,
};

async function listenUntilStopped({ given, terminal }: Call): Promise<undefined> {
  const client = createClient(given, nameByOptions(["since"]));
  const kinds = readKinds("--events", given.list("events"));
  const forwardTo = readTarget(given.text("forward-to"));
  const since = given.text("since");
  const json = given.flag("json");
  // Ctrl-C is handled before the first request, so that the subscription is always removed.
  const signal = abortOnStop();
  const { receiver_timeout } = await client.ask(client.control.GET("/_sandbox"));
  // The receiver listens before the subscription exists, so that no delivery fails.
  const timeoutMs = parseReceiverTimeout(receiver_timeout);
  const receiver = await startReceiver(forwardTo, createPrinter(json, terminal), timeoutMs);
  let subscription: Subscription | undefined;
  /** Runs at the start and after each reconnect. A restart can have created a new world without the subscription. */
  const ensureSubscription = async () => {
    const isFirst = subscription === undefined;
    // A sandbox with a data file still has the subscription after a restart.
    if (await subscription?.isThere()) return;
    const wanted = kinds.length > 0 ? kinds : EVENT_KINDS;
    subscription = await subscribe(client, receiver.url, wanted);
    const { id: subscriptionId } = subscription;
    const earlier =
      isFirst && since !== undefined
        ? await findEarlierMessages(client, since, { subscriptionId, kinds: wanted }).catch(rejectPoint)
        : [];
    receiver.expect(subscription.secret, earlier);
    if (given.flag("print-secret") && json) terminal.json({ webhook_secret: subscription.secret });
    else if (given.flag("print-secret")) terminal.print(`Signing secret  ${subscription.secret}`);
    if (isFirst)
      terminal.say(`Listening to ${client.url}. Ctrl-C stops.${forwardTo ? `\nForwarding to ${forwardTo}` : ""}`);
    else terminal.say("The sandbox has a new world. Subscribed again with a new secret.");
    // The sandbox sends first attempts to a subscription in order, so messages arrive in the order of the requests.
    for (const messageId of earlier) {
      const sent = { params: { path: { messageId } }, body: { subscription_id: subscriptionId } };
      await client.ask(client.control.POST("/_sandbox/messages/{messageId}/resend", sent));
    }
  };
  try {
    await followAcrossRestarts(client, {
      signal,
      say: terminal.say,
      patience: given.number("reconnect"),
      begin: ensureSubscription,
      // The receiver gets the deliveries; the stream only detects when the sandbox stops.
      take: () => undefined,
    });
  } finally {
    await receiver.close();
    if (subscription) await removeSubscription(subscription, client.url, terminal);
  }
}

/** Turns an error about the point in time of --since into wrong usage. */
function rejectPoint(error: unknown): never {
  const isPoint = error instanceof Failure && error.code.startsWith("MOMENT_");
  throw isPoint ? new Misuse(`--since: ${error.message}`) : error;
}

/** Removes the subscription, but does not wait long for a sandbox that does not respond. */
async function removeSubscription(subscription: Subscription, url: string, terminal: Terminal): Promise<void> {
  const removed = subscription.remove().then(() => true);
  if (await Promise.race([removed, pause(MAX_REMOVE_MS, false, { ref: false })])) return;
  terminal.say(`The sandbox at ${url} does not respond. It still has the subscription ${subscription.id}.`);
  // The pending request would keep the process running.
  process.exit(0);
}

function createPrinter(json: boolean, terminal: Terminal): (received: ReceivedDelivery) => void {
  // A retry has the same id as the first attempt.
  const seen = new Set<string>();
  return (received) => {
    if (json) terminal.json(received);
    else terminal.print(formatReceived(received, seen.has(received.id), terminal));
    seen.add(received.id);
  };
}

/** Reads the URL without changing its path, because receivers can depend on a final slash. */
function readTarget(text: string | undefined): string | undefined {
  const address = text && parseReceiverAddress(text);
  if (text === undefined || address) return address;
  const example = `http://localhost:3000${text.startsWith("/") ? text : "/hook"}`;
  throw new Misuse(
    `--forward-to is ${toExcerpt(text)}, which is not the address of a receiver. Write it as ${toExcerpt(example)}.`,
  );
}

/** Formats a delivery in two lines. */
export function formatReceived(received: ReceivedDelivery, again: boolean, { paint }: Pick<Terminal, "paint">): string {
  const { id, kind, body, verified, forwarded } = received;
  const { timestamp = "", payload = {} } = (body ?? {}) as { timestamp?: string; payload?: Record<string, unknown> };
  // The body can be anything, because every program can post to the receiver.
  const about = Object.entries(payload ?? {}).find(([name]) => name !== "host_id");
  const check = verified ? paint("green", "verified") : paint("red", "NOT VERIFIED");
  const took = forwarded && paint("dim", `${Math.round(forwarded.duration_ms)} ms`);
  const passed = forwarded ? [`${paint("dim", "→")} ${formatStatus(forwarded.status, paint)} ${took}`] : [];
  const time = paint("dim", escapeText(formatTime(String(timestamp))));
  const head = [time, paint("bold", escapeText(kind).padEnd(34)), check, ...passed].join("  ");
  const problem = forwarded?.error && escapeText(`${forwarded.url}: ${forwarded.error}`);
  const failed = problem ? `\n          ${paint("red", problem)}` : "";
  const subject = `${about ? escapeText(`${about[0]} ${String(about[1])}`) : ""}${again ? paint("yellow", "  again") : ""}`;
  return `${head}\n          ${subject}  ${paint("dim", escapeText(id))}${failed}`;
}

interface Subscription {
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
  const authorization = `Bearer ${await issueToken(client, ["webhook.write"], { sentBy: "tool" })}`;
  const headers = { authorization, "content-type": "application/json" };
  return sendAndBuffer(`${client.url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

const PAGE_SIZE = 1000;

/** Returns the ids of the messages after `point` that were not sent to the subscription, oldest first. */
async function findEarlierMessages(
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
