// The search dialog. It finds records and log entries by id or text; Enter opens the first.
import { signal } from "@preact/signals";
import { control, type Schemas, unwrap } from "./api.ts";
import { Dialog } from "./parts/dialog.tsx";
import { RecordTitle, ShortId } from "./parts/links.tsx";
import { Badge, Problem } from "./parts/primitives.tsx";
import { useDebounced } from "./parts/use-debounced.ts";
import { useQuery } from "./query.ts";
import { getStateTone } from "./records/record-format.ts";
import { getQuery, navigate, setQuery, toHref } from "./router.ts";

/** The dialog is open while this is true, or while the address has a search text. */
export const isFindOpen = signal(false);

type SearchHit = Schemas["Found"];

const close = () => {
  isFindOpen.value = false;
  setQuery({ find: undefined });
};

interface SearchHitLinkProps {
  hit: SearchHit;
  /** Leaves out the collection and the id, for lists below a heading that names the collection. */
  brief?: boolean;
  onFollow?: () => void;
}

/** A found record or log entry as a row. */
export function SearchHitLink({ hit, brief = false, onFollow }: SearchHitLinkProps) {
  return (
    <a class={brief ? "line found brief" : "line found"} href={toHitHref(hit)} onClick={onFollow}>
      {!brief && <span class="quiet">{hit.collection ?? "log"}</span>}
      <RecordTitle class="label" id={hit.id} title={hit.title} timezone={hit.timezone} />
      {hit.state && <Badge tone={getStateTone(hit.state)}>{hit.state}</Badge>}
      {!brief && <ShortId id={hit.id} />}
    </a>
  );
}

const toHitHref = ({ collection, id }: SearchHit): string =>
  collection === "messages"
    ? toHref("webhooks", [id])
    : collection
      ? toHref("records", [collection, id])
      : toHref("story", [id]);

/** The search dialog for records, messages and stories. The address holds the text. */
export function Find() {
  const text = getQuery("find");
  // The search starts when typing pauses.
  const q = useDebounced(text.trim());
  const { data, problem, loading } = useQuery([q], () => loadHits(q));
  const { items = [], stopped = [] } = data ?? {};
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    // Enter may be pressed before the list arrives, so the search is repeated.
    void loadHits(text.trim()).then(({ items: [first] }) => {
      if (!first) return;
      navigate(toHitHref(first));
      isFindOpen.value = false;
    });
  };
  return (
    <Dialog title="Find" onClose={close}>
      <form class="column" onSubmit={open}>
        <input
          type="search"
          aria-label="An id, an order number, a name, an e-mail address"
          placeholder="An id, an order number, a name, an e-mail address"
          value={text}
          onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
        />
        <Problem text={problem} />
        <ul class="plain-list" aria-label="Found">
          {items.map((hit) => (
            <li key={`${hit.collection} ${hit.id}`}>
              <SearchHitLink hit={hit} onFollow={() => (isFindOpen.value = false)} />
            </li>
          ))}
        </ul>
        <p class="quiet" role="status">
          {q === ""
            ? "Type an id, an order number, a name or an e-mail address."
            : loading
              ? "Searching …"
              : items.length + stopped.length === 0
                ? `No results for “${q}”.`
                : ""}
          {/* The screen of the collection can continue a stopped search. */}
          {stopped.map(({ collection, looked_at, of }) => (
            <a class="line" href={toHref("records", [collection], { q })} onClick={() => (isFindOpen.value = false)}>
              {collection}: only the newest {looked_at} of {of} were searched
            </a>
          ))}
        </p>
      </form>
    </Dialog>
  );
}

async function loadHits(q: string): Promise<Schemas["FoundList"]> {
  if (q === "") return { items: [] };
  return unwrap(control.peek().GET("/_sandbox/find", { params: { query: { q } } }));
}
