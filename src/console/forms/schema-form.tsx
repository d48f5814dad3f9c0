// The form of a JSON schema: required and filled fields are visible, others are added by a button. Problems appear at
// their field.

import { useState } from "preact/hooks";
import { getValue } from "../../platform/member-paths.ts";
import { Button, Field as Labelled, Prose } from "../parts/primitives.tsx";
import { type Field, formatValue, type Path, parseText, removeRow, withValue } from "./form-model.ts";
import type { FormContext, MemberProps } from "./form-props.ts";
import { formatFieldMessage } from "./problems.ts";
import { TextInput } from "./text-input.tsx";

type SchemaFormProps = FormContext & { fields: readonly Field[]; path?: Path; open?: readonly string[] };

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
    <div class="form">
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

/** A field, a choice or a group, depending on the kind. */
function Member({ field, path, label, ...shared }: MemberProps) {
  const { kind, name, required, help } = field;
  const problem = formatFieldMessage(shared.problems, path.join("."), kind !== "group" && kind !== "list");
  const labelText = label ?? `${name}${required ? " *" : ""}`;
  if (kind === "text" || kind === "choice")
    return (
      <Labelled label={labelText} help={help} problem={problem || undefined}>
        {kind === "text" ? (
          <TextInput field={field} path={path} {...shared} />
        ) : (
          <ChoiceSelect field={field} path={path} {...shared} />
        )}
      </Labelled>
    );
  return (
    <fieldset class={problem ? "wrong" : undefined}>
      <legend>{labelText}</legend>
      {help && (
        <p class="field-help">
          <Prose text={help} />
        </p>
      )}
      {kind === "group" && <SchemaForm fields={field.fields} path={path} {...shared} />}
      {kind === "choices" && <ChoiceList field={field} path={path} {...shared} />}
      {kind === "list" && <ListRows field={field} path={path} {...shared} />}
      {problem && <p class="field-problem">{problem}</p>}
    </fieldset>
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

/** A list with one row per item. */
function ListRows({ field, path, ...shared }: MemberProps) {
  const { item } = field;
  if (!item) return null;
  const { input, onChange } = shared;
  const rows = (getValue(input, path) as readonly unknown[] | undefined) ?? [];
  const isGroup = item.kind === "group";
  return (
    <>
      {rows.map((_, at) => (
        <div class="row" key={at}>
          {isGroup ? (
            <SchemaForm fields={item.fields} path={[...path, at]} {...shared} />
          ) : (
            <Member field={item} path={[...path, at]} label={`${field.name} ${at + 1}`} {...shared} />
          )}
          <Button onClick={() => onChange(removeRow(input, path, at))}>
            Remove
            <span class="for-readers">
              {" "}
              {field.name} {at + 1}
            </span>
          </Button>
        </div>
      ))}
      <Button onClick={() => onChange(withValue(input, [...path, rows.length], isGroup ? {} : ""))}>
        Add to {field.name}
      </Button>
    </>
  );
}
