// Links to what has an id: a record among the records, anything in a story; and JSON in which the ids of records can be followed.
import type { Schemas } from "../api.ts";
import { piecesOf } from "../records/names.ts";
import { href } from "../router.ts";

const [LONGEST, BEGINNING, END] = [18, 8, 6];

/** The beginning and the end of a long id. Its middle is there and takes no room: it is copied, found and read out with the rest. */
export function ShortId({ id }: { id: string }) {
  if (id.length <= LONGEST) return <span class="id">{id}</span>;
  return (
    <span class="id" title={id}>
      {id.slice(0, BEGINNING)}
      <span class="middle">{id.slice(BEGINNING, -END)}</span>
      {id.slice(-END)}
    </span>
  );
}

/** What a record is called; on hover its id, and the zone of the local time in it. */
export const Called = ({ id, title, timezone, class: look }: CalledProps) => (
  <span class={look} title={timezone ? `${id}, local time of ${timezone}` : id}>
    {title || id}
  </span>
);

interface CalledProps {
  id: string;
  title?: string | undefined;
  timezone?: string | undefined;
  class?: string;
}

export function RecordLink({ collection, id }: { collection: string; id: string }) {
  return (
    <a href={href("records", [collection, id])}>
      <ShortId id={id} />
    </a>
  );
}

/** A request, an act, a move of the clock, a message or a delivery. */
export function StoryLink({ id }: { id: string }) {
  return (
    <a href={href("story", [id])}>
      <ShortId id={id} />
    </a>
  );
}

interface Linked {
  value: unknown;
  label: string;
  references: readonly Schemas["RecordReference"][];
}

export function LinkedJson({ value, label, references }: Linked) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class="code" aria-label={label} tabIndex={0}>
      <pre>
        {piecesOf(value, references).map(({ text, link }) =>
          link ? (
            <a href={href("records", [link.collection, link.id])} title={link.title}>
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
