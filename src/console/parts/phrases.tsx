// The outcome of something, in the phrases of the sandbox: in one line, or with links to the records.
import type { Phrase } from "../entries.ts";
import { RecordTitle, RecordTitleLink, StoryLink } from "./links.tsx";

interface PhrasesProps {
  phrases: readonly Phrase[];
  /** Not inside of a link. */
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

/** Ids of requests within a phrase; the split keeps them at odd places. */
const REQUEST = /(req-[\da-f]+-\d+)/;

const PhraseWithLinks = ({ text }: { text: string }) => (
  <>{text.split(REQUEST).map((part, index) => (index % 2 === 1 ? <StoryLink key={index} id={part} /> : part))}</>
);

/** A record by its title, with a link to it unless the whole line is one. */
function PhraseRecord({ linked, ...record }: NonNullable<Phrase["record"]> & { linked: boolean }) {
  // A link within a link is no HTML.
  return linked ? <RecordTitleLink {...record} /> : <RecordTitle {...record} />;
}
