// The form of one control API request, built from its schema. The input is in the address, problems appear at their field, and the result
// below the button.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { joinTypes } from "../../contract/document/without-unions.mjs";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { isObject, parseJson } from "../../platform/json.ts";
import { describeError, read, SandboxError } from "../api.ts";
import { Problem, SubmitButton } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { getQuery, setQuery } from "../router.ts";
import { reload } from "../store.ts";
import {
  type Field,
  type FieldProblem,
  formatOtherProblems,
  type Input,
  omitMisfits,
  toFieldProblems,
  toFields,
} from "./form-model.ts";
import { SchemaForm } from "./schema-form.tsx";

interface RequestFormProps {
  schema: string;
  /** The fields that the form omits. */
  without?: readonly string[];
  /** Fields that are shown first even if they are optional. */
  first?: readonly string[];
  /** The initial input. */
  begin?: Input;
  /** The parameter of the address that holds the input. Without a name, the address does not hold it. */
  name?: string;
  verb: string;
  /** Sends the input. Its result is shown below the button. */
  send: (input: Input) => Promise<ComponentChildren>;
}

export function RequestForm({ schema, without = [], first = [], begin = {}, name, verb, send }: RequestFormProps) {
  const { data = [], problem } = useQuery([schema], () => loadFields(schema));
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [answer, setAnswer] = useState<ComponentChildren>(null);
  const visible = data.filter((field) => !without.includes(field.name));
  const fields = [
    ...visible.filter((field) => first.includes(field.name)),
    ...visible.filter((field) => !first.includes(field.name)),
  ];
  const [input, setInput] = useAddressInput({ name, begin, fields });
  const submit = async (event: Event) => {
    event.preventDefault();
    setAnswer(null);
    setProblems([]);
    await send(input).then(setAnswer, (reason) => setProblems(describeRejection(reason, input)));
    await reload();
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <Problem text={problem} />
      <SchemaForm fields={fields} open={first} input={input} problems={problems} onChange={setInput} />
      <Problem text={formatOtherProblems(problems, fields)} />
      <p>
        <SubmitButton>{verb}</SubmitButton>
      </p>
      <div aria-live="polite">{answer}</div>
    </form>
  );
}

/** Returns an error as problems of the fields that it concerns. */
export function describeRejection(reason: unknown, input: Input): readonly FieldProblem[] {
  if (!(reason instanceof SandboxError)) return [{ path: "", sentence: describeError(reason) }];
  return toFieldProblems(reason, input);
}

/** The address is updated when typing pauses for this time. */
const ADDRESS_DELAY_MS = 400;

interface AddressInput extends Pick<RequestFormProps, "begin"> {
  name: string | undefined;
  fields: readonly Field[];
}

/** Keeps the input of a form in the address, so that it can be bookmarked and shared. */
export function useAddressInput({ name, begin = {}, fields }: AddressInput): [Input, (next: Input) => void] {
  const [given, setInput] = useState<Input>(() => {
    // People edit addresses, so the parameter may be anything.
    const input = parseJson(name ? getQuery(name) : "");
    return isObject(input) ? input : begin;
  });
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

/** Loads the converter of a schema to fields. Fields that name records suggest the records of their collection. */
export async function loadFieldConverter(): Promise<(schema: JsonSchema) => Field[]> {
  const { items } = await read("/_sandbox/records");
  return (schema) => toFields(schema, (member) => items.find(({ named_by }) => named_by.includes(member))?.collection);
}

type NamedInput = Readonly<Record<string, unknown>>;

/** Loads the fields of a named schema of the control API. */
async function loadFields(name: string): Promise<Field[]> {
  const [document, convert] = await Promise.all([read("/_sandbox/openapi.json"), loadFieldConverter()]);
  const all = (document as { components: { schemas: NamedInput } }).components.schemas;
  return convert(resolveReferences(all[name], all) as JsonSchema);
}

/** Replaces references by schemas and joins unions. Input schemas are not recursive. */
function resolveReferences(value: unknown, all: NamedInput): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveReferences(each, all));
  if (!isObject(value)) return value;
  if ("oneOf" in value) return resolveReferences(joinTypes(value), all);
  const { $ref, ...own } = value as { $ref?: string };
  const referred = $ref ? (all[$ref.replace(/^.*\//, "")] as object) : {};
  return Object.fromEntries(
    Object.entries({ ...referred, ...own }).map(([name, of]) => [name, resolveReferences(of, all)]),
  );
}
