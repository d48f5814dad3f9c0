// The table of subscriptions with their delivery counts.

import type { Schemas } from "../api.ts";
import { ShortId } from "../parts/links.tsx";
import { Badge, Instant } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { getStateTone } from "../records/record-format.ts";
import { toHref, worldId } from "../router.ts";
import { summarizeHealth } from "./health.ts";
import type { Message } from "./messages.ts";
import { RetryFailed } from "./resend.tsx";

/** The counts cover the newest messages that the sandbox lists. */
const COLUMNS = [
  ...["Receiver", "Status"],
  ...["Delivered", "Pending", "Failed"].map((number) => ({ number })),
  ...["Last attempt", "Last failures"],
];

type Page = Pick<Schemas["RecordPage"], "items" | "heads">;

interface SubscriptionContext {
  messages: readonly Message[];
  /** Called after failed messages were resent. */
  onSent: () => void;
}

/** The subscriptions, with counts over the messages below. */
export function Subscriptions({ items, heads, ...rest }: Page & SubscriptionContext) {
  if (items.length === 0)
    return (
      <p class="quiet">
        No subscriptions yet. Start with <code>--webhook-url</code>, or create a subscription with the API (
        <code>createWebhookSubscription</code>).
      </p>
    );
  return (
    <Table columns={COLUMNS} label="Subscriptions">
      {items.map(({ id }) => (
        <Subscription key={`${worldId.value} ${id}`} id={id} {...heads[id]} {...rest} />
      ))}
    </Table>
  );
}

/** A new subscription may have no head yet. */
type SubscriptionView = Partial<Schemas["RecordHead"]> & { id: string } & SubscriptionContext;

function Subscription({ id, title, state = "", messages, onSent }: SubscriptionView) {
  const { delivered, pending, failed, last, failures, tone } = summarizeHealth(id, messages);
  return (
    <tr>
      <td>
        <a class="receiver" href={toHref("records", ["subscriptions", id])} title={id}>
          {/* The title of a subscription is the address of its receiver. */}
          {title ?? <ShortId id={id} />}
        </a>
      </td>
      <td>
        <Badge tone={getStateTone(state)}>{state}</Badge>
      </td>
      <td class="number">{delivered}</td>
      <td class="number">{pending}</td>
      <td class="number">{failed}</td>
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
        {failures.length === 0 && <span class="quiet">none </span>}
        {failures.map(({ message, kind, at, outcome, status }) => (
          <a key={`${message} ${at}`} class="failure" href={toHref("webhooks", [message])}>
            <Instant at={at} /> {kind} <span class="bad-text">{status ?? outcome}</span>
          </a>
        ))}
        <RetryFailed subscription={id} receiver={title ?? id} state={state} failed={failed} onSent={onSent} />
      </td>
    </tr>
  );
}
