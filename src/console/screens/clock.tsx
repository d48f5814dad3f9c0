// The clock screen: past changes and due items. Dragging the handle forward runs a dry run, releasing it asks for
// confirmation, and a summary follows.
import { useState } from "preact/hooks";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { control, read, type Schemas, unwrap } from "../api.ts";
import {
  ClockDialog,
  type ClockMove,
  DueLine,
  MoveLines,
  type MoveOutcome,
  type NamedItems,
  Receipt,
  rewindWorld,
} from "../clock/moves.tsx";
import { type Past, PastChanges } from "../clock/past-changes.tsx";
import { createScale, MINUTE_MS, SPANS, toIsoString } from "../clock/scale.ts";
import { Scrubber } from "../clock/scrubber.tsx";
import { ActionButton } from "../parts/actions.tsx";
import { Button, formatInstant, Loading, Problem } from "../parts/primitives.tsx";
import { useAction, useDebounced, useQuery } from "../query.ts";
import { getQuery, setQuery } from "../router.ts";
import { sandbox, useWorldNow, worldVersion } from "../store.ts";

/** More marks than this can't be distinguished on the width of a screen. */
const MAX_DUE = 200;
const CHANGES_PER_PAGE = 200;

/** Loads due items and past changes together, so that the screen never shows only one of them. */
async function loadDueAndPast(until: string, pages: number) {
  const query = { until, limit: MAX_DUE };
  const [due, past] = await Promise.all([read("/_sandbox/clock/due", { query }), readPast(pages)]);
  return { due, past };
}

/** Loads pages of the latest changes. The result has the oldest change first. */
async function readPast(pages: number): Promise<Past> {
  const items: Past["items"] = [];
  for (let page = 1; ; page++) {
    const query = { fold: true, limit: CHANGES_PER_PAGE, before: items[0]?.seq };
    const past = await read("/_sandbox/history", { query });
    items.unshift(...past.items);
    const hasOlder = past.items.length === CHANGES_PER_PAGE;
    if (page >= pages || !hasOlder) return { ...past, items, hasOlder };
  }
}

interface ClockScreenProps {
  described: Schemas["SandboxDescription"];
  /** The last move, with the items that were due before it. */
  done: { outcome: MoveOutcome; named: NamedItems } | undefined;
  setDone: (done: ClockScreenProps["done"]) => void;
}

/** The summary of a move stays visible when the move has led to another world. */
export function Clock() {
  const [done, setDone] = useState<ClockScreenProps["done"]>(undefined);
  if (!sandbox.value) return <Loading />;
  return <ClockScreen described={sandbox.value} done={done} setDone={setDone} />;
}

type Span = keyof typeof SPANS;

function ClockScreen({ described, done, setDone }: ClockScreenProps) {
  const [move, setMove] = useState<ClockMove | undefined>(undefined);
  const [pages, setPages] = useState(1);
  const action = useAction();
  const span = getQuery("span") in SPANS ? (getQuery("span") as Span) : "1 week";
  const now = Date.parse(described.now);
  // In full minutes, so that the lists are not read every second while the clock runs.
  const until = toIsoString(Math.floor((now + SPANS[span]) / MINUTE_MS) * MINUTE_MS);
  const { data, problem } = useQuery([worldVersion.value, until, pages], () => loadDueAndPast(until, pages));
  const { due, past } = data ?? {};
  const scale = createScale(now, SPANS[span], Date.parse(past?.kept.from.at ?? "") || now);
  const target = Date.parse(getQuery("to")) || now;
  const named = new Map(due?.items.map((item) => [item.id, item]));
  const perform = (work: () => Promise<MoveOutcome>) => {
    setMove(undefined);
    void action.run(async () => {
      setDone({ outcome: await work(), named });
      setQuery({ to: undefined });
    });
  };
  // Releasing the handle at the current time does nothing.
  const askToMove = (at: number) => at !== now && setMove({ at, now });
  return (
    <>
      <ClockBar described={described} span={span} />
      <Scrubber
        scale={scale}
        now={now}
        target={target}
        due={due?.items.map(({ at }) => Date.parse(at)) ?? []}
        past={past?.items.map(({ at }) => Date.parse(at)) ?? []}
        onDrag={(at) => setQuery({ to: at === now ? undefined : toIsoString(at) })}
        onRelease={askToMove}
      />
      <Problem text={action.problem || problem} />
      {done && (
        <Receipt {...done} onClose={() => setDone(undefined)} onUndo={(to) => perform(() => rewindWorld(String(to)))} />
      )}
      <div class="two grow-down">
        <PastChanges
          past={past}
          onBack={(point) => setMove({ at: Date.parse(point.at), now, point })}
          onOlder={() => setPages(pages + 1)}
        />
        <UpcomingList due={due} named={named} now={now} target={target} onMoveTo={askToMove} />
      </div>
      {move && <ClockDialog move={move} onClose={() => setMove(undefined)} perform={perform} />}
    </>
  );
}

function ClockBar({ described, span }: { described: Schemas["SandboxDescription"]; span: Span }) {
  const runs = described.mode === "running";
  const change = () => unwrap(control.peek().PUT("/_sandbox/clock", { body: { mode: runs ? "held" : "running" } }));
  return (
    <div class="bar">
      <strong>{formatInstant(useWorldNow(), true)} UTC</strong>
      <span class="quiet">{runs ? "Running in real time" : "Held until moved"}</span>
      <ActionButton run={change}>{runs ? "Hold clock" : "Run clock"}</ActionButton>
      <span class="grow" />
      {Object.keys(SPANS).map((name) => (
        <Button key={name} aria-pressed={name === span} onClick={() => setQuery({ span: name, to: undefined })}>
          {name}
        </Button>
      ))}
    </div>
  );
}

interface UpcomingListProps {
  due: Schemas["DueList"] | undefined;
  named: NamedItems;
  now: number;
  target: number;
  onMoveTo: (at: number) => void;
}

/** Lists what is due until the end of the scale. A dry run shows what a move to `target` would do. */
function UpcomingList({ due, named, now, target, onMoveTo }: UpcomingListProps) {
  // A dry run is expensive, so it waits until the handle rests.
  const until = useDebounced(target);
  const { data, problem } = useQuery([until, now], () => tryMove(until, now));
  const later = due?.items.filter(({ at }) => Date.parse(at) > target) ?? [];
  const next = due?.items[0];
  return (
    <section class="panel scroll" aria-label="Upcoming">
      <div class="bar">
        <h2>Upcoming</h2>
        {next && <Button onClick={() => onMoveTo(Date.parse(next.at))}>Move to next …</Button>}
      </div>
      <Problem text={problem} />
      {data && target > now && (
        <>
          <h3>Up to the handle: {formatMoveCounts(data.counts)}</h3>
          <div class="dry">
            <MoveLines lines={data.receipt} named={named} />
          </div>
          {later.length > 0 && <h3>Later</h3>}
        </>
      )}
      <ul class="plain-list">
        {later.map((line) => (
          <DueLine key={`${line.what} ${line.id}`} {...line} />
        ))}
      </ul>
      {due?.more && <p class="quiet">More items are due than are listed.</p>}
      {due && due.items.length === 0 && <p class="quiet">Nothing is due in this period.</p>}
    </section>
  );
}

async function tryMove(until: number, now: number): Promise<Schemas["ClockMoved"] | undefined> {
  // A dry run needs a target in the future.
  if (until <= now) return undefined;
  const body = { until: toIsoString(until), dry_run: true };
  return unwrap(control.peek().POST("/_sandbox/clock/advance", { body }));
}
