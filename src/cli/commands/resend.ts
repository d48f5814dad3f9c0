// sandbox resend: sends a webhook message again, to all that it was for or to one, in copies, or altered on purpose.
import type { Schemas } from "../../client/control.ts";
import { readInstant } from "../../engine/domain/kernel/instant.ts";
import { shown } from "../../engine/setting-values.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions } from "../command.ts";
import { Misuse } from "../fault.ts";
import type { Given } from "../options.ts";
import { deliveryLines } from "../terminal/message-shown.ts";
import { count } from "../terminal/terminal.ts";

const WAYS = ["body", "signature", "timestamp"];
const MOST_COPIES = 100;

export const resend: Command = {
  name: "resend",
  summary: "Send a webhook message again.",
  arguments: [["[message]", "Id of the message; `sandbox messages` lists them."]],
  options: [
    {
      name: "to",
      kind: "text",
      placeholder: "subscription",
      default: undefined,
      meaning: "Only to the subscription of this id, also when the message was not for it.",
    },
    {
      name: "copies",
      kind: "number",
      placeholder: "N",
      default: 1,
      meaning: "How many times; all have the same webhook-id.",
    },
    {
      name: "delay",
      kind: "text",
      placeholder: "duration",
      default: undefined,
      meaning: "So much later on the world's clock, such as PT5M; at once without it.",
    },
    {
      name: "tamper",
      kind: "text",
      placeholder: "what",
      default: undefined,
      choices: WAYS,
      meaning:
        "Alter it: body, signature, or timestamp (an hour old and signed with it). A careful receiver refuses it.",
    },
    {
      name: "failed-since",
      kind: "text",
      placeholder: "instant",
      default: undefined,
      meaning: "Instead of one message: all that failed since then.",
    },
    ...clientOptions,
  ],
  epilogue: [
    "  sandbox resend msg_4f0c --copies 2",
    "  sandbox resend msg_4f0c --tamper signature",
    "  sandbox resend msg_4f0c --delay PT10M",
    "  sandbox resend --failed-since 2030-06-01T09:00:00Z",
  ].join("\n"),
  run: sendAgain,
};

type Message = Schemas["Message"];

async function sendAgain({ args: [id], given, terminal }: Call): Promise<undefined> {
  const since = readSince(id, given);
  const input = id === undefined ? {} : readInput(given);
  const client = clientOf(given);
  const sent = id === undefined ? await failed(client, since) : [await one(client, id, input)];
  const now = await attempted(client, sent);
  if (given.flag("json")) terminal.json(id === undefined ? { items: now } : now[0]);
  else terminal.print(reportOf(now, terminal));
}

function readSince(id: string | undefined, given: Given): string {
  const since = given.text("failed-since");
  if ((id === undefined) === (since === undefined))
    throw new Misuse(
      id === undefined
        ? "Which message? `sandbox messages` lists them; --failed-since sends all that failed."
        : "Give the id of one message, or --failed-since for all that failed.",
    );
  if (since !== undefined && readInstant(since) === undefined)
    throw new Misuse(`--failed-since is ${shown(since)}, which is not an instant. Write it as 2030-06-01T09:00:00Z.`);
  const odd = ["to", "copies", "delay", "tamper"].find((name) => since !== undefined && given.source(name) === "flag");
  if (odd !== undefined) throw new Misuse(`--${odd} needs the id of one message.`);
  return since ?? "";
}

function readInput(given: Given): Schemas["ResendInput"] {
  const [to, copies, tamper] = [given.text("to"), given.number("copies"), given.text("tamper")];
  const delay = given.text("delay");
  if (!Number.isInteger(copies) || copies < 1 || copies > MOST_COPIES)
    throw new Misuse(`--copies is ${copies}. Give a whole number from 1 to ${MOST_COPIES}.`);
  return {
    ...(to === undefined ? {} : { subscription_id: to }),
    ...(copies === 1 ? {} : { copies }),
    ...(delay === undefined ? {} : { delay }),
    ...(tamper === undefined ? {} : { tamper: tamper as Schemas["Tamper"] }),
  };
}

function one({ ask, control }: Client, messageId: string, body: Schemas["ResendInput"]): Promise<Message> {
  return ask(control.POST("/_sandbox/messages/{messageId}/resend", { params: { path: { messageId } }, body }));
}

async function failed({ ask, control }: Client, since: string): Promise<Message[]> {
  return (await ask(control.POST("/_sandbox/messages/resend", { body: { failed_since: since } }))).items;
}

const PATIENCE_MS = 3000;
const LOOK_MS = 50;

/** The messages after their attempts, as far as they end soon: a slow receiver is not waited for. */
async function attempted({ ask, control }: Client, sent: readonly Message[]): Promise<Message[]> {
  const until = performance.now() + PATIENCE_MS;
  const look = ({ id }: Message) =>
    ask(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId: id } } }));
  for (;;) {
    const { now } = await ask(control.GET("/_sandbox/clock"));
    const messages = await Promise.all(sent.map(look));
    if (performance.now() > until || !messages.some((message) => isDue(message, now))) return messages;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function isDue({ deliveries }: Message, now: string): boolean {
  return deliveries.some(({ state, next_attempt_at = "" }) => state === "PENDING" && next_attempt_at <= now);
}

function reportOf(messages: readonly Message[], terminal: Call["terminal"]): string {
  if (messages.length === 0) return "No message has failed since then.";
  return messages
    .map((message) => {
      const lines = deliveryLines(message, terminal).map((line) => `  ${line}`);
      const to =
        lines.length === 0 ? "no enabled subscription takes this kind" : count(lines.length, "delivery", "deliveries");
      return [`${message.id}  ${message.kind}: ${to}`, ...lines].join("\n");
    })
    .join("\n");
}
