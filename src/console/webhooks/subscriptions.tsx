// Who is subscribed, and how each fares.
import type { Schemas } from "../api.ts";
import { Badge, Instant } from "../parts/bits.tsx";
import { RecordLink } from "../parts/links.tsx";
import { type AnyRecord, stateOf, toneOf } from "../records/names.ts";
import { healthOf } from "./health.ts";

type Message = Schemas["Message"];

interface SubscriptionRecord extends AnyRecord {
  id: string;
  url: string;
  events: readonly string[];
}

export function Subscriptions({ records, messages }: { records: readonly object[]; messages: readonly Message[] }) {
  if (records.length === 0)
    return (
      <p class="quiet">
        Nobody is subscribed. Start with <code>--webhook-url</code>, or create a subscription with the API (
        <code>createWebhookSubscription</code>).
      </p>
    );
  return (
    <section class="scroll panel" aria-label="Subscriptions">
      <table>
        <thead>
          <tr>
            <th scope="col">Subscription</th>
            <th scope="col">Receiver</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Delivered
            </th>
            <th scope="col" class="number">
              Pending
            </th>
            <th scope="col" class="number">
              Lost
            </th>
            <th scope="col">Last attempt</th>
          </tr>
        </thead>
        <tbody>
          {(records as readonly SubscriptionRecord[]).map((record) => (
            <Subscription key={record.id} record={record} messages={messages} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Subscription({ record, messages }: { record: SubscriptionRecord; messages: readonly Message[] }) {
  const { delivered, pending, lost, last, tone } = healthOf(record.id, messages);
  return (
    <tr>
      <td>
        <RecordLink collection="subscriptions" id={record.id} />
      </td>
      <td>{record.url}</td>
      <td>
        <Badge tone={toneOf(stateOf(record))}>{stateOf(record)}</Badge>
      </td>
      <td class="number">{delivered}</td>
      <td class="number">{pending}</td>
      <td class="number">{lost}</td>
      <td>
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
    </tr>
  );
}
