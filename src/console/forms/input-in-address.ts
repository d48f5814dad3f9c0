// What a form is filled with, in the address: a bookmark keeps it, and a colleague gets it.
import { useEffect, useState } from "preact/hooks";
import { query, setQuery } from "../router.ts";
import type { Input } from "./form-model.ts";

/** The address follows what is typed after so long, not letter by letter. */
const REST_MS = 400;

/** `begin`: what it is filled with where the address says nothing. Without a name it is not in the address. */
export function useInput(name: string | undefined, begin: Input = {}): [Input, (next: Input) => void] {
  const [input, setInput] = useState(() => (name && inputIn(query(name))) || begin);
  useEffect(() => {
    if (!name) return undefined;
    const text = JSON.stringify(input);
    const later = setTimeout(() => setQuery({ [name]: text === JSON.stringify(begin) ? undefined : text }), REST_MS);
    return () => clearTimeout(later);
  }, [input]);
  return [input, setInput];
}

/** An address is typed or cut off by people: what is no JSON object fills in nothing. */
function inputIn(text: string): Input | undefined {
  try {
    const input: unknown = JSON.parse(text);
    return typeof input === "object" && input !== null ? (input as Input) : undefined;
  } catch {
    return undefined;
  }
}
