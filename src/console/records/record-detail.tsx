// One record: as it is stored, as an operation of the API answers it, and how it changed.
import { control, type Schemas, unwrap } from "../api.ts";
import { nameOf } from "../entries.ts";
import { FoundLine } from "../find.tsx";
import { useKeys } from "../keys.ts";
import { Called, CalledLink, LinkedJson } from "../parts/links.tsx";
import { Phrases } from "../parts/phrases.tsx";
import { Badge, Copy, Empty, Instant, Loading } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { href, query, setQuery, worldId } from "../router.ts";
import { newest } from "../stores/newest.ts";
import { History } from "./history.tsx";
import { toneOf } from "./names.ts";

export type CollectionName = Schemas["CollectionName"];

/** What stands under each is named by its purpose. */
const TABS = { record: "As it is kept", answer: "As the API answers", history: "History" } as const;

/** The record as it is stored, as the API answers it, or its history; the tab is in the address. */
export function OneRecord({ collection, id }: { collection: CollectionName; id: string }) {
  const params = { path: { collection, id } };
  const { data, problem } = useQuery(
    () => unwrap(control.peek().GET("/_sandbox/records/{collection}/{id}", { params })),
    [collection, id, worldId.value, newest.value],
  );
  const tab = query("tab") || "record";
  const to = (name: string) => () => setQuery({ tab: name });
  useKeys({
    r: { does: "the record as JSON", run: to("record") },
    p: { does: "as the API answers it", run: to("answer") },
    y: { does: "its history", run: to("history") },
  });
  // What is copied is what is shown.
  const body = tab === "answer" ? data?.answer?.body : data?.record;
  return (
    <section class="stack grow" aria-label={id}>
      <div class="bar">
        <h2 class="grow">{id}</h2>
        <a href={href("story", [id])}>Why?</a>
        <Copy text={() => JSON.stringify(body, null, 2)}>Copy JSON</Copy>
        <a href={href("records", [collection], { q: query("q"), pages: query("pages") })}>Close</a>
      </div>
      {data && <About {...data} />}
      {data && <Acts {...data} />}
      {data && <Related {...data} />}
      <Lately id={id} />
      <div class="bar">
        {Object.entries(TABS).map(([name, title]) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={to(name)}>
            {title}
          </button>
        ))}
        {tab === "answer" && data?.answer && <code>{data.answer.operation}</code>}
      </div>
      {tab === "history" ? <History id={id} /> : !data && <Loading problem={problem} />}
      {tab !== "history" && body !== undefined && (
        <LinkedJson value={body} label={TABS[tab as "record"] ?? id} references={data?.references ?? []} />
      )}
      {tab === "answer" && data && !data.answer && <Empty title="No operation of the API answers this record." />}
    </section>
  );
}

/** What its state allows, with this record filled in. */
function Acts({ acts }: Pick<Schemas["RecordShown"], "acts">) {
  if (acts.length === 0) return null;
  return (
    <nav class="bar fitting" aria-label="Acts on it">
      <span class="quiet">Do with it</span>
      {acts.map(({ act, summary, input }) => (
        <a key={act} href={href("acts", [act], { input: JSON.stringify(input) })} title={summary}>
          {act}
        </a>
      ))}
    </nav>
  );
}

/** What is about it, by kind: the newest of each, and how many there are. */
function Related({ related }: Pick<Schemas["RecordShown"], "related">) {
  return (
    <>
      {related.map(({ collection, count, items }) => (
        <details key={collection} open={count <= MOST_OPEN}>
          <summary>
            {collection} <span class="quiet">{count}</span>
          </summary>
          <ul class="plain-list" aria-label={`Its ${collection}`}>
            {items.map((found) => (
              <li key={found.id}>
                <FoundLine found={found} brief />
              </li>
            ))}
          </ul>
          {count > items.length && <p class="quiet small">The newest {items.length}.</p>}
        </details>
      ))}
    </>
  );
}

/** More of a kind are folded. */
const MOST_OPEN = 3;
const MOST_LATELY = 6;

/** What the log tells of it, the newest first. */
function Lately({ id }: { id: string }) {
  const kinds: Schemas["EntryKind"][] = ["request", "act"];
  const { data } = useQuery(() => {
    // The view `told` has the phrases.
    const search = { touches: id, view: "told" as const, limit: MOST_LATELY, kinds };
    return unwrap(control.peek().GET("/_sandbox/log", { params: { query: search } }));
  }, [id, worldId.value, newest.value]);
  const items = data?.items.toReversed() ?? [];
  if (items.length === 0) return null;
  return (
    <ul class="plain-list lately" aria-label="What happened to it lately">
      {items.map((entry) => (
        <li key={entry.seq} class="cut">
          <Instant at={entry.at} /> <a href={href("story", [entry.id])}>{nameOf(entry) ?? entry.id}</a>{" "}
          {"status" in entry && (
            <Badge tone={"code" in entry && entry.code ? "warn" : "ok"}>{entry.status ?? "no answer"}</Badge>
          )}{" "}
          {"told" in entry && <Phrases phrases={entry.told ?? []} />}
        </li>
      ))}
    </ul>
  );
}

/** Which one it is, and what it belongs to. */
function About({ record, head: { title, timezone, state, made_at }, references }: Schemas["RecordShown"]) {
  const email = emailOf(record);
  return (
    <>
      <p>
        <Called id={record.id} title={title} timezone={timezone} />{" "}
        {state && <Badge tone={toneOf(state)}>{state}</Badge>}{" "}
        {made_at && (
          <span class="quiet">
            <Instant at={made_at} /> UTC
          </span>
        )}
      </p>
      {email && (
        <p>
          <a href={href("records", ["bookings"], { q: email })}>All bookings of {email}</a>
        </p>
      )}
      {references.length > 0 && (
        <ul class="plain-list" aria-label="What it names">
          {references.map((named) => (
            <li key={named.id}>
              <span class="quiet">{named.collection}</span> <CalledLink {...named} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Of whom it is. */
function emailOf({ customer, email = (customer as { email?: unknown } | undefined)?.email }: Schemas["StoredRecord"]) {
  return typeof email === "string" ? email : undefined;
}
