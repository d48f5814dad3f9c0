// The webhooks screen: subscriptions with their delivery counts, messages, and one message in detail.
import { useState } from "preact/hooks";
import { count } from "../../platform/count.ts";
import { NO_SUBSCRIBER } from "../../platform/states-text.ts";
import { read, type Schemas } from "../api.ts";
import { ActionButton, Filter } from "../parts/actions.tsx";
import { RecordTitle, ShortId } from "../parts/links.tsx";
import { Badge, Empty, Instant, Loading, Problem, State } from "../parts/primitives.tsx";
import { Headings, Table } from "../parts/table.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { useRead } from "../query.ts";
import { getQuery, type ScreenProps, toHref, worldId } from "../router.ts";
import { MessageDetail, resendMessage } from "../webhooks/message.tsx";

type Message = Schemas["Message"];

/** The maxima that the sandbox lists in one response. The newest messages are listed, oldest first. */
const SUBSCRIPTIONS = { path: { collection: "subscriptions" as const }, query: { limit: 500 } };
const MESSAGES = { query: { limit: 1000 } };

export function Webhooks({ rest: [id] }: ScreenProps) {
  const { data, problem } = useRead("/_sandbox/messages", MESSAGES);
  const subscribed = useRead("/_sandbox/records/{collection}", SUBSCRIPTIONS);
  const words = getQuery("q").toLowerCase();
  const messages = data?.items ?? [];
  // Messages are shown newest first.
  const listed = messages.filter((message) => getSearchText(message).includes(words)).toReversed();
  return (
    <>
      <Problem text={problem ?? subscribed.problem} />
      {subscribed.data && <Subscriptions {...subscribed.data} messages={messages} />}
      <div class={id ? "beside even" : "beside none"}>
        <section class="stack" aria-label="Messages">
          <Filter label="Filter messages" placeholder="Filter messages: a kind, a name, an id, a state, a cause" />
          {data?.more && (
            <p class="quiet small">
              The newest {messages.length} of {messages.length + data.more} messages: the figures above and the filter
              are of these. <a href={toHref("records", ["messages"], { q: getQuery("q") })}>Search all</a>
            </p>
          )}
          <Headings look="line sent" names={["Kind", "About", "Deliveries", "World’s time (UTC)"]} />
          <WindowList
            label="Messages"
            look="tall"
            items={listed}
            keyOf={(message) => message.id}
            line={(message) => <Line message={message} isChosen={message.id === id} />}
            empty={
              data ? (
                <NoMessages isFiltered={words !== ""} hasMore={data.more !== undefined} />
              ) : (
                !problem && <Loading />
              )
            }
          />
        </section>
        {id && <SelectedMessage key={`${worldId.value} ${id}`} id={id} subscriptions={subscribed.data} />}
      </div>
    </>
  );
}

function NoMessages({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  const which = hasMore ? "None of these messages" : "No messages";
  return (
    <Empty title={isFiltered ? `${which} match your search.` : "No messages yet."}>
      <p>Something that happens in the world, such as a booking, sends a message to each subscription of its kind.</p>
    </Empty>
  );
}

/** The message of the address, even if the list does not contain it. */
function SelectedMessage({ id, subscriptions }: { id: string; subscriptions: Schemas["RecordPage"] | undefined }) {
  const { data, problem } = useRead("/_sandbox/messages/{messageId}", { path: { messageId: id } });
  return data ? <MessageDetail message={data} subscriptions={subscriptions} /> : <Loading problem={problem} />;
}

/** Returns the text that the filter searches. Bodies are not included. */
const getSearchText = ({ id, kind, about, caused_by, deliveries }: Message): string =>
  [id, kind, about?.id, about?.title, caused_by, ...deliveries.map(({ state, url }) => `${state} ${url}`)]
    .join(" ")
    .toLowerCase();

function Line({ message, isChosen }: { message: Message; isChosen: boolean }) {
  const { id, kind, about, created_at, deliveries } = message;
  return (
    <a class="line sent" href={toHref("webhooks", [id], { q: getQuery("q") })} aria-current={isChosen}>
      <span class="label">{kind}</span>
      {about ? <RecordTitle {...about} /> : <ShortId id={id} />}
      <span>
        {/* A message without deliveries has no matching subscription. */}
        {deliveries.length === 0 && <span class="quiet">{NO_SUBSCRIBER}</span>}
        {deliveries.map(({ id: delivery, state, attempts }) => (
          <span key={delivery}>
            <State state={state} /> {attempts.length > 1 && <span class="quiet small">{attempts.length} attempts</span>}
          </span>
        ))}
      </span>
      <span class="quiet">
        <Instant at={created_at} />
      </span>
    </a>
  );
}

/** The counts cover the newest messages that the sandbox lists. */
const COUNTS = ["Delivered", "Pending", "Failed"].map((number) => ({ number }));
const COLUMNS = ["Receiver", "Status", ...COUNTS, "Last attempt", "Last failures"];

type SubscriptionsProps = Pick<Schemas["RecordPage"], "items" | "heads"> & { messages: readonly Message[] };

function Subscriptions({ items, heads, messages }: SubscriptionsProps) {
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
        <Subscription key={`${worldId.value} ${id}`} id={id} {...heads[id]} messages={messages} />
      ))}
    </Table>
  );
}

