// What came of something, in the phrases of the sandbox: in one line, or with links to the records.
import type { Phrase } from "../entries.ts";
import { href } from "../router.ts";

interface Props {
  told: readonly Phrase[];
  /** Not inside of a link. */
  linked?: boolean;
}

export function TheTold({ told, linked = false }: Props) {
  return (
    <>
      {told.map(({ text, record, tone }, index) => (
        <span key={index}>
          {index > 0 && " · "}
          <span class={tone === "warn" ? "warn-text" : undefined}>{text}</span>
          {text && record && ": "}
          {record && <Named {...record} linked={linked} />}
        </span>
      ))}
    </>
  );
}

function Named({ collection, id, title, linked }: NonNullable<Phrase["record"]> & { linked: boolean }) {
  if (!linked) return <span title={id}>{title || id}</span>;
  return (
    <a href={href("records", [collection, id])} title={id}>
      {title || id}
    </a>
  );
}
