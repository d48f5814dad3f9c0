// Host actions as forms: the input is typed once and seen as JSON and as a command; it can be tried in a fork of the world first.
import { useEffect, useState } from "preact/hooks";
import { perform } from "../../client/control.ts";
import { control, controlIn, dataOf, SandboxError, type Schemas, sentenceOf } from "../api.ts";
import { useAsked } from "../asked.ts";
import { commandOf } from "../forms/command.ts";
import { type Fault, faultsOf } from "../forms/faults.ts";
import { fieldsOf, type Input, type Schema } from "../forms/form-model.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { Copy, Empty, Problem } from "../parts/bits.tsx";
import { FactLine } from "../parts/links.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { href, query, setQuery, worldId } from "../router.ts";
import type { ScreenProps } from "../screens.tsx";
import { refreshSoon } from "../stores/world.ts";

type Act = Schemas["Act"];

export function Acts({ rest: [name] }: ScreenProps) {
  const { data, problem } = useAsked(() => dataOf(control.peek().GET("/_sandbox/acts")), []);
  const words = query("q").toLowerCase();
  const acts = (data?.items ?? []).filter(({ act, summary }) => `${act} ${summary}`.toLowerCase().includes(words));
  const chosen = data?.items.find(({ act }) => act === name);
  return (
    <div class="beside">
      <section class="column" aria-label="Acts">
        <input
          type="search"
          placeholder="Filter acts"
          aria-label="Filter acts"
          value={query("q")}
          onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        />
        <Problem text={problem} />
        <WindowList
          label="Acts"
          items={acts}
          keyOf={({ act }) => act}
          line={({ act, summary }) => (
            <a class="line" href={href("acts", [act], { q: query("q") })} aria-current={act === name} title={summary}>
              {act}
            </a>
          )}
          empty={data && <Empty title="No act has these words." />}
        />
      </section>
      {chosen ? (
        <Form key={name} act={chosen} />
      ) : (
        <Empty title={name && data ? `There is no act ${name}.` : "Choose what the host does."}>
          <p>
            An act is what a host does and the public API has no endpoint for: cancel an event, refund an order, scan a
            ticket.
          </p>
        </Empty>
      )}
    </div>
  );
}

function begun(): Input {
  try {
    return JSON.parse(query("input") || "{}") as Input;
  } catch {
    return {};
  }
}

interface Outcome {
  answer?: Schemas["ActAnswer"];
  /** It was done in a fork, which is gone again. */
  isTrial?: boolean;
  faults: readonly Fault[];
}
const NOTHING: Outcome = { faults: [] };
const KEEP_MS = 400;

function Form({ act: { act, summary, description, input: schema, example } }: { act: Act }) {
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
  const whole = outcome.faults.filter(({ path }) => path === "");
  return (
    <form
      class="column grow"
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
          <SchemaForm fields={fieldsOf(schema as Schema)} input={input} faults={outcome.faults} onChange={change} />
          <Problem text={whole.map(({ sentence }) => sentence).join("\n")} />
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

/** An input as JSON, and as the command that does the same. */
export function Preview({ words, input }: { words: string; input: Input }) {
  const command = commandOf(words, input, worldId.value);
  const json = JSON.stringify(input, null, 2);
  return (
    <aside class="preview" aria-label="Preview">
      <div class="bar">
        <h4 class="grow">Input</h4>
        <Copy text={() => json}>Copy</Copy>
      </div>
      <pre class="code">{json}</pre>
      <div class="bar">
        <h4 class="grow">The same as a command</h4>
        <Copy text={() => command}>Copy</Copy>
      </div>
      <pre class="code wrap">{command}</pre>
    </aside>
  );
}

function Done({ answer, isTrial, faults }: Outcome) {
  if (!answer)
    return faults.length > 0 && isTrial ? (
      <p class="quiet">This was tried in a fork. Nothing has changed here.</p>
    ) : null;
  return (
    <div class="said" role="status">
      <p>{isTrial ? "In a fork it works. Nothing has changed here; it would say:" : "Done."}</p>
      <ul class="facts">
        {answer.facts.map(({ fact, id }) => (
          <li key={`${fact} ${id}`}>
            <FactLine fact={fact} id={id} isLink={!isTrial} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const refused = (reason: unknown, input: Input): readonly Fault[] =>
  reason instanceof SandboxError ? faultsOf(reason.message, input) : [{ path: "", sentence: sentenceOf(reason) }];

async function done(act: string, input: Input, isTrial = false, ask = control.peek()): Promise<Outcome> {
  try {
    return { answer: await dataOf(perform(ask, act, input)), isTrial, faults: [] };
  } catch (reason) {
    return { isTrial, faults: refused(reason, input) };
  }
}

/** In a copy of the world, which is removed again. */
async function tried(act: string, input: Input): Promise<Outcome> {
  const ask = control.peek();
  try {
    const path = { worldId: worldId.peek() };
    const { items } = await dataOf(
      ask.POST("/_sandbox/worlds/{worldId}/fork", { params: { path }, body: { count: 1 } }),
    );
    const fork = items[0]?.id ?? "";
    const outcome = await done(act, input, true, controlIn(fork));
    await ask.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: fork } } });
    return outcome;
  } catch (reason) {
    return { isTrial: true, faults: refused(reason, input) };
  }
}
