// The form of one control API request, built from its schema. Problems appear at their field, the result below the
// button.

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
  /** The fields that the form omits. */
  without?: readonly string[];
  /** Fields that are shown first even if they are optional. */
  first?: readonly string[];
  begin?: Input;
  /** The parameter of the address that holds the input. */
  name?: string;
  verb: string;
  send: (input: Input) => Promise<ComponentChildren>;
}

/** `begin` is the initial input. The result of `send` is shown below the button. */
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
      // Problems appear next to the fields that the rejection names, otherwise above the button.
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

/** Loads the fields of a named schema of the control API. */
async function loadFields(name: string): Promise<Field[]> {
  // The document is large, so all forms share one request.
  loading ??= loadSchemas();
  const all = await loading.catch((reason) => {
    loading = undefined;
    throw reason;
  });
  await loadCollections();
  return toFields(resolveReferences(all[name], all) as JsonSchema, findCollectionByMember);
}

/** Replaces references by schemas and joins unions. Input schemas are not recursive. */
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
