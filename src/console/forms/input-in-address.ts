// What a form is filled with, in the address: a bookmark keeps it, and a colleague gets it.
import { useEffect, useState } from "preact/hooks";
import { isObject } from "../../platform/json.ts";
import { getQuery, setQuery } from "../router.ts";
import { type Field, type Input, omitMisfits } from "./form-model.ts";

/** The address follows what is typed after so long, not letter by letter. */
const ADDRESS_DELAY_MS = 400;

interface AddressedInput {
  /** Of the member of the address; without one it is not in the address. */
  name: string | undefined;
  /** What it is filled with where the address says nothing. */
  begin?: Input;
  fields: readonly Field[];
}

export function useAddressInput({ name, begin = {}, fields }: AddressedInput): [Input, (next: Input) => void] {
  const [given, setInput] = useState(() => (name && parseInput(getQuery(name))) || begin);
  const input = omitMisfits(given, fields);
  const text = JSON.stringify(input);
  useEffect(() => {
    if (!name) return undefined;
    const update = () => setQuery({ [name]: text === JSON.stringify(begin) ? undefined : text });
    const timer = setTimeout(update, ADDRESS_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [input, setInput];
}

/** An address is typed or cut off by people: what is no JSON object fills in nothing. */
function parseInput(text: string): Input | undefined {
  try {
    const input: unknown = JSON.parse(text);
    return isObject(input) ? input : undefined;
  } catch {
    return undefined;
  }
}
