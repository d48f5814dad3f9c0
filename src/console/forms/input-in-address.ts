// Keeps the input of a form in the address, so that it can be bookmarked and shared.
import { useEffect, useState } from "preact/hooks";
import { isObject } from "../../platform/json.ts";
import { getQuery, setQuery } from "../router.ts";
import { type Field, type Input, omitMisfits } from "./form-model.ts";

/** The address is updated when typing pauses for this time. */
const ADDRESS_DELAY_MS = 400;

interface AddressedInput {
  /** The parameter of the address that holds the input. Without a name, the address does not hold it. */
  name: string | undefined;
  /** The initial input if the address has none. */
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

/** Parses the input from the address. Returns undefined if it is not a JSON object, because people edit addresses. */
function parseInput(text: string): Input | undefined {
  try {
    const input: unknown = JSON.parse(text);
    return isObject(input) ? input : undefined;
  } catch {
    return undefined;
  }
}
