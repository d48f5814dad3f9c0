// Who is subscribed, and how each fares.

import type { Schemas } from "../api.ts";
import { ShortId } from "../parts/links.tsx";
import { Badge, Instant } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { toneOf } from "../records/names.ts";
import { href } from "../router.ts";
import type { Message } from "./health.ts";
import { healthOf } from "./health.ts";

/** The figures are of the newest messages alone, as many as the sandbox lists. */
const COLUMNS = [
  ...["Receiver", "Status"],
  ...["Delivered", "Pending", "Lost"].map((number) => ({ number })),
  ...["Last attempt", "Last failures"],
];

type Page = Pick<Schemas["RecordPage"], "items" | "heads">;

/** Counted over the messages that are shown below. */
export function Subscriptions({ items, heads, messages }: Page & { messages: readonly Message[] }) {
  if (items.length === 0)
    return (
      <p class="quiet">
        Nobody is subscribed. Start with <code>--webhook-url</code>, or create a subscription with the API (
        <code>createWebhookSubscription</code>).
      </p>
    );
  return (
    <Table columns={COLUMNS} label="Subscriptions">
      {items.map(({ id }) => (
        <Subscription key={id} id={id} {...heads[id]} messages={messages} />
      ))}
    </Table>
  );
}

/** A subscription that was just made may have no head yet. */
type SubscriptionView = Partial<Schemas["RecordHead"]> & { id: string; messages: readonly Message[] };

function Subscription({ id, title, state = "", messages }: SubscriptionView) {
  const { delivered, pending, lost, last, failures, tone } = healthOf(id, messages);
  return (
    <tr>
      <td>
        <a class="receiver" href={href("records", ["subscriptions", id])} title={id}>
          {/* The sandbox calls a subscription by the address of its receiver. */}
          {title ?? <ShortId id={id} />}
        </a>
      </td>
      <td>
        <Badge tone={toneOf(state)}>{state}</Badge>
      </td>
      <td class="number">{delivered}</td>
      <td class="number">{pending}</td>
      <td class="number">{lost}</td>
      <td class="last-attempt">
        {last ? (
          <>
            <Badge tone={tone}>
              {last.outcome} {last.status}
            </Badge>{" "}
            <Instant at={last.at} seconds />
          </>
        ) : (
          <span class="quiet">none yet</span>
        )}
      </td>
      <td>
        {failures.length === 0 && <span class="quiet">none</span>}
        {failures.map(({ message, kind, at, outcome, status }) => (
          <a key={`${message} ${at}`} class="failure" href={href("webhooks", [message])}>
            <Instant at={at} /> {kind} <span class="bad-text">{status ?? outcome}</span>
          </a>
        ))}
      </td>
    </tr>
  );
}
