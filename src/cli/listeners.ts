// Reports the webhook deliveries that a host action caused, or that no subscription matches.
import type { Schemas } from "../client/control.ts";
import { EVENT_KINDS } from "../engine/domain/index.ts";
import type { Client } from "./client.ts";

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
  const deliveries = messages.flatMap(({ id, deliveries }) => deliveries.map(({ url }) => `${id} → ${url}`));
  const isUnmatched = (message: Schemas["Message"]) => message.deliveries.length === 0;
  const unmatched = [...new Set(messages.filter(isUnmatched).map(({ kind }) => kind))];
  return [
    ...(deliveries.length === 1 ? [`1 delivery: ${deliveries[0]}`] : []),
    ...(deliveries.length > 1 ? [`${deliveries.length} deliveries: \`sandbox logs --messages\` lists them.`] : []),
    ...(unmatched.length > 0
      ? [
          `No webhook subscription matches ${unmatched.join(", ")}. Run \`sandbox listen\`, or start with \`--webhook-url\`, to receive it.`,
        ]
      : []),
  ];
}
