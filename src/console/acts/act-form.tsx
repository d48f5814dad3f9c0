// The form of an act, a preview of its input, and its outcome.

import { useState } from "preact/hooks";
import { perform } from "../../client/control.ts";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { control, createWorldControl, type Schemas, unwrap } from "../api.ts";
import type { Phrase } from "../entries.ts";
import { formatInputCommand } from "../forms/command.ts";
import { type Input, toFields } from "../forms/form-model.ts";
import { useAddressInput } from "../forms/input-in-address.ts";
import { type FieldProblem, formatOtherProblems } from "../forms/problems.ts";
import { describeRejection } from "../forms/request-form.tsx";
import { SchemaForm } from "../forms/schema-form.tsx";
import { Phrases } from "../parts/phrases.tsx";
import { Button, CopyButton, Problem, Prose, SubmitButton } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { toHref, worldId } from "../router.ts";
import { findCollectionByMember, loadCollections } from "../stores/collections.ts";
import { refreshSoon } from "../stores/world.ts";
import { Entries } from "../story/consequences.tsx";

type Act = Schemas["Act"];

const NOTHING: ActOutcome = { problems: [] };

export function ActForm({ act: { act, summary, description, input: schema, example } }: { act: Act }) {
  // Fields that name records can only suggest values once the collections are loaded.
  const { problem } = useQuery([], loadCollections);
  const fields = toFields(schema as JsonSchema, findCollectionByMember);
  const [input, setInput] = useAddressInput({ name: "input", fields });
  const [outcome, setOutcome] = useState(NOTHING);
  const [isBusy, setBusy] = useState(false);
  const change = (next: Input) => {
    setInput(next);
    // The problems belong to the input that was sent, which has now changed.
    setOutcome(NOTHING);
  };
  const run = async (isFork: boolean) => {
    setBusy(true);
    setOutcome(await (isFork ? tryAct(act, input) : performAct(act, input)));
    setBusy(false);
    // A trial in a fork changes nothing in this world.
    if (!isFork) refreshSoon();
  };
  return (
    <form
      class="stack grow"
      onSubmit={(event) => {
        event.preventDefault();
        void run(false);
      }}
    >
      <h2>{act}</h2>
      <p>
        <Prose text={summary} />{" "}
        <span class="quiet">
          <Prose text={description} />
        </span>
      </p>
      <div class="split">
        <div>
          <SchemaForm fields={fields} input={input} problems={outcome.problems} onChange={change} />
          <Problem text={formatOtherProblems(outcome.problems, fields) || problem} />
          <p class="bar">
            <SubmitButton disabled={isBusy}>Perform act</SubmitButton>
            <Button disabled={isBusy} onClick={() => void run(true)}>
              Try in a fork first
            </Button>
            {example && (
              <Button class="plain" onClick={() => change(example)}>
                Use example
              </Button>
            )}
          </p>
          <ActResult {...outcome} />
        </div>
        <Preview words={`act ${act}`} input={input} />
      </div>
    </form>
  );
}

/** The outcome of the last attempt, in this world or in a fork. */
function ActResult({ answer, story, phrases, isFork, problems }: ActOutcome) {
  if (!answer)
    return problems.length > 0 && isFork ? <p class="quiet">Failed in a fork. Nothing has changed here.</p> : null;
  return (
    <div class="said" role="status">
      <p>{isFork ? "Succeeded in a fork. Nothing has changed here. Outcome:" : "Done:"}</p>
      <p>{phrases && phrases.length > 0 ? <Phrases phrases={phrases} linked={!isFork} /> : "nothing changed"}</p>
      {story && story.entries.length > 0 && <Entries entries={story.entries} />}
      {story && !isFork && <a href={toHref("story", [story.id])}>Open story</a>}
    </div>
  );
}

/** The input as JSON, and as the equivalent command. */
function Preview({ words, input }: { words: string; input: Input }) {
  const command = formatInputCommand(words, input, worldId.value);
  const json = JSON.stringify(input, null, 2);
  return (
    <aside class="preview" aria-label="Preview">
      <div class="bar">
        <h3 class="grow">Input</h3>
        <CopyButton text={() => json}>Copy</CopyButton>
      </div>
      <pre class="code">{json}</pre>
      <div class="bar">
        <h3 class="grow">The same as a command</h3>
        <CopyButton text={() => command}>Copy</CopyButton>
      </div>
      <pre class="code wrap">{command}</pre>
    </aside>
  );
}

interface ActOutcome {
  answer?: Schemas["ActAnswer"];
  /** The explanation of the act. */
  story?: Schemas["Why"];
  phrases?: readonly Phrase[];
  /** The act was performed in a fork, which is deleted afterwards. */
  isFork?: boolean;
  problems: readonly FieldProblem[];
}

/** Performs the act through `api`, which may be that of a fork. A rejection is returned as problems, not thrown. */
async function performAct(act: string, input: Input, isFork = false, api = control.peek()): Promise<ActOutcome> {
  try {
    const sent = await perform(api, act, input);
    const answer = await unwrap(Promise.resolve(sent));
    // The response header holds the id of the act's story.
    const id = sent.response.headers.get("sandbox-request-id") ?? "";
    const params = { params: { path: { id } } };
    const [story, entry] = await Promise.all([
      unwrap(api.GET("/_sandbox/why/{id}", params)),
      unwrap(api.GET("/_sandbox/log/{id}", params)),
    ]);
    return { answer, story, phrases: "told" in entry ? (entry.told ?? []) : [], isFork, problems: [] };
  } catch (reason) {
    return { isFork, problems: describeRejection(reason, input) };
  }
}

/** Performs the act in a copy of the world and deletes the copy afterwards. */
async function tryAct(act: string, input: Input): Promise<ActOutcome> {
  const api = control.peek();
  let isFork = false;
  try {
    const path = { worldId: worldId.peek() };
    const { items } = await unwrap(
      api.POST("/_sandbox/worlds/{worldId}/fork", { params: { path }, body: { trial: true } }),
    );
    const fork = items[0]?.id ?? "";
    isFork = true;
    try {
      return await performAct(act, input, true, createWorldControl(fork));
    } finally {
      // The fork is deleted after a rejection too, because it counts towards the limit of worlds.
      await api.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: fork } } });
    }
  } catch (reason) {
    return { isFork, problems: describeRejection(reason, input) };
  }
}
