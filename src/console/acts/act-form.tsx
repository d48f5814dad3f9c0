// The form of one act, what it would send, and what came of it.
import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { useAsked } from "../asked.ts";
import { unplaced } from "../forms/faults.ts";
import { fieldsOf, type Input, type Schema } from "../forms/form-model.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { Problem } from "../parts/bits.tsx";
import { RecordLink } from "../parts/links.tsx";
import { href, query, setQuery } from "../router.ts";
import { askCollections, collectionNamedBy } from "../stores/collections.ts";
import { refreshSoon } from "../stores/world.ts";
import { Entries } from "../story/consequences.tsx";
import { done, type Outcome, tried } from "./carry-out.ts";
import { Preview } from "./preview.tsx";

type Act = Schemas["Act"];

function begun(): Input {
  try {
    const input: unknown = JSON.parse(query("input") || "{}");
    return typeof input === "object" ? ((input ?? {}) as Input) : {};
  } catch {
    return {};
  }
}

const NOTHING: Outcome = { faults: [] };
const KEEP_MS = 400;

export function ActForm({ act: { act, summary, description, input: schema, example } }: { act: Act }) {
  const [input, setInput] = useState(begun);
  const [outcome, setOutcome] = useState(NOTHING);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    const text = JSON.stringify(input);
    const later = setTimeout(() => setQuery({ input: text === "{}" ? undefined : text }), KEEP_MS);
    return () => clearTimeout(later);
  }, [input]);
  const change = (next: Input) => {
    setInput(next);
    setOutcome(NOTHING);
  };
  const run = async (isTrial: boolean) => {
    setBusy(true);
    setOutcome(await (isTrial ? tried(act, input) : done(act, input)));
    setBusy(false);
    if (!isTrial) refreshSoon();
  };
  const { problem } = useAsked(askCollections, []);
  const fields = fieldsOf(schema as Schema, collectionNamedBy);
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
        {summary} <span class="quiet">{description}</span>
      </p>
      <div class="split">
        <div>
          <SchemaForm fields={fields} input={input} faults={outcome.faults} onChange={change} />
          <Problem text={unplaced(outcome.faults, fields) || problem} />
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

function Done({ answer, story, isTrial, faults }: Outcome) {
  if (!answer)
    return faults.length > 0 && isTrial ? (
      <p class="quiet">This was tried in a fork. Nothing has changed here.</p>
    ) : null;
  const collectionOf = (id: string) => story?.changes.find((change) => change.id === id)?.collection ?? "";
  return (
    <div class="said" role="status">
      <p>{isTrial ? "In a fork it works. Nothing has changed here; it would say:" : "Done."}</p>
      <ul class="facts">
        {answer.facts.map(({ fact, id }) => (
          <li key={`${fact} ${id}`}>
            {fact} {isTrial ? <code>{id}</code> : <RecordLink collection={collectionOf(id)} id={id} />}
          </li>
        ))}
      </ul>
      {story && story.entries.length > 0 && <Entries entries={story.entries} />}
      {story && !isTrial && <a href={href("story", [story.id])}>Its story</a>}
    </div>
  );
}
