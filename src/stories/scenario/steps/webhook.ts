// The verb `webhook` waits for messages of a kind. `times` is the expected number of matching messages (default: one or more). The other
// members of `expect` are compared with each message.
import type { Schemas } from "../../../client/control.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { optional } from "../../../platform/optional.ts";
import { receive } from "../client.ts";
import { compare } from "../match.ts";
import type { Difference, Step } from "../scenario.ts";
import type { PlayContext, StepOutcome, Verb } from "./verb.ts";

/** The wait is in real time, because deliveries are sent after the commit and a busy machine is slow. */
const DEFAULT_WAIT_MS = 5000;
/** The maximum page size of the control API. */
const PAGE_SIZE = 1000;
const POLL_INTERVAL_MS = 20;

export const webhook: Verb = {
  name: "webhook",
  answers: ["times", "payload", "body", "deliveries", "id", "kind", "created_at", "caused_by", "messages"],
  about: (step) => step.webhook ?? "",
  async play(step, context) {
    const until = performance.now() + (context.patienceMs ?? DEFAULT_WAIT_MS);
    for (;;) {
      const outcome = compareMessages(step, await fetchMessages(step, context));
      if (outcome.differences?.length === 0 || performance.now() > until || context.signal?.aborted) return outcome;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  },
};

/** Returns all messages of the kind, oldest first. The pages of the control API start with the newest. */
async function fetchMessages(step: Step, context: PlayContext): Promise<JsonObject[]> {
  const found: Schemas["Message"][] = [];
  for (let more: number | undefined = 1; more; ) {
    const query = { kind: step.webhook as Schemas["Kind"], limit: PAGE_SIZE, ...optional({ before: found[0]?.id }) };
    const { body } = await receive(context.control.GET("/_sandbox/messages", { params: { query } }));
    found.unshift(...(body?.items ?? []));
    more = body?.more;
  }
  return found.map((message) => ({ ...message, payload: message.body.payload ?? null }) as unknown as JsonObject);
}

function compareMessages(step: Step, messages: JsonObject[]): StepOutcome {
  const { times, ...wanted } = step.expect ?? {};
  const fitting = messages.filter((message) => compare(wanted, message).length === 0);
  const outcome = { times: fitting.length, ...fitting.at(-1), messages: fitting };
  const enough = times === undefined ? fitting.length > 0 : compare(times, fitting.length).length === 0;
  return { outcome, differences: enough ? [] : explainCount(times ?? { $gt: 0 }, wanted, fitting.length, messages) };
}

/** Explains how many messages match, and how the last other message differs. */
function explainCount(
  times: NonNullable<JsonObject[string]>,
  wanted: JsonObject,
  fit: number,
  messages: JsonObject[],
): Difference[] {
  const counted = { path: "times", wanted: times, actual: fit };
  const other = messages.findLast((message) => compare(wanted, message).length > 0);
  return other && typeof times === "number" && fit > times
    ? [counted]
    : [counted, ...(other ? compare(wanted, other) : [])];
}

// The verb `receiver` sets the response of the player's webhook receiver at ${receiver.url}, for all deliveries or for a number of them.
// With the secret of the subscription, it checks every signature. Steps can expect the received deliveries.

export const receiver: Verb = {
  name: "receiver",
  answers: ["received"],
  about: (step) => String(step.receiver?.answer ?? "look"),
  async play(step, context) {
    const own = await context.receiver();
    const orders = step.receiver ?? {};
    own.setResponse(orders as Parameters<typeof own.setResponse>[0]);
    return { sent: orders, outcome: { received: own.received() } };
  },
};
