// Reports the webhook deliveries that a host action caused, or that no subscription matches.
import type { Schemas } from "../client/control.ts";
import { EVENT_KINDS } from "../engine/domain/index.ts";
import { count } from "../platform/count.ts";
import type { Client } from "./client.ts";

/** More lines would hide the result of the act. */
const MAX_LISTED_DELIVERIES = 5;
/** Other clients may cause messages at the same time. */
const MAX_OTHER_MESSAGES = 50;

/** Returns lines for the user, or none if the act causes no webhook. */
export async function describeListeners({ ask, control }: Client, facts: Schemas["Facts"]): Promise<string[]> {
  const causes = facts.map(({ fact, id }) => ({ kind: `v1.${fact}`, id }));
  const sent = causes.filter(({ kind }) => (EVENT_KINDS as readonly string[]).includes(kind));
  if (sent.length === 0) return [];
  // The latest messages include those of this act, unless very many others were created in between.
  const query = { limit: Math.min(1000, sent.length + MAX_OTHER_MESSAGES) };
  const { items } = await ask(control.GET("/_sandbox/messages", { params: { query } }));
  const messages = sent.flatMap(({ kind, id }) => {
    const isAbout = (message: Schemas["Message"]) => Object.values(message.body.payload).includes(id);
    // The newest message of that kind about that record is the one of this act.
    return items.findLast((message) => message.kind === kind && isAbout(message)) ?? [];
  });
  return [...formatDeliveries(messages), ...formatUnsubscribedKinds(messages)];
}

function formatDeliveries(messages: readonly Schemas["Message"][]): string[] {
  const lines = messages.flatMap(({ id, deliveries }) => deliveries.map(({ url }) => `${id} → ${url}`));
  const head = count(lines.length, "delivery", "deliveries");
  if (lines.length <= 1) return lines.map((line) => `${head}: ${line}`);
  const more = lines.length > MAX_LISTED_DELIVERIES ? [`  and ${lines.length - MAX_LISTED_DELIVERIES} more`] : [];
  return [`${head}:`, ...lines.slice(0, MAX_LISTED_DELIVERIES).map((line) => `  ${line}`), ...more];
}

function formatUnsubscribedKinds(messages: readonly Schemas["Message"][]): string[] {
  const kinds = [...new Set(messages.filter(({ deliveries }) => deliveries.length === 0).map(({ kind }) => kind))];
  if (kinds.length === 0) return [];
  return [
    `No webhook subscription matches ${kinds.join(", ")}. Run \`sandbox listen\`, or start with \`--webhook-url\`, to receive it.`,
  ];
}
