// sandbox messages: the webhook messages with their deliveries, or one of them with every attempt.
import type { Schemas } from "../../client/control.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, fullOption } from "../command.ts";
import { Misuse } from "../fault.ts";
import type { Given } from "../options.ts";
import { readKinds } from "../start-settings.ts";
import { messageLines, messageShown } from "../terminal/message-shown.ts";

const STATES = ["pending", "delivered", "given_up", "dropped", "none"];
/** These choose from the list. */
const OF_THE_LIST = ["kind", "status", "limit"];

export const messages: Command = {
  name: "messages",
  summary: "Show webhook messages with deliveries, or one with all attempts.",
  arguments: [["[message]", "Id of one message, to show its body, deliveries and attempts."]],
  options: [
    {
      name: "kind",
      kind: "text",
      placeholder: "kind",
      default: undefined,
      meaning: "Only this kind, such as v1.booking.created.",
    },
    {
      name: "status",
      kind: "text",
      placeholder: "state",
      default: undefined,
      choices: STATES,
      meaning: "Only with a delivery in this state: pending, delivered, given_up or dropped; none: nobody subscribed.",
    },
    {
      name: "limit",
      kind: "number",
      placeholder: "N",
      default: 100,
      meaning: "The latest messages, at most this many.",
    },
    {
      name: "give-up",
      kind: "flag",
      default: false,
      meaning: "With an id: do not attempt its pending deliveries any more.",
    },
    fullOption,
    ...clientOptions,
  ],
  epilogue: [
    "  sandbox messages --status given_up",
    "  sandbox messages msg_4f0c",
    "",
    "`sandbox resend` sends a message again.",
  ].join("\n"),
  run: showMessages,
};

type Message = Schemas["Message"];

async function showMessages({ args: [id], given, terminal }: Call): Promise<undefined> {
  const client = clientOf(given);
  if (id === undefined) return list(client, { given, terminal });
  const odd = OF_THE_LIST.find((name) => given.source(name) === "flag");
  if (odd !== undefined) throw new Misuse(`--${odd} is for the list; with the id of one message, leave it out.`);
  const message = await one(client, id, given.flag("give-up"));
  if (given.flag("json")) terminal.json(message);
  else terminal.print(messageShown(message, terminal, { full: given.flag("full") }));
}

function one({ ask, control }: Client, messageId: string, givesUp: boolean): Promise<Message> {
  const params = { path: { messageId } };
  return ask<Message>(
    givesUp
      ? control.POST("/_sandbox/messages/{messageId}/give-up", { params })
      : control.GET("/_sandbox/messages/{messageId}", { params }),
  );
}

async function list(
  { ask, control }: Client,
  { given, terminal }: Pick<Call, "given" | "terminal">,
): Promise<undefined> {
  if (given.flag("give-up"))
    throw new Misuse(
      "--give-up needs the id of a message: sandbox messages <id> --give-up. `sandbox messages` lists them.",
    );
  const { kind, status, limit } = readFilter(given);
  const query = { limit: 1000, ...(kind === undefined ? {} : { kind: kind as Schemas["Kind"] }) };
  const { items } = await ask(control.GET("/_sandbox/messages", { params: { query } }));
  const found = items.filter(hasState(status)).slice(-limit);
  if (given.flag("json")) terminal.json({ items: found });
  else for (const line of messageLines(found, terminal)) terminal.print(line);
  if (found.length === 0)
    terminal.say(
      items.length === 0 ? "No message yet. `sandbox trigger v1.booking.created` causes one." : "No message matches.",
    );
}

function readFilter(given: Given) {
  const [kind, status, limit] = [given.text("kind"), given.text("status"), given.number("limit")];
  readKinds("--kind", kind === undefined ? [] : [kind]);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return { kind, status, limit };
  throw new Misuse(`--limit is ${limit}. Give a number from 1 to 1000.`);
}

function hasState(status: string | undefined): (message: Message) => boolean {
  if (status === undefined) return () => true;
  if (status === "none") return ({ deliveries }) => deliveries.length === 0;
  return ({ deliveries }) => deliveries.some(({ state }) => state === status.toUpperCase());
}
