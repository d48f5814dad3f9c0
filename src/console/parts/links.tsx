// Links to records and stories by id, and JSON in which record ids are links.
import { useState } from "preact/hooks";
import { control, type Schemas, unwrap } from "../api.ts";
import { splitJson } from "../records/record-format.ts";
import { toHref } from "../router.ts";
import { Title } from "./primitives.tsx";

/** Lengths in characters. A UUID is shortened, an id of a fixture is not. */
const [LONGEST, BEGINNING, END] = [18, 8, 6];

/**
 * Shows the beginning and the end of a long id. The middle is invisible, but can be copied, searched and read aloud.
 */
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

/** The title of a record. The tooltip has the id, and the time zone of local times. */
export const RecordTitle = ({ id, title, timezone, class: look }: RecordTitleProps) => (
  <span class={look} title={timezone ? `${id}, local time of ${timezone}` : id}>
    <Title text={title || id} />
  </span>
);

/** The title of a record as a link to the record. */
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

/** A link to the story of a request, an act, a clock move, a message or a delivery. */
export const StoryLink = ({ id }: { id: string }) => <IdLink screen="story" rest={[id]} />;

interface IdLinkProps {
  screen: string;
  /** The path below the screen; its last part is the id. */
  rest: readonly string[];
  /** The visible text; the default is the id. */
  text?: string;
}

/** A link to anything with an id. Its tooltip describes the target once the pointer or the focus is on it. */
export function IdLink({ screen, rest, text }: IdLinkProps) {
  const id = rest.at(-1) ?? "";
  const [description, setDescription] = useState("");
  const loadDescription = () => {
    // The description is loaded once, and only when it is needed.
    if (description === "") void describeId(id).then(setDescription, () => undefined);
  };
  return (
    <a href={toHref(screen, rest)} onPointerEnter={loadDescription} onFocus={loadDescription}>
      <ShortId id={text ?? id} title={description || id} />
    </a>
  );
}

/** Describes an id, such as "bookings: Anna Holm · 2030-06-01 19:00 · Canal tour · ACTIVE". */
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

/** JSON in which the ids of records are links. The `label` is for screen readers, because the box can be focused. */
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
