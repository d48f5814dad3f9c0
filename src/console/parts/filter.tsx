// A search field whose text is in the address, so that bookmarks keep it.
import { getQuery, setQuery } from "../router.ts";

interface FilterProps {
  label: string;
  /** The default is the label. */
  placeholder?: string;
  /** The parameter of the address that holds the text. */
  name?: string;
  class?: string;
}

/** A search field that writes its text to the address, where the screen reads it. */
export function Filter({ label, placeholder = label, name = "q", class: style }: FilterProps) {
  return (
    <input
      type="search"
      class={style}
      placeholder={placeholder}
      aria-label={label}
      value={getQuery(name)}
      onInput={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    />
  );
}
