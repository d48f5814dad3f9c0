// The form of a JSON schema: required and filled fields are visible, others are added by a button. Problems appear at
// their field.

import { useId, useState } from "preact/hooks";
import { getValue } from "../../platform/member-paths.ts";
import { Button, Field as Labelled, Prose } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import {
  type Field,
  type FieldProblem,
  formatFieldMessage,
  formatValue,
  type Input,
  type Path,
  parseText,
  removeRow,
  withValue,
} from "./form-model.ts";
import { loadSuggestions } from "./suggestions.ts";

interface FormContext {
  input: Input;
  problems: readonly FieldProblem[];
  onChange: (input: Input) => void;
}

type SchemaFormProps = FormContext & { fields: readonly Field[]; path?: Path; open?: readonly string[] };
type MemberProps = FormContext & { field: Field; path: Path; label?: string };

/** `open` lists optional fields that are shown from the start. */
export function SchemaForm({ fields, path = [], open: first = [], ...shared }: SchemaFormProps) {
  const [opened, open] = useState(first);
  // A field that a rejection names must be visible.
  const isVisible = ({ name, required }: Field) =>
    required ||
    opened.includes(name) ||
    getValue(shared.input, [...path, name]) !== undefined ||
    formatFieldMessage(shared.problems, [...path, name].join("."), true) !== "";
  const more = fields.filter((field) => !isVisible(field));
  return (
    <div class="stack">
      {fields.filter(isVisible).map((field) => (
        <Member key={field.name} field={field} path={[...path, field.name]} {...shared} />
      ))}
      {more.length > 0 && (
        <p class="more">
          {more.map(({ name, help }) => (
            <Button key={name} class="plain" title={help} onClick={() => open([...opened, name])}>
              + {name}
            </Button>
          ))}
        </p>
      )}
    </div>
  );
}

/** The inputs of a field, by its kind. */
const INPUTS = { text: TextInput, choice: ChoiceSelect, choices: ChoiceList, list: ListRows, group: Group };

function Member({ field, path, label, ...shared }: MemberProps) {
  const { kind, name, required, help } = field;
  const problem = formatFieldMessage(shared.problems, path.join("."), kind !== "group" && kind !== "list");
  const labelText = label ?? `${name}${required ? " *" : ""}`;
  const FieldInput = INPUTS[kind];
  const input = <FieldInput field={field} path={path} {...shared} />;
  if (kind === "text" || kind === "choice")
    return (
      <Labelled label={labelText} help={help} problem={problem || undefined}>
        {input}
      </Labelled>
    );
  return (
    <fieldset class={problem ? "wrong" : undefined}>
      <legend>{labelText}</legend>
      {help && (
        <p class="quiet small">
          <Prose text={help} />
        </p>
      )}
      {input}
      {problem && <p class="tone bad small">{problem}</p>}
    </fieldset>
  );
}

/** An input for text or numbers, with suggestions if the field names a record. */
function TextInput({ field, path, input, onChange }: MemberProps) {
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
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          onChange(withValue(input, path, parseText(field, currentTarget.value)));
        }}
      />
      {picks && (
        <datalist id={id}>
          {data.map((each) => (
            <option key={each.value} {...each} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** The empty option omits the field. */
function ChoiceSelect({ field, path, input, onChange }: MemberProps) {
  return (
    <select
      value={formatValue(getValue(input, path))}
      onChange={({ currentTarget }) => onChange(withValue(input, path, parseText(field, currentTarget.value)))}
    >
      <option value="">–</option>
      {field.options.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

/** A list of checkboxes. Selecting none omits the field instead of sending an empty list. */
function ChoiceList({ field, path, input, onChange }: MemberProps) {
  const chosen = (getValue(input, path) as readonly string[] | undefined) ?? [];
  const toggle = (name: string) => {
    // Selected options keep the order of the schema.
    const next = field.options.filter((each) => chosen.includes(each) !== (each === name));
    onChange(withValue(input, path, next.length > 0 ? next : undefined));
  };
  return (
    <div class="choices">
      {field.options.map((name) => (
        <label key={name}>
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} /> {name}
        </label>
      ))}
    </div>
  );
}

function Group({ field: { fields }, path, input, problems, onChange }: MemberProps) {
  return <SchemaForm fields={fields} path={path} input={input} problems={problems} onChange={onChange} />;
}

/** A list with one row per item. */
function ListRows({ field: { name, item }, path, ...shared }: MemberProps) {
  if (!item) return null;
  const { input, onChange } = shared;
  const rows = (getValue(input, path) as readonly unknown[] | undefined) ?? [];
  const isGroup = item.kind === "group";
  const Row = isGroup ? Group : Member;
  return (
    <>
      {rows.map((_, at) => (
        <div class="row" key={at}>
          <Row field={item} path={[...path, at]} label={`${name} ${at + 1}`} {...shared} />
          <Button onClick={() => onChange(removeRow(input, path, at))}>
            Remove
            <span class="for-readers">
              {" "}
              {name} {at + 1}
            </span>
          </Button>
        </div>
      ))}
      <Button onClick={() => onChange(withValue(input, [...path, rows.length], isGroup ? {} : ""))}>
        Add to {name}
      </Button>
    </>
  );
}
