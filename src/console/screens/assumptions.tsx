// The assumptions screen: what the service leaves open, what the sandbox does, why, and the alternatives.
import { useEffect, useState } from "preact/hooks";
import { control, type Schemas, unwrap } from "../api.ts";
import { Filter } from "../parts/actions.tsx";
import { Badge, Button, Empty, Loading, Problem, Prose } from "../parts/primitives.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { useAction, useRead } from "../query.ts";
import { getQuery, type ScreenProps, setQuery, toHref } from "../router.ts";

type Assumption = Schemas["Assumption"];

const isOverridden = ({ value, default: byDefault }: Assumption): boolean => value !== byDefault;

export function Assumptions({ rest: [id] }: ScreenProps) {
  const { data, problem } = useRead("/_sandbox/assumptions");
  const register = data?.items ?? [];
  const words = getQuery("q").toLowerCase();
  const only = getQuery("only");
  // The filter searches the complete entry: gap, basis and alternatives.
  const listed = register
    .filter((each) => JSON.stringify(each).toLowerCase().includes(words))
    .filter((each) =>
      only === "flipped" ? isOverridden(each) : only === "open" ? each.alternatives.length > 0 : true,
    );
  const chosen = register.find((each) => each.id === id);
  const choose = (name: string) => setQuery({ only: only === name ? undefined : name });
  return (
    <div class="beside">
      <section class="stack" aria-label="Assumptions">
        <Filter label="Filter assumptions" />
        <div class="bar">
          <Button aria-pressed={only === "open"} onClick={() => choose("open")}>
            With alternatives
          </Button>
          <Button aria-pressed={only === "flipped"} onClick={() => choose("flipped")}>
            Overridden
          </Button>
        </div>
        <Problem text={problem} />
        <WindowList
          label="Assumptions"
          items={listed}
          keyOf={(each) => each.id}
          line={(each) => (
            <a
              class="line"
              href={toHref("assumptions", [each.id], { q: getQuery("q"), only })}
              aria-current={each.id === id}
            >
              <span class="label">{each.id}</span>
              {isOverridden(each) ? (
                <Badge tone="warn">{each.value}</Badge>
              ) : (
                each.alternatives.length > 0 && <span class="quiet">{each.alternatives.length + 1} values</span>
              )}
            </a>
          )}
          empty={
            data ? (
              <Empty
                title={only === "flipped" ? "No assumption is overridden." : "No assumptions match your search."}
              />
            ) : (
              !problem && <Loading />
            )
          }
        />
      </section>
      {chosen ? (
        <AssumptionDetail key={chosen.id} assumption={chosen} />
      ) : (
        <Empty title="Select an assumption.">
          <p>
            The API description leaves some behaviour open, so the sandbox assumes a value. Override it to find out
            whether your program depends on it.
          </p>
        </Empty>
      )}
    </div>
  );
}

/** An assumption with its possible values. Choosing one applies it to the world at once. */
function AssumptionDetail({ assumption }: { assumption: Assumption }) {
  const { id, gap, chosen, basis, value, default: byDefault, alternatives } = assumption;
  const { problem, run } = useAction();
  // The selection changes before the request, so that it does not jump back. A rejected value is not kept.
  const [selected, setSelected] = useState(value);
  useEffect(() => setSelected(value), [value, problem]);
  const answers = [{ value: byDefault, meaning: chosen }, ...alternatives];
  const overrideValue = (next: string) => {
    setSelected(next);
    void run(() => unwrap(control.peek().PUT("/_sandbox/assumptions", { body: { [id]: next } })));
  };
  return (
    <section class="stack grow" aria-label={id}>
      <h2>{id}</h2>
      <h3>Open question</h3>
      <p>
        <Prose text={gap} />
      </p>
      <h3>Sandbox behaviour</h3>
      {answers.length === 1 ? (
        <p>
          <Prose text={chosen} />
        </p>
      ) : (
        <fieldset class="answers">
          <legend class="for-readers">Current value</legend>
          {answers.map((answer) => (
            <label key={answer.value}>
              <input
                type="radio"
                name={id}
                checked={answer.value === selected}
                onChange={() => overrideValue(answer.value)}
              />
              <span>
                <code>{answer.value}</code> {answer.value === byDefault && <Badge>default</Badge>}
                {answer.value === value && answer.value !== byDefault && <Badge tone="warn">current</Badge>}
                <br />
                <Prose text={answer.meaning} />
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <Problem text={problem} />
      <h3>Basis</h3>
      <p>{basis.join(", ")}</p>
      {answers.length > 1 && (
        <p class="quiet">
          The same as a command:{" "}
          <code>
            sandbox start --assume {id}={answers.find((each) => each.value !== value)?.value}
          </code>
        </p>
      )}
    </section>
  );
}
