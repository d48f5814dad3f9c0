// A field to type into; where it names something, what is there is offered.
import { useId, useState } from "preact/hooks";
import { getValue } from "../../platform/member-paths.ts";
import { useQuery } from "../query.ts";
import { formatValue, parseText, withValue } from "./form-model.ts";
import type { MemberProps } from "./form-props.ts";
import { loadSuggestions } from "./suggestions.ts";

/** A field of text or of a number, with suggestions where it names a record. */
export function TextInput({ field, path, input, onChange }: MemberProps) {
  const id = useId();
  const [isActive, setActive] = useState(false);
  const value = formatValue(getValue(input, path));
  // What is typed is kept as it is typed: "1." must not become "1" under the hand.
  const [typed, setTyped] = useState(value);
  const text = formatValue(parseText(field, typed)) === value ? typed : value;
  const { picks } = field;
  const { data = [] } = useQuery(
    // Asked anew each time the field is entered: what fits depends on the other fields, and records are made meanwhile.
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
