// The clock screen: past changes and due items. Dragging the handle forward runs a dry run, releasing it asks for
// confirmation, and a summary follows.
import { useState } from "preact/hooks";
import { control, describeError, type Schemas, unwrap } from "../api.ts";
import { ClockForm, type ClockMove, rewindWorld } from "../clock/clock-form.tsx";
import { UpcomingList } from "../clock/due-list.tsx";
import { type Past, PastChanges } from "../clock/past-changes.tsx";
import { type MoveOutcome, Receipt } from "../clock/receipt.tsx";
import { createScale, parseInstant, SPANS, toIsoString } from "../clock/scale.ts";
import { Scrubber } from "../clock/scrubber.tsx";
import { Button, Problem } from "../parts/primitives.tsx";
import { useWorldNow } from "../parts/use-world-now.ts";
import { useQuery } from "../query.ts";
import { getQuery, setQuery } from "../router.ts";
import { refresh, sandbox } from "../stores/world.ts";
import { worldVersion } from "../stores/world-version.ts";
import "../clock/clock.css";

/** More marks than this can't be distinguished on the width of a screen. */
const MAX_DUE = 200;
const CHANGES_PER_PAGE = 200;

/** Loads due items and past changes together, so that the screen never shows only one of them. */
async function loadDueAndPast(until: string, pages: number) {
  const params = { query: { until, limit: MAX_DUE } };
  const [due, past] = await Promise.all([
    unwrap(control.peek().GET("/_sandbox/clock/due", { params })),
    readPast(pages),
  ]);
  return { due, past };
}

/** Loads pages of the latest changes. The result has the oldest change first. */
async function readPast(pages: number): Promise<Past> {
  const items: Past["items"] = [];
  for (let page = 1; ; page++) {
    const older = items[0] && { before: items[0].seq };
    const query = { fold: true, limit: CHANGES_PER_PAGE, ...older };
    const past = await unwrap(control.peek().GET("/_sandbox/history", { params: { query } }));
    items.unshift(...past.items);
    const hasOlder = past.items.length === CHANGES_PER_PAGE;
    if (page >= pages || !hasOlder) return { ...past, items, hasOlder };
  }
}

export function Clock() {
  const described = sandbox.value;
  const [move, setMove] = useState<ClockMove | undefined>(undefined);
  const [outcome, setOutcome] = useState<MoveOutcome | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const [pages, setPages] = useState(1);
  const span = SPANS.find(({ name }) => name === getQuery("span")) ?? (SPANS[1] as (typeof SPANS)[number]);
  const now = Date.parse(described?.now ?? "");
  const until = Number.isNaN(now) ? "" : toIsoString(now + span.ms);
  const future = useQuery(
    [worldVersion.value, until, pages],
    // The query waits until the clock is known.
    () => (until ? loadDueAndPast(until, pages) : new Promise<never>(() => undefined)),
  );
  if (!described) return <p class="quiet">Loading …</p>;
  const { due, past } = future.data ?? {};
  const since = Date.parse(past?.kept.from.at ?? "") || now;
  const scale = createScale(now, span.ms, since);
  const target = parseInstant(getQuery("to")) ?? now;
  const named = new Map(due?.items.map((item) => [item.id, item]));
  const perform = (work: () => Promise<MoveOutcome>) => {
    setMove(undefined);
    work().then(
      (done) => {
        setOutcome({ ...done, named });
        setProblem("");
        setQuery({ to: undefined });
        void refresh();
        // A move changes both the due items and the past changes.
        future.reload();
      },
      (reason) => setProblem(describeError(reason)),
    );
  };
  // Releasing the handle at the current time does nothing.
  const askToMove = (at: number) => at !== now && setMove({ at, now });
  return (
    <>
      <ClockBar described={described} span={span.name} onProblem={setProblem} />
      <Scrubber
        scale={scale}
        now={now}
        target={target}
        due={due?.items.map(({ at }) => Date.parse(at)) ?? []}
        past={past?.items.map(({ at }) => Date.parse(at)) ?? []}
        onDrag={(at) => setQuery({ to: at === now ? undefined : toIsoString(at) })}
        onRelease={askToMove}
      />
      <Problem text={problem || future.problem} />
      {outcome && (
        <Receipt
          outcome={outcome}
          onClose={() => setOutcome(undefined)}
          onUndo={(to) => perform(() => rewindWorld(String(to)))}
        />
      )}
      <div class="two grow-down">
        <PastChanges
          past={past}
          onBack={(point) => setMove({ at: Date.parse(point.at), now, point })}
          onOlder={() => setPages(pages + 1)}
        />
        <UpcomingList due={due} named={named} now={now} target={target} onMoveTo={askToMove} />
      </div>
      {move && <ClockForm move={move} onClose={() => setMove(undefined)} perform={perform} />}
    </>
  );
}

interface BarProps {
  described: Schemas["SandboxDescription"];
  span: string;
  onProblem: (text: string) => void;
}

function ClockBar({ described, span, onProblem }: BarProps) {
  const runs = described.mode === "running";
  const now = useWorldNow();
  const change = async () => {
    const body = { mode: runs ? ("held" as const) : ("running" as const) };
    const { error, response } = await control.peek().PUT("/_sandbox/clock", { body });
    onProblem(response.ok ? "" : String((error as { message?: string })?.message ?? response.status));
    await refresh();
  };
  return (
    <div class="bar">
      <strong>{now.slice(0, 19).replace("T", " ")} UTC</strong>
      <span class="quiet">{runs ? "Running in real time" : "Held until moved"}</span>
      <Button onClick={() => void change()}>{runs ? "Hold clock" : "Run clock"}</Button>
      <span class="grow" />
      {SPANS.map(({ name }) => (
        <Button key={name} aria-pressed={name === span} onClick={() => setQuery({ span: name, to: undefined })}>
          {name}
        </Button>
      ))}
    </div>
  );
}
