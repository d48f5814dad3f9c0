// A field whose text is in the address, so that a bookmark keeps it.
import { getQuery, setQuery } from "../router.ts";

interface FilterProps {
  label: string;
  /** Default: the label. */
  placeholder?: string;
  /** Of the member of the address. */
  name?: string;
  class?: string;
}

/** What is typed goes to the address, where the screen reads it. */
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
