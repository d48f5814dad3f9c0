// The webhooks screen: subscriptions, messages, and one message in detail.

import { NO_SUBSCRIBER } from "../../platform/states-text.ts";
import { type Schemas, unwrap } from "../api.ts";
import { Filter } from "../parts/filter.tsx";
import { RecordTitle, ShortId } from "../parts/links.tsx";
import { Badge, Empty, Instant, Loading, Problem } from "../parts/primitives.tsx";
import { Headings } from "../parts/table.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { useQuery } from "../query.ts";
import { getStateTone } from "../records/record-format.ts";
import { getQuery, toHref, worldId } from "../router.ts";
import type { ScreenProps } from "../screen.ts";
import { worldVersion } from "../stores/world-version.ts";
import { MessageDetail } from "../webhooks/message.tsx";
import { type Message, readMessages } from "../webhooks/messages.ts";
import { Subscriptions } from "../webhooks/subscriptions.tsx";

/** The maximum that the sandbox lists in one response. */
const MAX_RECORDS = 500;

export function Webhooks({ rest: [id] }: ScreenProps) {
  // Each new log entry reloads the lists.
  const because = [worldVersion.value];
  const { data, problem, reload } = useQuery(because, readMessages);
  const subscribed = useQuery(because, (api) => {
    const params = { path: { collection: "subscriptions" as const }, query: { limit: MAX_RECORDS } };
    return unwrap(api.GET("/_sandbox/records/{collection}", { params }));
  });
  const words = getQuery("q").toLowerCase();
  // Messages are listed newest first.
  const messages = (data?.items ?? []).toReversed();
  const listed = messages.filter((message) => getSearchText(message).includes(words));
  return (
    <>
      <Problem text={problem ?? subscribed.problem} />
      {subscribed.data && <Subscriptions {...subscribed.data} messages={messages} onSent={reload} />}
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
            narrow={48}
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
        {id && (
          <SelectedMessage
            key={`${worldId.value} ${id}`}
            id={id}
            listed={messages.find((message) => message.id === id)}
            subscriptions={subscribed.data}
            onSent={reload}
          />
        )}
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

interface SelectedMessageProps {
  id: string;
  listed: Message | undefined;
  subscriptions: Schemas["RecordPage"] | undefined;
  onSent: () => void;
}

/** The message of the address, even if the list does not contain it. */
function SelectedMessage({ id, listed, subscriptions, onSent }: SelectedMessageProps) {
  const params = { path: { messageId: id } };
  const { data, problem, reload } = useQuery([worldVersion.value], (api) =>
    unwrap(api.GET("/_sandbox/messages/{messageId}", { params })),
  );
  const message = data ?? listed;
  const onSentAgain = () => {
    reload();
    onSent();
  };
  return message ? (
    <MessageDetail message={message} subscriptions={subscriptions} onSent={onSentAgain} />
  ) : (
    <Loading problem={problem} />
  );
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
            <Badge tone={getStateTone(state)}>{state}</Badge>{" "}
            {attempts.length > 1 && <span class="quiet small">{attempts.length} attempts</span>}
          </span>
        ))}
      </span>
      <span class="quiet">
        <Instant at={created_at} />
      </span>
    </a>
  );
}
