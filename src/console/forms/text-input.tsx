// A text input with suggestions.
import { useId, useState } from "preact/hooks";
import { getValue } from "../../platform/member-paths.ts";
import { useQuery } from "../query.ts";
import { formatValue, parseText, withValue } from "./form-model.ts";
import type { MemberProps } from "./form-props.ts";
import { loadSuggestions } from "./suggestions.ts";

/** An input for text or numbers, with suggestions if the field names a record. */
export function TextInput({ field, path, input, onChange }: MemberProps) {
  const id = useId();
  const [isActive, setActive] = useState(false);
  const value = formatValue(getValue(input, path));
  // The typed text is kept unchanged: "1." must not become "1" during typing.
  const [typed, setTyped] = useState(value);
  const text = formatValue(parseText(field, typed)) === value ? typed : value;
  const { picks } = field;
  const { data = [] } = useQuery(
    // Suggestions are reloaded on every focus, because they depend on other fields and on new records.
    [picks, isActive, isActive ? text : ""],
    async () => (picks && isActive ? loadSuggestions(picks, text, input) : []),
  );
  const change = (event: Event) => {
    const now = (event.currentTarget as HTMLInputElement).value;
    setTyped(now);
    onChange(withValue(input, path, parseText(field, now)));
  };
  return (
    <>
      <input
        value={text}
        placeholder={field.example && `such as ${field.example}`}
        list={picks ? id : undefined}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => setActive(true)}
        onBlur={() => setActive(false)}
        onInput={change}
      />
      {picks && (
        <datalist id={id}>
          {data.map((each) => (
            <option key={each.value} value={each.value} label={each.label} />
          ))}
        </datalist>
      )}
    </>
  );
}
