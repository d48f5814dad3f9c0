// Who is subscribed, and how each fares.
import type { Schemas } from "../api.ts";
import { Badge, Instant } from "../parts/bits.tsx";
import { RecordLink } from "../parts/links.tsx";
import { toneOf } from "../records/names.ts";
import { healthOf } from "./health.ts";

type Message = Schemas["Message"];

type Page = Pick<Schemas["RecordPage"], "items" | "heads">;

export function Subscriptions({ items, heads, messages }: Page & { messages: readonly Message[] }) {
  if (items.length === 0)
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
          {items.map(({ id }) => (
            <Subscription key={id} id={id} {...heads[id]} messages={messages} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Shown = Partial<Schemas["RecordHead"]> & { id: string; messages: readonly Message[] };

function Subscription({ id, title, state = "", messages }: Shown) {
  const { delivered, pending, lost, last, tone } = healthOf(id, messages);
  return (
    <tr>
      <td>
        <RecordLink collection="subscriptions" id={id} />
      </td>
      <td>{title}</td>
      <td>
        <Badge tone={toneOf(state)}>{state}</Badge>
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
