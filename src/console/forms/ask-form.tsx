// A small form of a schema of the control API with one button: the refusal at its field, the outcome below.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAsked } from "../asked.ts";
import { Problem } from "../parts/bits.tsx";
import { type Fault, unplaced } from "./faults.ts";
import type { Input } from "./form-model.ts";
import { refused } from "./refused.ts";
import { SchemaForm } from "./schema-form.tsx";
import { fieldsNamed } from "./schemas.ts";

interface Props {
  schema: string;
  /** Members that the form leaves out. */
  without?: readonly string[];
  /** Members that stand first, and are asked for though they need not be. */
  first?: readonly string[];
  begin?: Input;
  verb: string;
  send: (input: Input) => Promise<ComponentChildren>;
  /** Where the input stands in what is sent, when a refusal names its members from there. */
  inside?: RegExp;
}

/** `begin`: what the form is filled with at first. The answer of `send` is shown below the button. */
export function AskForm({ schema, without = [], first = [], begin = {}, verb, send, inside }: Props) {
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
      setFaults(refused(reason, input, inside));
    }
  };
  const asked = (data ?? []).filter(({ name }) => !without.includes(name));
  const isFirst = ({ name }: { name: string }) => first.includes(name);
  const fields = [...asked.filter(isFirst), ...asked.filter((field) => !isFirst(field))];
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Problem text={problem} />
      <SchemaForm fields={fields} open={first} input={input} faults={faults} onChange={setInput} />
      <Problem text={unplaced(faults, fields)} />
      <p class="bar">
        <button type="submit" class="primary">
          {verb}
        </button>
      </p>
      <div aria-live="polite">{said}</div>
    </form>
  );
}
