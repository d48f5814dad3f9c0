// The search dialog. It finds records and log entries by id or text; Enter opens the first.
import { read, type Schemas } from "./api.ts";
import { openDialog } from "./keys.ts";
import { Dialog, Filter } from "./parts/actions.tsx";
import { RecordTitle, ShortId } from "./parts/links.tsx";
import { Problem, State } from "./parts/primitives.tsx";
import { useDebounced, useQuery } from "./query.ts";
import { getQuery, navigate, setQuery, toHref } from "./router.ts";

interface SearchHitLinkProps {
  hit: Schemas["Found"];
  /** Leaves out the collection and the id, for lists below a heading that names the collection. */
  brief?: boolean;
}

/** A found record or log entry as a row. */
export const SearchHitLink = ({ hit, brief = false }: SearchHitLinkProps) => (
  <a class={brief ? "line found brief" : "line found"} href={toHitHref(hit)} onClick={close}>
    {!brief && <span class="quiet">{hit.collection ?? "log"}</span>}
    <RecordTitle class="label" id={hit.id} title={hit.title} timezone={hit.timezone} />
    <State state={hit.state} />
    {!brief && <ShortId id={hit.id} />}
  </a>
);

const toHitHref = ({ collection, id }: Schemas["Found"]): string =>
  collection === "messages"
    ? toHref("webhooks", [id])
    : collection
      ? toHref("records", [collection, id])
      : toHref("story", [id]);

/** The dialog is open while this names it, or while the address has a search text. */
const close = () => {
  openDialog.value = "";
};

const LABEL = "An id, an order number, a name, an e-mail address";

/** The search dialog for records, messages and stories. The address holds the text. */
export function Find() {
  const text = getQuery("find").trim();
  // The search starts when typing pauses.
  const q = useDebounced(text);
  const { data, problem, loading } = useQuery([q], () => loadHits(q));
  const { items = [], stopped = [] } = data ?? {};
  const open = async (event: SubmitEvent) => {
    event.preventDefault();
    // Enter may be pressed before the list arrives, so the search is repeated.
    const [first] = (await loadHits(text)).items;
    if (!first) return;
    navigate(toHitHref(first));
    close();
  };
  const cancel = () => {
    close();
    setQuery({ find: undefined });
  };
  return (
    <Dialog title="Find" onClose={cancel}>
      <form class="stack" onSubmit={(event) => void open(event).catch(() => undefined)}>
        <Filter label={LABEL} name="find" />
        <Problem text={problem} />
        <ul class="plain-list" aria-label="Found">
          {items.map((hit) => (
            <li key={`${hit.collection} ${hit.id}`}>
              <SearchHitLink hit={hit} />
            </li>
          ))}
        </ul>
        <p class="quiet" role="status">
          {q !== "" && loading && "Searching …"}
          {q !== "" && !loading && items.length + stopped.length === 0 && `No results for “${q}”.`}
          {/* The screen of the collection can continue a stopped search. */}
          {stopped.map(({ collection, looked_at, of }) => (
            <a key={collection} class="line" href={toHref("records", [collection], { q })} onClick={close}>
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
  return read("/_sandbox/find", { query: { q } });
}
