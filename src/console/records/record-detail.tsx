// A record: as stored, as the API returns it, and its history.
import type { Schemas } from "../api.ts";
import { getActionName } from "../entries.ts";
import { SearchHitLink } from "../find.tsx";
import { useKeys } from "../keys.ts";
import { CauseLabel, ChangeBadge, MemberTable } from "../parts/changes.tsx";
import { LinkedJson, Phrases, RecordTitle, RecordTitleLink } from "../parts/links.tsx";
import { Badge, Button, CopyButton, Empty, Instant, Loading, State } from "../parts/primitives.tsx";
import { useRead } from "../query.ts";
import { getQuery, setQuery, toHref } from "../router.ts";

export type CollectionName = Schemas["CollectionName"];

/** The names of the tabs, by their value in the address. */
const TABS = { record: "Record", answer: "API response", history: "History" } as const;

export function RecordDetail({ collection, id }: { collection: CollectionName; id: string }) {
  const { data, problem } = useRead("/_sandbox/records/{collection}/{id}", { path: { collection, id } });
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
        <LinkedJson value={body} label={TABS[tab as "record"] ?? id} references={data?.references} />
      )}
      {tab === "answer" && data && !data.answer && <Empty title="No API operation returns this record." />}
    </section>
  );
}

/** Links to the acts that the state of the record allows. */
function RecordActs({ acts }: Pick<Schemas["RecordShown"], "acts">) {
  if (acts.length === 0) return null;
  return (
    <nav class="bar" aria-label="Available acts">
      <span class="quiet">Acts</span>
      {acts.map(({ act, summary, input }) => (
        <a key={act} href={toHref("acts", [act], { input: JSON.stringify(input) })} title={summary}>
          {act}
        </a>
      ))}
    </nav>
  );
}

/** A kind with more records than this is folded. */
const MAX_UNFOLDED = 3;
const MAX_RECENT_ENTRIES = 6;

/** Related records by kind: the newest of each kind and the total. */
const Related = ({ related }: Pick<Schemas["RecordShown"], "related">) => (
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

/** The latest log entries that touch the record, newest first. */
function RecentEntries({ id }: { id: string }) {
  const { data } = useRead("/_sandbox/log", {
    // The view `told` includes the phrases.
    query: { touches: id, view: "told", limit: MAX_RECENT_ENTRIES, kinds: ["request", "act"] },
  });
  if (!data || data.items.length === 0) return null;
  return (
    <ul class="plain-list small" aria-label="Recent entries">
      {data.items.toReversed().map((entry) => (
        <li key={entry.seq} class="cut">
          <Instant at={entry.at} /> <a href={toHref("story", [entry.id])}>{getActionName(entry) ?? entry.id}</a>{" "}
          {"status" in entry && (
            <Badge tone={"code" in entry && entry.code ? "warn" : "ok"}>{entry.status ?? "no answer"}</Badge>
          )}{" "}
          {"told" in entry && <Phrases phrases={entry.told} />}
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
        <RecordTitle id={record.id} title={title} timezone={timezone} /> <State state={state} />{" "}
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

/** Every stored change of the record, newest first: time, cause and changed fields. */
function History({ id }: { id: string }) {
  const { data, problem } = useRead("/_sandbox/history/{id}", { path: { id } });
  if (!data) return <Loading problem={problem} />;
  if (data.items.length === 0)
    return (
      <Empty title="No changes recorded.">
        <p>The history starts at change {data.kept.from}. Earlier changes are not kept.</p>
      </Empty>
    );
  return (
    <ol class="plain-list history">
      {data.items.toReversed().map(({ seq, at, wall_at, cause, change, members }) => (
        <li key={seq} class="panel">
          <p class="bar">
            <ChangeBadge change={change} /> by <CauseLabel cause={cause} />
            <span class="grow" />
            <span class="quiet" title={`Real time ${wall_at}`}>
              <Instant at={at} seconds /> · change {seq}
            </span>
          </p>
          <MemberTable change={change} members={members} />
        </li>
      ))}
    </ol>
  );
}
