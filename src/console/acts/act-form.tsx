// The form of one act, what it would send, and its outcome.

import { useState } from "preact/hooks";
import { perform } from "../../client/control.ts";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { control, controlIn, type Schemas, unwrap } from "../api.ts";
import type { Phrase } from "../entries.ts";
import { commandOf } from "../forms/command.ts";
import { fieldsOf, type Input } from "../forms/form-model.ts";
import { useInput } from "../forms/input-in-address.ts";
import { type FieldProblem, unplaced } from "../forms/problems.ts";
import { refused } from "../forms/refused.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { Phrases } from "../parts/phrases.tsx";
import { Copy, Problem, Prose } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { href, worldId } from "../router.ts";
import { askCollections, collectionNamedBy } from "../stores/collections.ts";
import { refreshSoon } from "../stores/world.ts";
import { Entries } from "../story/consequences.tsx";

type Act = Schemas["Act"];

const NOTHING: ActOutcome = { problems: [] };

export function ActForm({ act: { act, summary, description, input: schema, example } }: { act: Act }) {
  // Fields that name records need to know which collection a member is of.
  const { problem } = useQuery(askCollections, []);
  const fields = fieldsOf(schema as JsonSchema, collectionNamedBy);
  const [input, setInput] = useInput({ name: "input", fields });
  const [outcome, setOutcome] = useState(NOTHING);
  const [isBusy, setBusy] = useState(false);
  const change = (next: Input) => {
    setInput(next);
    // A refusal speaks of the input that was sent.
    setOutcome(NOTHING);
  };
  const run = async (isTrial: boolean) => {
    setBusy(true);
    setOutcome(await (isTrial ? tried(act, input) : done(act, input)));
    setBusy(false);
    // A fork is gone again, and nothing here has changed.
    if (!isTrial) refreshSoon();
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
          <Problem text={unplaced(outcome.problems, fields) || problem} />
          <p class="bar">
            <button type="submit" class="primary" disabled={isBusy}>
              Do it
            </button>
            <button type="button" disabled={isBusy} onClick={() => void run(true)}>
              Try in a fork first
            </button>
            {example && (
              <button type="button" class="plain" onClick={() => change(example)}>
                Fill in the example
              </button>
            )}
          </p>
          <Done {...outcome} />
        </div>
        <Preview words={`act ${act}`} input={input} />
      </div>
    </form>
  );
}

/** The outcome of the last try, here or in a fork. */
function Done({ answer, story, phrases, isTrial, problems }: ActOutcome) {
  if (!answer)
    return problems.length > 0 && isTrial ? (
      <p class="quiet">This was tried in a fork. Nothing has changed here.</p>
    ) : null;
  return (
    <div class="said" role="status">
      <p>{isTrial ? "In a fork it works. Nothing has changed here; what would come of it:" : "Done:"}</p>
      <p>{phrases && phrases.length > 0 ? <Phrases phrases={phrases} linked={!isTrial} /> : "nothing changed"}</p>
      {story && story.entries.length > 0 && <Entries entries={story.entries} />}
      {story && !isTrial && <a href={href("story", [story.id])}>Its story</a>}
    </div>
  );
}

/** An input as JSON, and as the command that does the same. */
function Preview({ words, input }: { words: string; input: Input }) {
  const command = commandOf(words, input, worldId.value);
  const json = JSON.stringify(input, null, 2);
  return (
    <aside class="preview" aria-label="Preview">
      <div class="bar">
        <h3 class="grow">Input</h3>
        <Copy text={() => json}>Copy</Copy>
      </div>
      <pre class="code">{json}</pre>
      <div class="bar">
        <h3 class="grow">The same as a command</h3>
        <Copy text={() => command}>Copy</Copy>
      </div>
      <pre class="code wrap">{command}</pre>
    </aside>
  );
}

// An act carried out, here or in a fork of the world that is gone again; a refusal as problems of its fields.

interface ActOutcome {
  answer?: Schemas["ActAnswer"];
  /** Its outcome. */
  story?: Schemas["Why"];
  phrases?: readonly Phrase[];
  /** It was done in a fork, which is gone again. */
  isTrial?: boolean;
  problems: readonly FieldProblem[];
}

/** Performs the act, or in a fork when `ask` is that of one. A refusal is an outcome; it does not throw. */
async function done(act: string, input: Input, isTrial = false, ask = control.peek()): Promise<ActOutcome> {
  try {
    const sent = await perform(ask, act, input);
    const answer = await unwrap(Promise.resolve(sent));
    // The act's own story, which has its id.
    const id = sent.response.headers.get("sandbox-request-id") ?? "";
    const params = { params: { path: { id } } };
    const [story, entry] = await Promise.all([
      unwrap(ask.GET("/_sandbox/why/{id}", params)),
      unwrap(ask.GET("/_sandbox/log/{id}", params)),
    ]);
    return { answer, story, phrases: "told" in entry ? (entry.told ?? []) : [], isTrial, problems: [] };
  } catch (reason) {
    return { isTrial, problems: refused(reason, input) };
  }
}

/** In a copy of the world, which is removed again. */
async function tried(act: string, input: Input): Promise<ActOutcome> {
  const ask = control.peek();
  let isTrial = false;
  try {
    const path = { worldId: worldId.peek() };
    const { items } = await unwrap(
      ask.POST("/_sandbox/worlds/{worldId}/fork", { params: { path }, body: { trial: true } }),
    );
    const fork = items[0]?.id ?? "";
    isTrial = true;
    try {
      return await done(act, input, true, controlIn(fork));
    } finally {
      // Also when the act was refused: a fork counts as a world.
      await ask.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: fork } } });
    }
  } catch (reason) {
    return { isTrial, problems: refused(reason, input) };
  }
}
