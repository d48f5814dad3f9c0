// The outcome of a story in the phrases of the sandbox, in one line, with or without links.
import type { Phrase } from "../entries.ts";
import { RecordTitle, RecordTitleLink, StoryLink } from "./links.tsx";

interface PhrasesProps {
  phrases: readonly Phrase[];
  /** Shows records as links. Must be false inside a link. */
  linked?: boolean;
}

export function Phrases({ phrases, linked = false }: PhrasesProps) {
  return (
    <>
      {phrases.map(({ text, record, tone }, index) => (
        <span key={index}>
          {index > 0 && " · "}
          <span class={tone === "warn" ? "warn-text" : undefined}>
            {linked ? <PhraseWithLinks text={text} /> : text}
          </span>
          {text && record && ": "}
          {record && <PhraseRecord {...record} linked={linked} />}
        </span>
      ))}
    </>
  );
}

/** Request ids within a phrase. The capturing group makes `split` keep them at odd indexes. */
const REQUEST = /(req-[\da-f]+-\d+)/;

const PhraseWithLinks = ({ text }: { text: string }) => (
  <>{text.split(REQUEST).map((part, index) => (index % 2 === 1 ? <StoryLink key={index} id={part} /> : part))}</>
);

/** The title of a record, as a link unless the line itself is a link. */
function PhraseRecord({ linked, ...record }: NonNullable<Phrase["record"]> & { linked: boolean }) {
  // HTML does not allow links inside links.
  return linked ? <RecordTitleLink {...record} /> : <RecordTitle {...record} />;
}
