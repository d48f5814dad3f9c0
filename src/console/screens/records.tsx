// The records of the world: the collections, the records of one, and one record as it is kept and as the API answers it.
import { useState } from "preact/hooks";
import { control, dataOf, type Schemas } from "../api.ts";
import { useAsked } from "../asked.ts";
import { Badge, Copy, Empty, Problem } from "../parts/bits.tsx";
import { LinkedJson } from "../parts/links.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { Ledger } from "../records/ledger.tsx";
import { labelOf, madeAt, stateOf } from "../records/names.ts";
import { href, query, setQuery, worldId } from "../router.ts";
import type { ScreenProps } from "../screens.tsx";
import { newest } from "../stores/newest.ts";

type Collection = Schemas["CollectionName"];

/** What people look for comes first; what the sandbox keeps for itself comes last. */
const FIRST = ["bookings", "orders", "events", "experiences", "giftCards", "tickets", "entries"];

export function Records({ rest: [collection = "bookings", id] }: ScreenProps) {
  const { data, problem } = useAsked(
    () => dataOf(control.peek().GET("/_sandbox/records")),
    [worldId.value, newest.value],
  );
  const rank = (name: string) => FIRST.indexOf(name) + 1 || FIRST.length + 1;
  const items = [...(data?.items ?? [])].sort((a, b) => rank(a.collection) - rank(b.collection));
  return (
    <>
      <nav class="tabs" aria-label="Collections">
        {items.map(({ collection: name, count }) => (
          <a key={name} href={href("records", [name])} aria-current={name === collection ? "true" : undefined}>
            {name} <span class="quiet">{count}</span>
          </a>
        ))}
        <a href={href("records", ["ledger"])} aria-current={collection === "ledger" ? "true" : undefined}>
          ledger
        </a>
      </nav>
      <Problem text={problem} />
      {collection === "ledger" ? (
        <Ledger />
      ) : (
        <Browser key={collection} collection={collection as Collection} id={id} />
      )}
    </>
  );
}

const PAGE = 200;

function Browser({ collection, id }: { collection: Collection; id: string | undefined }) {
  const [limit, setLimit] = useState(1);
  const q = query("q");
  const { data, problem, loading } = useAsked(
    () => pagesOf(collection, q, limit),
    [collection, q, limit, worldId.value, newest.value],
  );
  const items = data?.items ?? [];
  return (
    <div class={id ? "beside wide" : "beside none"}>
      <section class="column" aria-label={collection}>
        <div class="bar">
          <input
            type="search"
            class="grow"
            placeholder={`Find in ${collection}: an id, a name, a status`}
            aria-label={`Find in ${collection}`}
            value={q}
            onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
          />
          {data?.next && (
            <button type="button" onClick={() => setLimit(limit + 1)}>
              More
            </button>
          )}
        </div>
        <Problem text={problem} />
        {data?.stopped && (
          <p class="quiet small">
            {data.stopped.looked_at} of {data.stopped.of} records were searched. “More” goes on.
          </p>
        )}
        <WindowList
          label={collection}
          items={items}
          keyOf={(record) => record.id}
          line={(record) => (
            <a
              class="line record"
              href={href("records", [collection, record.id], { q, tab: query("tab") })}
              aria-current={record.id === id}
            >
              <span class="id">{record.id}</span>
              <span class="label">{labelOf(record)}</span>
              <span>{stateOf(record) && <Badge tone={toneOf(stateOf(record))}>{stateOf(record)}</Badge>}</span>
              <span class="quiet">{madeAt(record)}</span>
            </a>
          )}
          empty={
            !loading && (
              <Empty title={q ? `No record of ${collection} has “${q}”.` : `This world has no ${collection}.`} />
            )
          }
        />
      </section>
      {id && <One key={id} collection={collection} id={id} />}
    </div>
  );
}

async function pagesOf(collection: Collection, q: string, pages: number): Promise<Schemas["RecordPage"]> {
  const page = async (cursor?: string) => {
    const search = { limit: PAGE, ...(q ? { q } : {}), ...(cursor ? { cursor } : {}) };
    const params = { path: { collection }, query: search };
    return dataOf(control.peek().GET("/_sandbox/records/{collection}", { params }));
  };
  let all = await page();
  for (let at = 1; at < pages && all.next; at++) {
    const more = await page(all.next);
    all = { ...more, items: [...all.items, ...more.items] };
  }
  return all;
}

export function toneOf(state: string): "ok" | "bad" | "warn" | "quiet" {
  if (/^(ACTIVE|COMPLETED|CHECKED_IN|DELIVERED|ENABLED|PAID)$/.test(state)) return "ok";
  if (/^(CANCELLED|VOIDED|GIVEN_UP|REVOKED|FAILED|DELETED)$/.test(state)) return "bad";
  return /^(PROCESSING|PENDING|INITIATED|DISABLED)$/.test(state) ? "warn" : "quiet";
}

const TABS = { record: "As it is kept", answer: "As the API answers" } as const;

function One({ collection, id }: { collection: Collection; id: string }) {
  const params = { path: { collection, id } };
  const { data, problem } = useAsked(
    () => dataOf(control.peek().GET("/_sandbox/records/{collection}/{id}", { params })),
    [collection, id, worldId.value, newest.value],
  );
  const tab = query("tab") || "record";
  const shown = tab === "answer" ? data?.answer?.body : data?.record;
  return (
    <section class="column grow" aria-label={id}>
      <div class="bar">
        <h2 class="grow">{id}</h2>
        <a href={href("story", [id])}>Why?</a>
        <Copy text={() => JSON.stringify(shown, null, 2)}>Copy JSON</Copy>
        <a href={href("records", [collection], { q: query("q") })}>Close</a>
      </div>
      <div class="bar">
        {Object.entries(TABS).map(([name, title]) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setQuery({ tab: name })}>
            {title}
          </button>
        ))}
        {tab === "answer" && data?.answer && <code>{data.answer.operation}</code>}
      </div>
      <Problem text={problem} />
      {shown !== undefined && <LinkedJson value={shown} label={TABS[tab as "record"] ?? id} />}
      {tab === "answer" && data && !data.answer && <Empty title="No operation of the API answers this record." />}
    </section>
  );
}
