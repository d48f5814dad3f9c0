// Links to what has an id: a record among the records, anything in a story; and JSON in which the ids of records can be followed.
import { useState } from "preact/hooks";
import { control, type Schemas, unwrap } from "../api.ts";
import { splitJson } from "../records/record-format.ts";
import { toHref } from "../router.ts";
import { Title } from "./primitives.tsx";

/** Characters: a UUID is cut, an id of a fixture is not. */
const [LONGEST, BEGINNING, END] = [18, 8, 6];

/** The beginning and the end of a long id. Its middle is there and takes no room: it is copied, found and read out with the rest. */
export function ShortId({ id, title = id }: { id: string; title?: string }) {
  const isShort = id.length <= LONGEST;
  return (
    <span class="id" title={isShort && title === id ? undefined : title}>
      {isShort ? (
        id
      ) : (
        <>
          {id.slice(0, BEGINNING)}
          <span class="middle">{id.slice(BEGINNING, -END)}</span>
          {id.slice(-END)}
        </>
      )}
    </span>
  );
}

/** What a record is called; on hover its id, and the zone of the local time in it. */
export const RecordTitle = ({ id, title, timezone, class: look }: RecordTitleProps) => (
  <span class={look} title={timezone ? `${id}, local time of ${timezone}` : id}>
    <Title text={title || id} />
  </span>
);

/** The same, which leads to it. */
export const RecordTitleLink = ({ collection, ...record }: RecordTitleProps & { collection: string }) => (
  <a href={toHref("records", [collection, record.id])}>
    <RecordTitle {...record} />
  </a>
);

interface RecordTitleProps {
  id: string;
  title?: string | undefined;
  timezone?: string | undefined;
  class?: string;
}

export const RecordLink = ({ collection, id }: { collection: string; id: string }) => (
  <IdLink screen="records" rest={[collection, id]} />
);

/** A request, an act, a move of the clock, a message or a delivery. */
export const StoryLink = ({ id }: { id: string }) => <IdLink screen="story" rest={[id]} />;

interface IdLinkProps {
  screen: string;
  /** The id is the last of it. */
  rest: readonly string[];
  /** What is read; otherwise the id. */
  text?: string;
}

/** A link to what has the id; once the pointer or the focus is on it, it says what that is, in the words of the sandbox. */
export function IdLink({ screen, rest, text }: IdLinkProps) {
  const id = rest.at(-1) ?? "";
  const [description, setDescription] = useState("");
  const loadDescription = () => {
    // Asked once, and only where somebody points.
    if (description === "") void describeId(id).then(setDescription, () => undefined);
  };
  return (
    <a href={toHref(screen, rest)} onPointerEnter={loadDescription} onFocus={loadDescription}>
      <ShortId id={text ?? id} title={description || id} />
    </a>
  );
}

/** "bookings: Anna Holm · 2030-06-01 19:00 · Canal tour · ACTIVE" */
async function describeId(id: string): Promise<string> {
  const { items } = await unwrap(control.peek().GET("/_sandbox/find", { params: { query: { q: id } } }));
  const [found] = items.filter((each) => each.id === id);
  if (!found) return id;
  const { collection = "log", title, state } = found;
  return `${collection}: ${[...new Set([title, state, id])].filter(Boolean).join(" · ")}`;
}

interface LinkedJsonProps {
  value: unknown;
  label: string;
  references: readonly Schemas["RecordReference"][];
}

/** `label`: for readers of the screen, since the box takes the focus. */
export function LinkedJson({ value, label, references }: LinkedJsonProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class="code" aria-label={label} tabIndex={0}>
      <pre>
        {splitJson(value, references).map(({ text, link }) =>
          link ? (
            <a href={toHref("records", [link.collection, link.id])} title={link.title}>
              {text}
            </a>
          ) : (
            text
          ),
        )}
      </pre>
    </section>
  );
}
