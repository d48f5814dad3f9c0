// Links to records and stories by id, phrases and JSON in which records are links.
import type { Schemas } from "../api.ts";
import { toHref } from "../router.ts";
import { Code, Title } from "./primitives.tsx";

/** Lengths in characters. A UUID is shortened, an id of a fixture is not. */
const [LONGEST, BEGINNING, END] = [18, 8, 6];

/** Shows the beginning and the end of a long id. The middle is invisible, but can be copied, searched and read aloud. */
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

interface RecordTitleProps {
  id: string;
  title?: string | undefined;
  timezone?: string | undefined;
  class?: string;
}

/** The title of a record. The tooltip has the id, and the time zone of local times. */
export const RecordTitle = ({ id, title, timezone, ...props }: RecordTitleProps) => (
  <span {...props} title={timezone ? `${id}, local time of ${timezone}` : id}>
    <Title text={title || id} />
  </span>
);

/** The title of a record as a link to the record. */
export const RecordTitleLink = ({ collection, ...record }: RecordTitleProps & { collection: string }) => (
  <a href={toHref("records", [collection, record.id])}>
    <RecordTitle {...record} />
  </a>
);

/** A link to the story of a request, an act, a clock move, a message or a delivery. */
export const StoryLink = ({ id }: { id: string }) => (
  <a href={toHref("story", [id])}>
    <ShortId id={id} />
  </a>
);

interface PhrasesProps {
  phrases: readonly Schemas["Phrase"][] | undefined;
  /** Shows records as links. Must be false inside a link. */
  linked?: boolean;
}

/** The outcome of a story in the phrases of the sandbox, in one line. */
export const Phrases = ({ phrases = [], linked = false }: PhrasesProps) => (
  <>
    {phrases.map(({ text, record, tone }, index) => (
      <span key={index}>
        {index > 0 && " · "}
        <span class={tone === "warn" ? "tone warn" : undefined}>{linked ? linkRequests(text) : text}</span>
        {text && record && ": "}
        {record && (linked ? <RecordTitleLink {...record} /> : <RecordTitle {...record} />)}
      </span>
    ))}
  </>
);

/** Request ids within a phrase. The capturing group makes `split` keep them at odd indexes. */
const REQUEST = /(req-[\da-f]+-\d+)/;

const linkRequests = (text: string) =>
  text.split(REQUEST).map((part, index) => (index % 2 === 1 ? <StoryLink key={index} id={part} /> : part));

interface LinkedJsonProps {
  value: unknown;
  label: string;
  references: readonly Schemas["RecordReference"][] | undefined;
}

/** Indented JSON in which the ids of records are links. */
export function LinkedJson({ value, label, references = [] }: LinkedJsonProps) {
  const links = new Map(references.map((each) => [JSON.stringify(each.id), each]));
  const text = JSON.stringify(value, null, 2) ?? "";
  // A string at the end of a line is a value; a string before a colon is a property name.
  const pieces = text.split(/("(?:[^"\\]|\\.)*")(?=,?\n|$)/);
  return (
    <Code label={label}>
      {pieces.map((piece) => {
        const link = links.get(piece);
        if (!link) return piece;
        return [
          '"',
          <a key={piece} href={toHref("records", [link.collection, link.id])} title={link.title}>
            {link.id}
          </a>,
          '"',
        ];
      })}
    </Code>
  );
}
