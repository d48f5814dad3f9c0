// `sandbox resend`: sends a message or a request of the log again.
import type { Schemas } from "../../client/control.ts";
import { waitForAttempts } from "../../client/resent-messages.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import type { Client } from "../client.ts";
import type { Call } from "../command.ts";
import { Misuse } from "../failure.ts";
import { escapeText, formatStatus } from "../terminal/line.ts";
import type { Message } from "../terminal/message-view.ts";
import { formatDeliveries } from "../terminal/message-view.ts";
import { fitText } from "../terminal/terminal.ts";

/** Requires either an id or --failed-since. */
function mustSelectMessages({ args: [id], given }: Call): void {
  if ((id === undefined) === (given.text("failed-since") === undefined))
    throw new Misuse(
      id === undefined
        ? "Give the id of a message (`sandbox logs --messages`) or of a request (`sandbox logs`), or --failed-since for all failed messages."
        : "Give either the id of one message or --failed-since, not both.",
    );
}

/** A resend is shown after this time even if its attempts have no result yet. */
const MAX_WAIT_MS = 3000;

const waitForResent = (sent: readonly Message[], { ask, control }: Client, { given }: Call): Promise<Message[]> =>
  waitForAttempts(sent, {
    to: given.text("to"),
    patienceMs: MAX_WAIT_MS,
    readMessage: (id) => ask(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId: id } } })),
    readNow: async () => (await ask(control.GET("/_sandbox/clock"))).now,
  });

function formatResent(message: Message, { terminal }: Call): string {
  const sent = count(message.deliveries.length, "delivery", "deliveries");
  const head = fitText(`${message.id}  ${message.kind}: ${sent}`, terminal.width);
  return [head, ...formatDeliveries(message, terminal, "  ")].join("\n");
}

type Resent = Message | Schemas["MessageList"] | Schemas["Replayed"];

const isMessage = (answer: Resent): answer is Message => "deliveries" in answer;

/** Returns 0 for a 2xx response and 1 for a redirect or an error, so that scripts notice. */
export const toReplayExitCode = ({ status }: Schemas["Replayed"]): number => (status !== null && status < 300 ? 0 : 1);

/** Shows the response of a repeated request. `how` says which request it repeats. */
export function formatResponse({ id, status, answer }: Schemas["Replayed"], { terminal }: Call, how: string): string[] {
  terminal.say(`${formatStatus(status, terminal.paint)}  ${id}, ${how}`);
  // A response that a fault cut off has no body.
  if (answer === null) return [];
  return [typeof answer === "string" ? escapeText(answer) : JSON.stringify(answer, null, 2)];
}

export const resend: Answer<Resent> = {
  check: mustSelectMessages,
  // The result has the shape of the response: one message, or a list.
  async settle(answer, client, call) {
    if (call.given.flag("give-up")) return answer;
    if ("items" in answer) return { items: await waitForResent(answer.items, client, call) };
    return isMessage(answer) ? (await waitForResent([answer], client, call))[0] : answer;
  },
  show(answer, call) {
    if ("items" in answer) return answer.items.map((message) => formatResent(message, call));
    if (isMessage(answer)) return [formatResent(answer, call)];
    return formatResponse(answer, call, `${call.args[0]} sent again`);
  },
  code: (answer) => ("status" in answer ? toReplayExitCode(answer) : 0),
};
