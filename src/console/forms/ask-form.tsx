// A small form of a schema of the control API with one button: the refusal at its field, the outcome below.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { SandboxError, sentenceOf } from "../api.ts";
import { useAsked } from "../asked.ts";
import { Problem } from "../parts/bits.tsx";
import { type Fault, faultsOf } from "./faults.ts";
import type { Input } from "./form-model.ts";
import { SchemaForm } from "./schema-form.tsx";
import { fieldsNamed } from "./schemas.ts";

interface Props {
  schema: string;
  /** Members that the form leaves out. */
  without?: readonly string[];
  begin?: Input;
  verb: string;
  send: (input: Input) => Promise<ComponentChildren>;
  preview?: (input: Input) => ComponentChildren;
}

/** `begin`: what the form is filled with at first. The answer of `send` is shown below the button. */
export function AskForm({ schema, without = [], begin = {}, verb, send, preview }: Props) {
  const { data, problem } = useAsked(() => fieldsNamed(schema), [schema]);
  const [input, setInput] = useState(begin);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [said, say] = useState<ComponentChildren>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    say(null);
    try {
      setFaults([]);
      say(await send(input));
    } catch (reason) {
      setFaults(
        reason instanceof SandboxError ? faultsOf(reason.message, input) : [{ path: "", sentence: sentenceOf(reason) }],
      );
    }
  };
  const fields = (data ?? []).filter(({ name }) => !without.includes(name));
  const whole = faults.filter(({ path }) => !fields.some(({ name }) => path.split(".")[0] === name));
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Problem text={problem} />
      <SchemaForm fields={fields} input={input} faults={faults} onChange={setInput} />
      <Problem text={whole.map(({ path, sentence }) => [path, sentence].filter(Boolean).join(": ")).join("\n")} />
      {preview?.(input)}
      <p class="bar">
        <button type="submit" class="primary">
          {verb}
        </button>
      </p>
      <div aria-live="polite">{said}</div>
    </form>
  );
}
