// What can be done with a story: copy it, send it again, change it first.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { control, dataOf, type Schemas, sentenceOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { Copy, Field, Problem } from "../parts/bits.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { go, href } from "../router.ts";
import { actOf, curlOf, stepOf, testOf } from "./snippets.ts";

interface Props {
  entry: Entry;
  operations: Schemas["OperationList"]["items"];
}

export function Actions({ entry, operations }: Props) {
  const [isEditing, edit] = useState(false);
  if (entry.kind === "act")
    return (
      <div class="bar">
        <Copy text={() => actOf(entry.act, entry.input)}>Copy as command</Copy>
        <Copy text={() => stepOf(entry, undefined)}>Copy as scenario step</Copy>
      </div>
    );
  if (entry.kind !== "request") return null;
  const template = operations.find(({ operation_id }) => operation_id === entry.operation);
  return (
    <div class="bar">
      <Copy text={() => curlOf(entry)}>Copy as curl</Copy>
      <Copy text={() => testOf(entry)}>Copy as test</Copy>
      <Copy text={() => stepOf(entry, template)}>Copy as scenario step</Copy>
      <ReplayButton id={entry.id}>Send again</ReplayButton>
      {isObject(entry.request?.body) && (
        <button type="button" onClick={() => edit(true)}>
          Edit and send again
        </button>
      )}
      {isEditing && <Edit entry={entry} body={entry.request?.body as Body} onClose={() => edit(false)} />}
    </div>
  );
}

type Body = Record<string, unknown>;
const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function replay(id: string, set?: Body): Promise<Schemas["Replayed"]> {
  const params = { path: { requestId: id } };
  return dataOf(control.peek().POST("/_sandbox/requests/{requestId}/replay", { params, body: set ? { set } : {} }));
}

interface ReplayProps {
  id: string;
  children: ComponentChildren;
}

/** With a token of the same key; the answer has a story of its own, which is shown. */
export function ReplayButton({ id, children }: ReplayProps) {
  const [problem, setProblem] = useState("");
  const run = () =>
    void replay(id).then(
      (replayed) => go(href("story", [replayed.id])),
      (reason) => setProblem(sentenceOf(reason)),
    );
  return (
    <>
      <button type="button" onClick={run}>
        {children}
      </button>
      <Problem text={problem} />
    </>
  );
}

/** The acts and the request of the smallest change; the answer has a story of its own, which is shown. */
export function ApplyButton({ id }: { id: string }) {
  const [problem, setProblem] = useState("");
  const params = { path: { id } };
  const run = () =>
    void dataOf(control.peek().POST("/_sandbox/why/{id}/apply", { params })).then(
      (applied) => go(href("story", [applied.id])),
      (reason) => setProblem(sentenceOf(reason)),
    );
  return (
    <>
      <button type="button" onClick={run}>
        Send it again so
      </button>
      <Problem text={problem} />
    </>
  );
}

function Edit({ entry, body, onClose }: { entry: Entry; body: Body; onClose: () => void }) {
  const [text, setText] = useState(JSON.stringify(body, null, 2));
  const [problem, setProblem] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = parsed(text);
    if (typeof wanted === "string") return setProblem(wanted);
    replay(entry.id, membersSet(body, wanted)).then(
      (replayed) => go(href("story", [replayed.id])),
      (reason) => setProblem(sentenceOf(reason)),
    );
  };
  return (
    <Dialog title="Edit and send again" onClose={onClose}>
      <form class="column" onSubmit={submit}>
        <Field label="Body" problem={problem || undefined}>
          <textarea rows={18} value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
        </Field>
        <div class="bar">
          <button type="submit" class="primary">
            Send
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function parsed(text: string): Body | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : "The body has to be a JSON object.";
  } catch (reason) {
    return `This is no JSON: ${(reason as Error).message}`;
  }
}

/** What of the first level differs; null takes a member away. */
function membersSet(before: Body, after: Body): Body {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [`body.${name}`, after[name] ?? null]));
}
