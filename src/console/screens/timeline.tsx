// The timeline: one line per story, the newest at the bottom. A line links to its story; `x` unfolds it, `v` selects it
// for a scenario.
import { useEffect, useMemo } from "preact/hooks";
import { toDigits } from "../../platform/amount-text.ts";
import { formatCommand } from "../../platform/format-command.ts";
import { reach, read } from "../api.ts";
import { BEGINNINGS } from "../entries.ts";
import { useKeys } from "../keys.ts";
import { ActionButton, Filter } from "../parts/actions.tsx";
import { Button, Empty } from "../parts/primitives.tsx";
import { Headings } from "../parts/table.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { useQuery } from "../query.ts";
import {
  decodeText,
  getQuery,
  getQueryList,
  sandboxUrl,
  setQuery,
  toggleQueryItem,
  toHref,
  worldId,
} from "../router.ts";
import { droppedCount, isLoadingLog, loadAll, loadOlder, mayHaveOlder, stories } from "../store.ts";
import { Line } from "../timeline/line.tsx";
import { buildRows, GROUPINGS, type Grouping, type TimelineRow } from "../timeline/rows.ts";
import { SaveScenario } from "../timeline/save-scenario.tsx";

export function Timeline() {
  const [text, onlyFailed, open] = [getQuery("q"), getQuery("failed") === "1", getQuery("open")];
  const by = getQuery("by") in GROUPINGS ? (getQuery("by") as Grouping) : undefined;
  const all = stories.value;
  const { rows, matching } = useMemo(() => {
    const toggled = new Set(getQueryList("open").map(decodeText));
    return buildRows(all, { text, onlyFailed, by, toggled });
  }, [all, text, onlyFailed, by, open]);
  // A search or grouping needs the complete log.
  const isWhole = text === "" && !onlyFailed && by === undefined;
  useEffect(() => {
    // A failed load is repeated when the sandbox is back.
    if (!isWhole) void loadAll().catch(() => undefined);
  }, [isWhole, worldId.value, mayHaveOlder.value, reach.value === "away"]);
  const toggle = (row: TimelineRow) => toggleQueryItem("open", encodeURIComponent(foldKey(row)));
  const toggleQuery = (name: string, value: string) => () =>
    setQuery({ [name]: getQuery(name) === value ? undefined : value });
  useKeys({
    f: { help: "only failures, or all", run: toggleQuery("failed", "1") },
    t: { help: "group by test, or not", run: toggleQuery("by", "test") },
    e: { help: "group failures, or not", run: toggleQuery("by", "failure") },
  });
  const selected = new Set(getQueryList("pick"));
  const select = (row: TimelineRow) => row.type === "story" && toggleQueryItem("pick", row.story.head.id);
  const selectTo = (row: TimelineRow) => row.type === "story" && selectRange(row.story.head.id, rows);
  return (
    <>
      <div class="bar">
        <Filter
          label="Filter the stories"
          placeholder="Filter: operation, id, status, webhook kind, client …"
          class="wide"
        />
        <Button aria-pressed={onlyFailed} onClick={toggleQuery("failed", "1")}>
          Only failures
        </Button>
        <GroupChooser by={by} />
        <span class="quiet small grow" role="status">
          {formatStoryCount(matching, all.length)}
        </span>
        <OlderEntries />
      </div>
      {selected.size > 0 && <Selection ids={[...selected]} />}
      <Headings look="story" names={["Time", "", "What", "Result", "Outcome", "Webhooks", "Took"]} />
      <WindowList
        label="Stories"
        follow
        look="tall"
        items={rows}
        keyOf={({ key }) => key}
        keys={{
          x: { help: "fold or unfold", run: toggle },
          v: { help: "select it, or not", run: select },
          V: { help: "select all up to it", run: selectTo },
        }}
        line={(row) => (
          <Line
            row={row}
            onFold={() => toggle(row)}
            isSelected={row.type === "story" && selected.has(row.story.head.id)}
            onSelect={({ shiftKey }) => (shiftKey ? selectTo : select)(row)}
          />
        )}
        empty={<EmptyTimeline isFiltered={text !== "" || onlyFailed || by === "failure"} />}
      />
      {isUnusedWorld(rows) && <EmptyTimeline isFiltered={false} />}
    </>
  );
}

