// Reports the webhook deliveries that a host action caused, or that no subscription matches.
import type { Schemas } from "../client/control.ts";
import { EVENT_KINDS } from "../engine/domain/index.ts";
import type { Client } from "./client.ts";

/** Other clients may cause messages at the same time. */
const MAX_OTHER_MESSAGES = 50;

/** Returns lines for the user, or none if the act causes no webhook. */
export async function describeListeners({ ask, control }: Client, facts: Schemas["Facts"]): Promise<string[]> {
  const sent = facts.filter(({ fact }) => (EVENT_KINDS as readonly string[]).includes(`v1.${fact}`));
  if (sent.length === 0) return [];
  // The latest messages include those of this act, unless very many others were created in between.
  const query = { limit: Math.min(1000, sent.length + MAX_OTHER_MESSAGES) };
  const { items } = await ask(control.GET("/_sandbox/messages", { params: { query } }));
  // The newest message of that kind about that record is the one of this act.
  const messages = sent.flatMap(
    ({ fact, id }) =>
      items.findLast(({ kind, body }) => kind === `v1.${fact}` && Object.values(body.payload).includes(id)) ?? [],
  );
  const [first, ...others] = messages.flatMap(({ id, deliveries }) => deliveries.map(({ url }) => `${id} → ${url}`));
  const more = `${others.length + 1} deliveries: \`sandbox logs --messages\` lists them.`;
  const unmatched = messages.filter(({ deliveries }) => deliveries.length === 0).map(({ kind }) => kind);
  const kinds = [...new Set(unmatched)].join(", ");
  const advice = `No webhook subscription matches ${kinds}. Run \`sandbox listen\`, or start with \`--webhook-url\`, to receive it.`;
  return [...(first ? [others.length > 0 ? more : `1 delivery: ${first}`] : []), ...(kinds ? [advice] : [])];
}
