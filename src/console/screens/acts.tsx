// The acts screen: host actions as forms, which can be tried in a fork first.
import { useState } from "preact/hooks";
import { perform } from "../../client/control.ts";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { control, createWorldControl, forkWorld, read, type Schemas, unwrap } from "../api.ts";
import { type FieldProblem, formatInputCommand, formatOtherProblems, type Input } from "../forms/form-model.ts";
import { describeRejection, loadFieldConverter, useAddressInput } from "../forms/request-form.tsx";
import { SchemaForm } from "../forms/schema-form.tsx";
import { Filter } from "../parts/actions.tsx";
import { Phrases } from "../parts/links.tsx";
import { Button, CopyButton, Empty, Loading, Problem, Prose, SubmitButton } from "../parts/primitives.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { useQuery } from "../query.ts";
import { getQuery, type ScreenProps, toHref, worldId } from "../router.ts";
import { reload } from "../store.ts";
import { Entries } from "../story/consequences.tsx";

export function Acts({ rest: [name] }: ScreenProps) {
  const { data, problem } = useQuery([], () => read("/_sandbox/acts"));
  const words = getQuery("q").toLowerCase();
  // Filtering happens here, because there are only a few dozen acts.
  const acts = (data?.items ?? []).filter(({ act, summary }) => `${act} ${summary}`.toLowerCase().includes(words));
  const chosen = data?.items.find(({ act }) => act === name);
  return (
    <div class="beside">
      <section class="stack" aria-label="Acts">
        <Filter label="Filter acts" />
        <Problem text={problem} />
        <WindowList
          label="Acts"
          items={acts}
          keyOf={({ act }) => act}
          line={({ act, summary }) => (
            <a
              class="line"
              href={toHref("acts", [act], { q: getQuery("q") })}
              aria-current={act === name}
              title={summary}
            >
              {act}
            </a>
          )}
          empty={data ? <Empty title="No acts match your search." /> : !problem && <Loading />}
        />
      </section>
      {chosen ? (
        <ActForm key={name} act={chosen} />
      ) : (
        <Empty title={name && data ? `There is no act ${name}.` : "Select an act."}>
          <p>
            An act is what a host does and the public API has no endpoint for: cancel an event, refund an order, scan a
            ticket.
          </p>
        </Empty>
      )}
    </div>
  );
}

interface ActOutcome {
  problems: readonly FieldProblem[];
  /** The explanation of the act. */
  story?: Schemas["Why"];
  phrases?: readonly Schemas["Phrase"][] | undefined;
  /** The act was performed in a fork, which is deleted afterwards. */
  isFork?: boolean;
}
const NOTHING: ActOutcome = { problems: [] };

function ActForm({ act: { act, summary, description, input: schema, example } }: { act: Schemas["Act"] }) {
  const { data: convert, problem } = useQuery([], loadFieldConverter);
  const fields = convert?.(schema as JsonSchema) ?? [];
  const [input, setInput] = useAddressInput({ name: "input", fields });
  const [outcome, setOutcome] = useState(NOTHING);
  const [isBusy, setBusy] = useState(false);
  const change = (next: Input) => {
    setInput(next);
    // The problems belong to the input that was sent, which has now changed.
    setOutcome(NOTHING);
  };
  const run = async (work: typeof performAct) => {
    setBusy(true);
    setOutcome(await work(act, input));
    setBusy(false);
    await reload();
  };
  return (
    <form
      class="stack grow"
      onSubmit={(event) => {
        event.preventDefault();
        void run(performAct);
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
        <div class="stack">
          <SchemaForm fields={fields} input={input} problems={outcome.problems} onChange={change} />
          <Problem text={formatOtherProblems(outcome.problems, fields) || problem} />
          <p class="bar">
            <SubmitButton disabled={isBusy}>Perform act</SubmitButton>
            <Button disabled={isBusy} onClick={() => void run(tryAct)}>
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
        <aside class="stack preview" aria-label="Preview">
          <Preview title="Input" text={JSON.stringify(input, null, 2)} />
          <Preview title="The same as a command" text={formatInputCommand(`act ${act}`, input, worldId.value)} />
        </aside>
      </div>
    </form>
  );
}

const Preview = ({ title, text }: { title: string; text: string }) => (
  <>
    <div class="bar">
      <h3 class="grow">{title}</h3>
      <CopyButton text={() => text} />
    </div>
    <pre class="code wrap">{text}</pre>
  </>
);

/** The outcome of the last attempt, in this world or in a fork. */
function ActResult({ story, phrases, isFork, problems }: ActOutcome) {
  if (!story)
    return problems.length > 0 && isFork ? <p class="quiet">Failed in a fork. Nothing has changed here.</p> : null;
  return (
    <div class="note ok" role="status">
      <p>{isFork ? "Succeeded in a fork. Nothing has changed here. Outcome:" : "Done:"}</p>
      <p>{phrases?.length ? <Phrases phrases={phrases} linked={!isFork} /> : "nothing changed"}</p>
      {story.entries.length > 0 && <Entries entries={story.entries} />}
      {!isFork && <a href={toHref("story", [story.id])}>Open story</a>}
    </div>
  );
}

/** Performs the act through `api`, which may be that of a fork. A rejection is returned as problems, not thrown. */
async function performAct(act: string, input: Input, api = control.peek()): Promise<ActOutcome> {
  try {
    const sent = await perform(api, act, input);
    await unwrap(Promise.resolve(sent));
    // The response header holds the id of the act's story.
    const params = { params: { path: { id: sent.response.headers.get("sandbox-request-id") ?? "" } } };
    const [story, entry] = await Promise.all([
      unwrap(api.GET("/_sandbox/why/{id}", params)),
      unwrap(api.GET("/_sandbox/log/{id}", params)),
    ]);
    return { story, phrases: "told" in entry ? entry.told : [], problems: [] };
  } catch (reason) {
    return { problems: describeRejection(reason, input) };
  }
}

/** Performs the act in a copy of the world and deletes the copy afterwards. */
async function tryAct(act: string, input: Input): Promise<ActOutcome> {
  try {
    const fork = await forkWorld(worldId.peek(), { trial: true });
    const outcome = await performAct(act, input, createWorldControl(fork));
    // The fork is deleted after a rejection too, because it counts towards the limit of worlds.
    await control.peek().DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: fork } } });
    return { ...outcome, isFork: true };
  } catch (reason) {
    return { problems: describeRejection(reason, input) };
  }
}
