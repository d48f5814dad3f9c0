// A small form of a schema of the control API with one button: the refusal at its field, the outcome below.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { joinTypes } from "../../contract/document/without-unions.mjs";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { control, describeError, SandboxError, unwrap } from "../api.ts";
import { Problem, SubmitButton } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { findCollectionByMember, loadCollections } from "../stores/collections.ts";
import { type Field, type Input, toFields } from "./form-model.ts";
import { useAddressInput } from "./input-in-address.ts";
import { type FieldProblem, formatOtherProblems, toFieldProblems } from "./problems.ts";
import { SchemaForm } from "./schema-form.tsx";

interface RequestFormProps {
  schema: string;
  /** Members that the form leaves out. */
  without?: readonly string[];
  /** Members that stand first, and are asked for though they need not be. */
  first?: readonly string[];
  begin?: Input;
  /** Of the member of the address that holds what is filled in. */
  name?: string;
  verb: string;
  send: (input: Input) => Promise<ComponentChildren>;
}

/** `begin`: what the form is filled with at first. The answer of `send` is shown below the button. */
export function RequestForm({ schema, without = [], first = [], begin = {}, name, verb, send }: RequestFormProps) {
  const { data, problem } = useQuery([schema], () => loadFields(schema));
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [answerText, setAnswerText] = useState<ComponentChildren>(null);
  const visible = (data ?? []).filter(({ name }) => !without.includes(name));
  const isFirst = ({ name }: { name: string }) => first.includes(name);
  const fields = [...visible.filter(isFirst), ...visible.filter((field) => !isFirst(field))];
  const [input, setInput] = useAddressInput({ name, begin, fields });
  const submit = async (event: Event) => {
    event.preventDefault();
    setAnswerText(null);
    try {
      setProblems([]);
      setAnswerText(await send(input));
    } catch (reason) {
      // Beside its fields where the refusal names them, above the button otherwise.
      setProblems(describeRejection(reason, input));
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Problem text={problem} />
      <SchemaForm fields={fields} open={first} input={input} problems={problems} onChange={setInput} />
      <Problem text={formatOtherProblems(problems, fields)} />
      <p class="bar">
        <SubmitButton>{verb}</SubmitButton>
      </p>
      <div aria-live="polite">{answerText}</div>
    </form>
  );
}

/** Returns an error as problems of the fields that it concerns. */
export function describeRejection(reason: unknown, input: Input): readonly FieldProblem[] {
  if (!(reason instanceof SandboxError)) return [{ path: "", sentence: describeError(reason) }];
  return toFieldProblems(reason, input);
}

type NamedInput = Readonly<Record<string, unknown>>;
let loading: Promise<NamedInput> | undefined;

async function loadSchemas(): Promise<NamedInput> {
  const document = await unwrap(control.peek().GET("/_sandbox/openapi.json"));
  return (document as { components: { schemas: NamedInput } }).components.schemas;
}

/** The fields of a schema of the control document, by its name. */
async function loadFields(name: string): Promise<Field[]> {
  // The document is long, and read once for all forms.
  loading ??= loadSchemas();
  const all = await loading.catch((reason) => {
    loading = undefined;
    throw reason;
  });
  await loadCollections();
  return toFields(resolveReferences(all[name], all) as JsonSchema, findCollectionByMember);
}

/** Puts references in place, and joins unions, whose alternatives have different types here. Schemas of inputs don't name themselves. */
function resolveReferences(value: unknown, all: NamedInput): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveReferences(each, all));
  if (typeof value !== "object" || value === null) return value;
  if ("oneOf" in value) return resolveReferences(joinTypes(value), all);
  const { $ref, ...own } = value as { $ref?: string };
  const referred = $ref ? (all[$ref.replace(/^.*\//, "")] as object) : {};
  return Object.fromEntries(
    Object.entries({ ...referred, ...own }).map(([name, of]) => [name, resolveReferences(of, all)]),
  );
}
