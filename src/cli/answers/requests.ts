// Shows what `why`, `trigger`, `resend` and the commands of faults return.
import type { Schemas } from "../../client/control.ts";
import { waitForAttempts } from "../../client/resent-messages.ts";
import { describeFaultDetails, hasEffect } from "../../engine/domain/index.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { describeListeners } from "../listeners.ts";
import { formatOutcome } from "../terminal/facts.ts";
import { escapeText, formatStatus } from "../terminal/line.ts";
import { formatDelivery, type Message } from "../terminal/message-view.ts";
import { formatColumns } from "../terminal/terminal.ts";
import { formatChange, formatExplanation } from "../terminal/why-view.ts";

/** Without both, the sandbox would reject a request that has no filter, and could not name the option. */
function assertSelection({ args: [id], given }: Call): void {
  if (id === undefined && given.text("failed-since") === undefined)
    throw new Misuse(
      "Give the id of a message (`sandbox logs --messages`) or of a request (`sandbox logs`), or --failed-since for all failed messages.",
    );
}

/** A resend is shown after this time even if its attempts have no result yet. */
const MAX_WAIT_MS = 3000;

const waitForResent = (sent: readonly Message[], client: Client, { given }: Call): Promise<Message[]> =>
  waitForAttempts(client, sent, { to: given.text("to"), patienceMs: MAX_WAIT_MS });

function formatResent(message: Message, { terminal }: Call): string {
  const sent = count(message.deliveries.length, "delivery", "deliveries");
  const lines = message.deliveries.map((delivery) => `  ${formatDelivery(delivery, terminal)}`);
  return [`${message.id}  ${message.kind}: ${sent}`, ...lines].join("\n");
}

type Resent = Message | Schemas["MessageList"] | Schemas["Replayed"];

/** Returns 0 for a 2xx response and 1 for a redirect or an error, so that scripts notice. */
const toReplayExitCode = ({ status }: Schemas["Replayed"]): number => (status !== null && status < 300 ? 0 : 1);

/** Shows the response of a repeated request. `how` says which request it repeats. */
function formatResponse({ id, status, answer }: Schemas["Replayed"], { terminal }: Call, how: string): string[] {
  terminal.say(`${formatStatus(status, terminal.paint)}  ${id}, ${how}`);
  // A response that a fault cut off has no body. JSON is not wrapped, so that it can be copied.
  if (answer !== null)
    terminal.write(`${typeof answer === "string" ? escapeText(answer) : JSON.stringify(answer, null, 2)}\n`);
  return [];
}

const resend: Answer<Resent> = {
  check: assertSelection,
  // The result has the shape of the response: one message, or a list.
  async settle(answer, client, call) {
    if (call.given.flag("give-up")) return answer;
    if ("items" in answer) return { items: await waitForResent(answer.items, client, call) };
    return "deliveries" in answer ? (await waitForResent([answer], client, call))[0] : answer;
  },
  show(answer, call) {
    if ("items" in answer) return answer.items.map((message) => formatResent(message, call));
    if ("deliveries" in answer) return [formatResent(answer, call)];
    return formatResponse(answer, call, `${call.args[0]} sent again`);
  },
  code: (answer) => ("status" in answer ? toReplayExitCode(answer) : 0),
};

const why: Answer<Schemas["Why"] | Schemas["WhyApplied"]> = {
  async prepare(input, { given }, { ask, control }) {
    // The latest rejection is looked up before it is applied, so that the output names the request that was changed.
    if (given.flag("apply")) input.path ??= { id: (await ask(control.GET("/_sandbox/why"))).id };
  },
  show(answer, call, { input }) {
    // A response without a change means that --apply was not given.
    if (!("change" in answer)) return [formatExplanation(answer, call.terminal, call.given.flag("basis"))];
    call.terminal.say(formatChange(answer.change, call.terminal).join("\n"));
    return formatResponse(answer, call, `instead of ${input.path?.id}`);
  },
  code: (answer) => ("change" in answer ? toReplayExitCode(answer) : 0),
  options: [option.flag("basis", "Also show the sources of the rule.")],
};

const trigger: Answer<Schemas["ActAnswer"]> = {
  // The output says whether any subscription will receive the webhook.
  show: async (done, { args: [kind = ""], terminal }, { client }) => [
    formatOutcome(kind, done, terminal),
    ...(await describeListeners(client, done.facts)),
  ],
};

function formatFaults({ faults }: Schemas["FaultList"], { terminal }: Call): string[] {
  if (faults.length === 0)
    terminal.say("No fault is armed. Arm one with `sandbox fault add createBooking --status 503`.");
  return formatColumns(
    faults.map((each) => [
      terminal.paint("bold", each.name),
      describeFaultDetails(each),
      `hits ${each.hits} of ${each.times}`,
    ]),
  );
}

const arm: Answer<Schemas["FaultList"]> = {
  prepare(input) {
    const fault = input.body as Schemas["FaultInput"];
    // The error of the sandbox would name fields instead of options.
    if (!hasEffect(fault))
      throw new Misuse("This fault has no effect. Give it one, such as --status 503: see `sandbox fault add --help`.");
    // A shell would expand a star, so the command line takes the word `any`.
    if (fault.operation === "any") fault.operation = "*";
  },
  show: formatFaults,
};

/** Shows the faults that are still armed: none, unless a name was given or another client has armed one. */
const clear: Answer<Schemas["FaultList"]> = {
  settle: (_, { ask, control }) => ask(control.GET("/_sandbox/faults")),
  show: (list, call) => (list.faults.length === 0 ? ["No fault is armed."] : formatFaults(list, call)),
};

export const requests = {
  resend,
  trigger,
  why,
  "fault list": { show: formatFaults },
  "fault add": arm,
  "fault clear": clear,
};