/** A new subscription may have no head yet. */
type SubscriptionProps = Partial<Schemas["RecordHead"]> & { id: string; messages: readonly Message[] };

/** The title of a subscription is the address of its receiver. */
function Subscription({ id, title, state, messages }: SubscriptionProps) {
  const { counts, last, failures, tone } = summarizeHealth(id, messages);
  return (
    <tr>
      <td>
        <a class="receiver" href={toHref("records", ["subscriptions", id])} title={id}>
          {title ?? <ShortId id={id} />}
        </a>
      </td>
      <td>
        <State state={state} />
      </td>
      {counts.map((number, column) => (
        <td key={column} class="number">
          {number}
        </td>
      ))}
      <td>
        {last ? (
          <>
            <Badge tone={tone}>
              {last.outcome} {last.answer?.status}
            </Badge>{" "}
            <Instant at={last.at} seconds />
          </>
        ) : (
          <span class="quiet">none yet</span>
        )}
      </td>
      <td>
        {failures.length === 0 && <span class="quiet">none </span>}
        {failures.map(({ message, at, outcome, answer }) => (
          <a key={`${message.id} ${at}`} class="failure" href={toHref("webhooks", [message.id])}>
            <Instant at={at} /> {message.kind} <span class="tone bad">{answer?.status ?? outcome}</span>
          </a>
        ))}
        <RetryFailed id={id} receiver={title ?? id} isEnabled={state === "ENABLED"} hasFailed={counts[2] !== 0} />
      </td>
    </tr>
  );
}

const listDeliveries = (subscription: string, messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.deliveries
      .filter(({ subscription_id }) => subscription_id === subscription)
      .map(({ state, attempts }) => ({ message, state, attempts })),
  );

/** Returns true if the delivery has ended without success. */
const hasEndedInFailure = ({ state }: { state: string }): boolean => state === "GIVEN_UP" || state === "DROPPED";

const MAX_FAILURES = 3;

/** Summarizes a subscription: deliveries by state, and the outcome of the last attempts. Only the listed messages count. */
function summarizeHealth(subscription: string, messages: readonly Message[]) {
  const deliveries = listDeliveries(subscription, messages);
  const countIn = (wanted: string) => deliveries.filter(({ state }) => state === wanted).length;
  // On a held clock all attempts have the same time, so they stay in the order of the messages, oldest first.
  const attempts = deliveries
    .flatMap(({ message, attempts }) => attempts.map((attempt) => ({ message, ...attempt })))
    .sort((a, b) => a.at.localeCompare(b.at));
  const last = attempts.at(-1);
  const failed = deliveries.filter(hasEndedInFailure).length;
  // The last attempt shows the current state; earlier failures only warn.
  const tone = last && last.outcome !== "ACCEPTED" ? "bad" : failed > 0 ? "warn" : last ? "ok" : "quiet";
  const failures = attempts.filter(({ outcome }) => outcome !== "ACCEPTED").slice(-MAX_FAILURES);
  return {
    counts: [countIn("DELIVERED"), countIn("PENDING"), failed],
    last,
    /** The latest failed attempts, newest first. */
    failures: failures.toReversed(),
    tone,
  } as const;
}

interface RetryFailedProps {
  id: string;
  receiver: string;
  isEnabled: boolean;
  hasFailed: boolean;
}

/** Resends, to this subscription alone, each of the newest messages whose delivery has ended without success. */
function RetryFailed({ id, receiver, isEnabled, hasFailed }: RetryFailedProps) {
  const [result, setResult] = useState("");
  const retry = async () => {
    // The list on the screen may be older than the last retry.
    const { items } = await read("/_sandbox/messages", MESSAGES);
    const failed = listDeliveries(id, items).filter(hasEndedInFailure);
    for (const { message } of failed) await resendMessage(message.id, { subscription_id: id });
    setResult(`Started ${count(failed.length, "delivery", "deliveries")}. `);
  };
  const obstacle = !hasFailed ? "Nothing to retry." : isEnabled ? "" : "Enable the subscription first.";
  return (
    <>
      <ActionButton
        class="small-button"
        label={`Retry all failed to ${receiver}`}
        isDisabled={obstacle !== ""}
        run={retry}
      >
        Retry all failed
      </ActionButton>{" "}
      <span class="quiet small" role="status">
        {result}
        {obstacle}
      </span>
    </>
  );
}