/** The actions for selected stories. The address holds the selection, so it can be shared. */
const Selection = ({ ids }: { ids: readonly string[] }) => (
  <section class="bar" aria-label="Selection">
    <strong>{ids.length} selected</strong>
    <SaveScenario entries={ids} />
    <Button class="plain" onClick={() => setQuery({ pick: undefined })}>
      Clear selection
    </Button>
  </section>
);

/** Selects all stories between the one that was selected last and this one, both included. */
function selectRange(id: string, rows: readonly TimelineRow[]): void {
  const ids = rows.flatMap((row) => (row.type === "story" ? [row.story.head.id] : []));
  const selected = getQueryList("pick");
  const [from, to] = [ids.indexOf(selected.at(-1) ?? id), ids.indexOf(id)];
  const range = ids.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1);
  setQuery({ pick: [...new Set([...selected, ...range])].join(",") });
}

/** Changing the grouping forgets the opened groups, because their keys belong to the previous grouping. */
function GroupChooser({ by }: { by: Grouping | undefined }) {
  return (
    <select
      aria-label="Group"
      value={by ?? ""}
      onChange={({ currentTarget }) => setQuery({ by: currentTarget.value, open: undefined })}
    >
      <option value="">No groups</option>
      {Object.entries(GROUPINGS).map(([name, { label }]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Returns the key of the story or group that a line belongs to. */
const foldKey = ({ type, key }: TimelineRow): string =>
  type === "story" || type === "group" ? key : (key.split("-")[0] as string);

const formatNumber = (number: number): string => toDigits(number, 0, true);

function formatStoryCount(matching: number, all: number): string {
  const whole = `${formatNumber(all)} ${all === 1 ? "story" : "stories"}`;
  return matching === all ? whole : `${formatNumber(matching)} of ${whole}`;
}

/** The number of dropped entries, and a button that loads older ones. */
const OlderEntries = () => (
  <>
    {droppedCount.value > 0 && (
      <span class="quiet small" title="The log of the sandbox is bounded.">
        {formatNumber(droppedCount.value)} entries gone from the log
      </span>
    )}
    {mayHaveOlder.value && <ActionButton run={loadOlder}>Load older</ActionButton>}
  </>
);

/** Returns true if the only story is the creation of the world. */
function isUnusedWorld([first, second]: readonly TimelineRow[]): boolean {
  if (first?.type !== "story" || second) return false;
  const { head } = first.story;
  return head.kind === "world" && head.change === "created";
}

/** An empty list has three reasons, each with its own advice. */
function EmptyTimeline({ isFiltered }: { isFiltered: boolean }) {
  if (isLoadingLog.value || (isFiltered && mayHaveOlder.value)) return <Empty title="Reading the log …" />;
  if (isFiltered)
    return (
      <Empty title="No story matches.">
        <Button onClick={() => setQuery({ q: undefined, failed: undefined, by: undefined })}>Show all</Button>
      </Empty>
    );
  return <UnusedWorld />;
}

/** The log covers this run and node only, so it may start long after the world was created. */
function UnusedWorld() {
  const { data, loading: isReading } = useQuery([], () => read("/_sandbox/history", { query: { limit: 1 } }));
  if (isReading) return <Empty title="Reading the log …" />;
  const why = data?.kept.began.why;
  const world = worldId.value === "default" ? "" : ` --world ${worldId.value}`;
  return (
    <Empty title={why ? `Nothing has happened since ${BEGINNINGS[why]}.` : "The log is empty."}>
      {why && why !== "created" && (
        <p>
          The log has no earlier entries; their results are in the <a href={toHref("records")}>records</a> and the{" "}
          <a href={toHref("records", ["ledger"])}>ledger</a>.
        </p>
      )}
      <p>Requests, acts, moves of the clock and webhooks are shown here as they happen. To begin:</p>
      <pre>
        {formatCommand(`call listEvents${world} --url ${sandboxUrl}`)}
        {"\n"}
        {formatCommand(`act cancelEvent --set event_id=evt-morning${world} --url ${sandboxUrl}`)}
      </pre>
    </Empty>
  );
}
