// The records screen: the collections, the records of one collection, and one record in detail.

import { read, type Schemas } from "../api.ts";
import { Filter } from "../parts/actions.tsx";
import { RecordTitle, ShortId } from "../parts/links.tsx";
import { Button, Empty, formatInstant, Loading, Problem, State } from "../parts/primitives.tsx";
import { Headings } from "../parts/table.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { useDebounced, useQuery, useRead } from "../query.ts";
import { Ledger } from "../records/ledger.tsx";
import { type CollectionName, RecordDetail } from "../records/record-detail.tsx";
import { getQuery, type ScreenProps, setQuery, toHref } from "../router.ts";
import { worldVersion } from "../store.ts";

export function Records({ rest: [collection = "bookings", id] }: ScreenProps) {
  const { data, problem } = useRead("/_sandbox/records");
  const items = data?.items ?? [];
  return (
    <>
      <nav class="tabs" aria-label="Collections">
        {items.map(({ collection: name, label, count }) => (
          <a key={name} href={toHref("records", [name])} aria-current={name === collection ? "true" : undefined}>
            {label} <span class="quiet">{count}</span>
          </a>
        ))}
        <a href={toHref("records", ["ledger"])} aria-current={collection === "ledger" ? "true" : undefined}>
          ledger
        </a>
      </nav>
      <Problem text={problem} />
      {/* The ledger is not a collection, but users look for the books here. */}
      {collection === "ledger" ? (
        <Ledger />
      ) : (
        // A new key drops the list of the previous collection.
        <Browser key={collection} collection={collection as CollectionName} id={id} />
      )}
    </>
  );
}

/** The records per request, and the requests per search. Small requests let the sandbox serve others in between. */
const [PAGE_SIZE, MAX_SEARCH_REQUESTS] = [200, 10];

function Browser({ collection, id }: { collection: CollectionName; id: string | undefined }) {
  // The address holds the number of pages, so that the back button restores it.
  const limit = Number(getQuery("pages")) || 1;
  const typed = getQuery("q");
  // The search starts when typing pauses.
  const q = useDebounced(typed);
  const { data, problem, loading } = useQuery([collection, q, limit, worldVersion.value], (isCurrent) =>
    loadPages(collection, q, limit, isCurrent),
  );
  const items = data?.items ?? [];
  return (
    <div class={id ? "beside even" : "beside none"}>
      <section class="stack" aria-label={collection}>
        <div class="bar">
          <Filter
            label={`Find in ${collection}`}
            placeholder={`Find in ${collection}: an id, a name, a status`}
            class="grow"
          />
          {data?.next && <Button onClick={() => setQuery({ pages: String(limit + 1) })}>More</Button>}
        </div>
        <Problem text={problem} />
        {data?.stopped && (
          <p class="quiet small" role="status">
            {data.stopped.looked_at} of {data.stopped.of} records were searched
            {items.length === 0 && `, none has “${q}”`}. Select “More” to continue.
          </p>
        )}
        <Headings look="line record" names={["Id", "What", "State", "Made (UTC)"]} />
        <WindowList
          label={collection}
          items={items}
          keyOf={(record) => record.id}
          line={(record) => (
            <a
              class="line record"
              href={toHref("records", [collection, record.id], {
                q: typed,
                tab: getQuery("tab"),
                pages: getQuery("pages"),
              })}
              aria-current={record.id === id}
            >
              <ShortId id={record.id} />
              <RecordLine id={record.id} {...data?.heads[record.id]} />
            </a>
          )}
          empty={
            loading ? (
              <Loading />
            ) : (
              !problem &&
              !data?.stopped && (
                <Empty title={q ? `No record of ${collection} has “${q}”.` : `This world has no ${collection}.`}>
                  <p>
                    Requests and <a href={toHref("acts")}>acts</a> make records; <a href={toHref("worlds")}>a world</a>{" "}
                    of another fixture may have some.
                  </p>
                </Empty>
              )
            )
          }
        />
      </section>
      {id && <RecordDetail key={id} collection={collection} id={id} />}
    </div>
  );
}

/** The columns of a record. Not every collection has all of them. */
function RecordLine({ id, title, timezone, state, made_at }: Partial<Schemas["RecordHead"]> & { id: string }) {
  return (
    <>
      <RecordTitle class="label" id={id} title={title} timezone={timezone} />
      <span>
        <State state={state} />
      </span>
      <span class="quiet">{formatInstant(made_at ?? "")}</span>
    </>
  );
}

/**
 * Loads pages one at a time, because each names the next. A search stops after enough matches or enough searched
 * records.
 */
async function loadPages(
  collection: CollectionName,
  q: string,
  pages: number,
  isCurrent: () => boolean,
): Promise<Schemas["RecordPage"]> {
  const most = pages * (q ? MAX_SEARCH_REQUESTS : 1);
  let all: Schemas["RecordPage"] = { items: [], heads: {} };
  // All pages are reloaded after each change, because they must show one state of the world.
  for (let at = 0; at < most && isCurrent() && all.items.length < pages * PAGE_SIZE; at++) {
    const query = { limit: PAGE_SIZE, q: q || undefined, cursor: all.next };
    const more = await read("/_sandbox/records/{collection}", { path: { collection }, query });
    const looked = (all.stopped?.looked_at ?? 0) + (more.stopped?.looked_at ?? 0);
    all = { ...more, items: [...all.items, ...more.items], heads: { ...all.heads, ...more.heads } };
    if (all.stopped) all.stopped = { ...all.stopped, looked_at: looked };
    if (!all.next) break;
  }
  return all;
}
