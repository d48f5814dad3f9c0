// sandbox listen: subscribes for as long as it runs, shows each delivery when it arrives, verifies its signature and forwards it.
import { setTimeout as pause } from "node:timers/promises";
import { parseReceiverAddress } from "../../client/address.ts";
import { EVENT_KINDS } from "../../engine/domain/index.ts";
import { toExcerpt } from "../../engine/settings.ts";
import { parseReceiverTimeout } from "../../engine/webhooks/index.ts";
import { type Client, createClient } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { findEarlierMessages, readPoint } from "../earlier-messages.ts";
import { Misuse } from "../failure.ts";
import { type Received, startReceiver } from "../receiver.ts";
import { readKinds } from "../start-settings.ts";
import { abortOnStop } from "../stop-signal.ts";
import { followAcrossRestarts, reconnectOption } from "../stream.ts";
import { type Subscription, subscribe } from "../subscription.ts";
import { plain, statusText, timeOf } from "../terminal/line.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** How long Ctrl-C waits for the subscription to be removed. */
const ANSWER_MS = 2000;

export const listen: Command = {
  name: "listen",
  summary: "Show webhook deliveries as they happen, verified; forward them.",
  options: [
    option.text(
      "forward-to",
      "URL",
      "Forward each delivery to this URL; its response decides whether the delivery succeeded.",
    ),
    option.list("events", "a,b", "Only these kinds; default: all."),
    option.text("since", "point", "First receive the earlier messages since a change number, an instant or PT10M."),
    option.flag("print-secret", "Print the secret that signs the deliveries."),
    reconnectOption,
    ...clientOptions,
  ],
  epilogue:
    "It receives on a loopback address of this machine. It makes a subscription for that\nand removes it at the end. It goes on when the world is reset, and when the sandbox\nis started again.",
  run: listenUntilStopped,
};

async function listenUntilStopped({ given, terminal }: Call): Promise<undefined> {
  const client = createClient(given);
  const kinds = readKinds("--events", given.list("events"));
  const target = given.text("forward-to");
  const forwardTo = target === undefined ? undefined : readTarget(target);
  const pointText = given.text("since");
  const json = given.flag("json");
  // Before the first request: Ctrl-C at any moment ends it cleanly.
  const signal = abortOnStop();
  const { receiver_timeout } = await client.ask(client.control.GET("/_sandbox"));
  const since = pointText === undefined ? undefined : await readPoint(client, pointText);
  // The receiver listens before it is subscribed, so no delivery finds nobody.
  const receiver = await startReceiver(forwardTo, printer(json, terminal), parseReceiverTimeout(receiver_timeout));
  let subscription: Subscription | undefined;
  /** Once, and again where a restart has made a new world. */
  const subscribed = async () => {
    const isFirst = subscription === undefined;
    // After a restart from a data file it is there still, with its secret.
    if (await subscription?.isThere()) return;
    const wanted = kinds.length > 0 ? kinds : EVENT_KINDS;
    subscription = await subscribe(client, receiver.url, wanted);
    const { id: subscriptionId } = subscription;
    const earlier =
      isFirst && since !== undefined
        ? (await findEarlierMessages(client, since, { subscriptionId, kinds: wanted })).map(({ id }) => id)
        : [];
    receiver.expect(subscription.secret, earlier);
    if (given.flag("print-secret")) printSecret(subscription.secret, json, terminal);
    if (isFirst)
      terminal.say(`Listening to ${client.url}. Ctrl-C stops.${forwardTo ? `\nForwarding to ${forwardTo}` : ""}`);
    else terminal.say("Its world is new; subscribed again, with a new secret.");
    for (const messageId of earlier) await resendMessage(client, messageId, subscriptionId);
  };
  try {
    await followAcrossRestarts(client, {
      signal,
      say: terminal.say,
      patience: given.number("reconnect"),
      begin: subscribed,
      // The deliveries come to the receiver; the stream only shows whether the sandbox is there.
      take: () => undefined,
    });
  } finally {
    await receiver.close();
    if (subscription) await leave(subscription, client.url, terminal);
  }
}

/** In the order of the calls: the sandbox sends the first attempts to a subscription one after another. */
async function resendMessage({ ask, control }: Client, messageId: string, subscription_id: string): Promise<void> {
  const sent = { params: { path: { messageId } }, body: { subscription_id } };
  await ask(control.POST("/_sandbox/messages/{messageId}/resend", sent));
}

/** Whoever stops it does not wait for a sandbox that hangs. */
async function leave(subscription: Subscription, url: string, terminal: Terminal): Promise<void> {
  const waiting = new AbortController();
  const removed = subscription.remove().then(() => true);
  const isGone = await Promise.race([removed, pause(ANSWER_MS, false, { signal: waiting.signal })]);
  waiting.abort();
  if (isGone) return;
  terminal.say(`The sandbox at ${url} does not answer; the subscription ${subscription.id} stays there.`);
  // The request that waits would keep the process.
  process.exit(0);
}

function printer(json: boolean, terminal: Terminal): (received: Received) => void {
  // A retry has the id of the first attempt; people should see that it is one.
  const seen = new Set<string>();
  return (received) => {
    if (json) terminal.json(received);
    else terminal.print(lineOf(received, seen.has(received.id), terminal));
    seen.add(received.id);
  };
}

/** Keeps the path as it is written, since a receiver may depend on its final slash. */
function readTarget(text: string): string {
  const address = parseReceiverAddress(text);
  if (address !== undefined) return address;
  const example = `http://localhost:3000${text.startsWith("/") ? text : "/hook"}`;
  throw new Misuse(
    `--forward-to is ${toExcerpt(text)}, which is not the address of a receiver. Write it as ${toExcerpt(example)}.`,
  );
}

function printSecret(secret: string, json: boolean, terminal: Terminal): void {
  if (json) terminal.json({ webhook_secret: secret });
  else terminal.print(`Signing secret  ${secret}`);
}

/** Two lines that fit a terminal of 80 columns; the message's id has its place where there is room. */
export function lineOf(
  received: Received,
  again: boolean,
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string {
  const { id, kind, body, verified, forwarded } = received;
  const { timestamp = "", payload = {} } = (body ?? {}) as { timestamp?: string; payload?: Record<string, unknown> };
  // Whoever posts here may send anything.
  const about = Object.entries(payload ?? {}).find(([name]) => name !== "host_id");
  const check = verified ? paint("green", "verified") : paint("red", "NOT VERIFIED");
  const passed = forwarded
    ? [
        `${paint("dim", "→")} ${statusText(forwarded.status, paint)} ${paint("dim", `${Math.round(forwarded.duration_ms)} ms`)}`,
      ]
    : [];
  const head = [
    paint("dim", plain(timeOf(String(timestamp)))),
    paint("bold", plain(kind).padEnd(34)),
    check,
    ...passed,
  ].join("  ");
  const failed = forwarded?.error ? `\n          ${paint("red", plain(`${forwarded.url}: ${forwarded.error}`))}` : "";
  const subject = `${about ? plain(`${about[0]} ${String(about[1])}`) : ""}${again ? paint("yellow", "  again") : ""}`;
  return `${head}\n          ${subject}${width >= 120 ? `  ${paint("dim", plain(id))}` : ""}${failed}`;
}
