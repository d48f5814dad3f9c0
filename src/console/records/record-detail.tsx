// A record: as stored, as the API returns it, and its history.
import { type Schemas, unwrap } from "../api.ts";
import { getActionName } from "../entries.ts";
import { SearchHitLink } from "../find.tsx";
import { useKeys } from "../keys.ts";
import { LinkedJson, RecordTitle, RecordTitleLink } from "../parts/links.tsx";
import { Phrases } from "../parts/phrases.tsx";
import { Badge, Button, CopyButton, Empty, Instant, Loading } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { getQuery, setQuery, toHref } from "../router.ts";
import { worldVersion } from "../stores/world-version.ts";
import { History } from "./history.tsx";
import { getStateTone } from "./record-format.ts";

export type CollectionName = Schemas["CollectionName"];

/** The names of the tabs, by their value in the address. */
const TABS = { record: "Record", answer: "API response", history: "History" } as const;

/** A record: as stored, as the API returns it, or its history. The address holds the tab. */
export function RecordDetail({ collection, id }: { collection: CollectionName; id: string }) {
  const params = { path: { collection, id } };
  const { data, problem } = useQuery([collection, id, worldVersion.value], (api) =>
    unwrap(api.GET("/_sandbox/records/{collection}/{id}", { params })),
  );
  const tab = getQuery("tab") || "record";
  const showTab = (name: string) => () => setQuery({ tab: name });
  useKeys({
    r: { help: "the record as JSON", run: showTab("record") },
    p: { help: "as the API answers it", run: showTab("answer") },
    y: { help: "its history", run: showTab("history") },
  });
  // The copy button copies the visible JSON.
  const body = tab === "answer" ? data?.answer?.body : data?.record;
  return (
    <section class="stack grow" aria-label={id}>
      <div class="bar">
        <h2 class="grow">{id}</h2>
        <a href={toHref("story", [id])}>Why?</a>
        <CopyButton text={() => JSON.stringify(body, null, 2)}>Copy JSON</CopyButton>
        <a href={toHref("records", [collection], { q: getQuery("q"), pages: getQuery("pages") })}>Close</a>
      </div>
      {data && <RecordSummary {...data} />}
      {data && <RecordActs {...data} />}
      {data && <Related {...data} />}
      <RecentEntries id={id} />
      <div class="bar">
        {Object.entries(TABS).map(([name, title]) => (
          <Button key={name} aria-pressed={tab === name} onClick={showTab(name)}>
            {title}
          </Button>
        ))}
        {tab === "answer" && data?.answer && <code>{data.answer.operation}</code>}
      </div>
      {tab === "history" ? <History id={id} /> : !data && <Loading problem={problem} />}
      {tab !== "history" && body !== undefined && (
        <LinkedJson value={body} label={TABS[tab as "record"] ?? id} references={data?.references ?? []} />
      )}
      {tab === "answer" && data && !data.answer && <Empty title="No API operation returns this record." />}
    </section>
  );
}

/** Links to the acts that the state of the record allows. */
function RecordActs({ acts }: Pick<Schemas["RecordShown"], "acts">) {
  if (acts.length === 0) return null;
  return (
    <nav class="bar fitting" aria-label="Available acts">
      <span class="quiet">Acts</span>
      {acts.map(({ act, summary, input }) => (
        <a key={act} href={toHref("acts", [act], { input: JSON.stringify(input) })} title={summary}>
          {act}
        </a>
      ))}
    </nav>
  );
}

/** Related records by kind: the newest of each kind and the total. */
function Related({ related }: Pick<Schemas["RecordShown"], "related">) {
  return (
    <>
      {related.map(({ collection, count, items }) => (
        <details key={collection} open={count <= MAX_UNFOLDED}>
          <summary>
            {collection} <span class="quiet">{count}</span>
          </summary>
          <ul class="plain-list" aria-label={`Its ${collection}`}>
            {items.map((found) => (
              <li key={found.id}>
                <SearchHitLink hit={found} brief />
              </li>
            ))}
          </ul>
          {count > items.length && <p class="quiet small">The newest {items.length}.</p>}
        </details>
      ))}
    </>
  );
}

/** A kind with more records than this is folded. */
const MAX_UNFOLDED = 3;
const MAX_RECENT_ENTRIES = 6;

/** The latest log entries that touch the record, newest first. */
function RecentEntries({ id }: { id: string }) {
  const kinds: Schemas["EntryKind"][] = ["request", "act"];
  const { data } = useQuery([id, worldVersion.value], (api) => {
    // The view `told` includes the phrases.
    const search = { touches: id, view: "told" as const, limit: MAX_RECENT_ENTRIES, kinds };
    return unwrap(api.GET("/_sandbox/log", { params: { query: search } }));
  });
  const items = data?.items.toReversed() ?? [];
  if (items.length === 0) return null;
  return (
    <ul class="plain-list lately" aria-label="Recent entries">
      {items.map((entry) => (
        <li key={entry.seq} class="cut">
          <Instant at={entry.at} /> <a href={toHref("story", [entry.id])}>{getActionName(entry) ?? entry.id}</a>{" "}
          {"status" in entry && (
            <Badge tone={"code" in entry && entry.code ? "warn" : "ok"}>{entry.status ?? "no answer"}</Badge>
          )}{" "}
          {"told" in entry && <Phrases phrases={entry.told ?? []} />}
        </li>
      ))}
    </ul>
  );
}

/** The title and state of the record, and the records it refers to. */
function RecordSummary({ record, head: { title, timezone, state, made_at }, references }: Schemas["RecordShown"]) {
  const email = findEmail(record);
  return (
    <>
      <p>
        <RecordTitle id={record.id} title={title} timezone={timezone} />{" "}
        {state && <Badge tone={getStateTone(state)}>{state}</Badge>}{" "}
        {made_at && (
          <span class="quiet">
            <Instant at={made_at} /> UTC
          </span>
        )}
      </p>
      {email && (
        <p>
          <a href={toHref("records", ["bookings"], { q: email })}>All bookings of {email}</a>
        </p>
      )}
      {references.length > 0 && (
        <ul class="plain-list" aria-label="Referenced records">
          {references.map((named) => (
            <li key={named.id}>
              <span class="quiet">{named.collection}</span> <RecordTitleLink {...named} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Returns the email address of the customer, if the record has one. */
function findEmail({
  customer,
  email = (customer as { email?: unknown } | undefined)?.email,
}: Schemas["StoredRecord"]) {
  return typeof email === "string" ? email : undefined;
}
