// What is sent again: a request, or a message to all that it was for or to one, in copies, or altered on purpose.
import type { Schemas } from "../../client/control.ts";
import { waitForAttempts } from "../../client/resent-messages.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import type { Client } from "../client.ts";
import type { Call } from "../command.ts";
import { Misuse } from "../failure.ts";
import { plain, statusText } from "../terminal/line.ts";
import type { Message } from "../terminal/message-view.ts";
import { deliveryLines } from "../terminal/message-view.ts";
import { fitted } from "../terminal/terminal.ts";

/** The id and --failed-since exclude each other, and one of them is needed. */
function mustBeOne({ args: [id], given }: Call): void {
  if ((id === undefined) === (given.text("failed-since") === undefined))
    throw new Misuse(
      id === undefined
        ? "Name a message of `sandbox logs --messages` or a request of `sandbox logs`, or give --failed-since for all that failed."
        : "Give the id of one message, or --failed-since for all that failed.",
    );
}

/** How long a resend waits for its attempts before it shows what is known. */
const PATIENCE_MS = 3000;

const waitForResent = (sent: readonly Message[], { ask, control }: Client, { given }: Call): Promise<Message[]> =>
  waitForAttempts(sent, {
    to: given.text("to"),
    patienceMs: PATIENCE_MS,
    readMessage: (id) => ask(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId: id } } })),
    readNow: async () => (await ask(control.GET("/_sandbox/clock"))).now,
  });

function sentAgain(message: Message, { terminal }: Call): string {
  const sent = count(message.deliveries.length, "delivery", "deliveries");
  const head = fitted(`${message.id}  ${message.kind}: ${sent}`, terminal.width);
  return [head, ...deliveryLines(message, terminal, "  ")].join("\n");
}

type Resent = Message | Schemas["MessageList"] | Schemas["Replayed"];

const isMessage = (answer: Resent): answer is Message => "deliveries" in answer;

/** 0 for a 2xx response. A redirect or an error is 1, so that a script notices. */
export const codeOfResponse = ({ status }: Schemas["Replayed"]): number => (status !== null && status < 300 ? 0 : 1);

/** `how`: what the request stands for. */
export function responseLines({ id, status, answer }: Schemas["Replayed"], { terminal }: Call, how: string): string[] {
  terminal.say(`${statusText(status, terminal.paint)}  ${id}, ${how}`);
  // A fault may have cut the response off: then there is only the status line.
  if (answer === null) return [];
  return [typeof answer === "string" ? plain(answer) : JSON.stringify(answer, null, 2)];
}

export const resend: Answer<Resent> = {
  check: mustBeOne,
  // One message or several, as the call was.
  async settle(answer, client, call) {
    if (call.given.flag("give-up")) return answer;
    if ("items" in answer) return { items: await waitForResent(answer.items, client, call) };
    return isMessage(answer) ? (await waitForResent([answer], client, call))[0] : answer;
  },
  show(answer, call) {
    if ("items" in answer) return answer.items.map((message) => sentAgain(message, call));
    if (isMessage(answer)) return [sentAgain(answer, call)];
    return responseLines(answer, call, `${call.args[0]} sent again`);
  },
  code: (answer) => ("status" in answer ? codeOfResponse(answer) : 0),
};
