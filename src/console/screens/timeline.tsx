// What happened in this world, one line a story, the newest below. A line is a link to its story; `x` unfolds what came of it.
import { useMemo, useState } from "preact/hooks";
import { sentenceOf } from "../api.ts";
import { useKeys } from "../keys.ts";
import { Empty, Problem } from "../parts/bits.tsx";
import { Filter } from "../parts/filter.tsx";
import { Headings } from "../parts/table.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { query, sandboxUrl, setQuery, worldId } from "../router.ts";
import { changed, left, loading, loadOlder, mayHaveOlder, stories } from "../stores/log.ts";
import { Line } from "../timeline/line.tsx";
import { type Row, rowsOf, undoneIn } from "../timeline/rows.ts";
import "../timeline/timeline.css";

export function Timeline() {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [text, onlyFailed, byTest] = [query("q"), query("failed") === "1", query("by") === "test"];
  const turn = changed.value;
  const { rows, matching } = useMemo(
    () => rowsOf(stories.all, { text, onlyFailed, byTest, toggled, undone: undoneIn(stories.all) }),
    [turn, text, onlyFailed, byTest, toggled],
  );
  const toggle = (row: Row) => {
    const key = foldKey(row);
    const next = new Set(toggled);
    if (!next.delete(key)) next.add(key);
    setToggled(next);
  };
  const flip = (name: string, value: string) => () => setQuery({ [name]: query(name) === value ? undefined : value });
  useKeys({
    f: { does: "only failures, or all", run: flip("failed", "1") },
    t: { does: "group by test, or not", run: flip("by", "test") },
  });
  return (
    <>
      <div class="bar">
        <Filter
          label="Filter the stories"
          placeholder="Filter: operation, id, status, webhook kind, client …"
          class="wide"
        />
        <button type="button" aria-pressed={onlyFailed} onClick={flip("failed", "1")}>
          Only failures
        </button>
        <button type="button" aria-pressed={byTest} onClick={flip("by", "test")}>
          Group by test
        </button>
        <span class="quiet small" role="status">
          {counted(matching, stories.all.length)}
        </span>
        <span class="grow" />
        <Older />
      </div>
      <Headings look="story" names={["Time", "", "What", "Result", "What came of it", "Webhooks", "Took"]} />
      <WindowList
        label="Stories"
        follow
        narrow={48}
        items={rows}
        keyOf={({ key }) => key}
        onFold={toggle}
        line={(row) => <Line row={row} onFold={() => toggle(row)} />}
        empty={<Nothing isFiltered={text !== "" || onlyFailed} />}
      />
    </>
  );
}

/** What a line unfolds: itself, or of a detail the story that it belongs to. */
const foldKey = ({ type, key }: Row): string =>
  type === "story" || type === "test" ? key : (key.split("-")[0] as string);

function counted(matching: number, all: number): string {
  const whole = `${all.toLocaleString("en")} ${all === 1 ? "story" : "stories"}`;
  return matching === all ? whole : `${matching.toLocaleString("en")} of ${whole}`;
}

/** What the timeline does not show, and the way to it. */
function Older() {
  const [problem, setProblem] = useState("");
  const load = () =>
    void loadOlder().then(
      () => setProblem(""),
      (reason) => setProblem(sentenceOf(reason)),
    );
  const gone = left.value + stories.dropped;
  return (
    <>
      {gone > 0 && (
        <span class="quiet small" title="The log of the sandbox is bounded, and so is the memory of this page.">
          {gone.toLocaleString("en")} entries left out
        </span>
      )}
      {mayHaveOlder.value && (
        <button type="button" onClick={load}>
          Load older
        </button>
      )}
      <Problem text={problem} />
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No story matches.">
        <button type="button" onClick={() => setQuery({ q: undefined, failed: undefined })}>
          Show all
        </button>
      </Empty>
    );
  if (loading.value) return <Empty title="Reading the log …" />;
  const world = worldId.value === "default" ? "" : ` --world ${worldId.value}`;
  return (
    <Empty title="Nothing has happened in this world yet.">
      <p>Requests, acts, moves of the clock and webhooks are shown here as they happen. To begin:</p>
      <pre>
        npx experience-sandbox call listEvents{world} --url {sandboxUrl}
        {"\n"}npx experience-sandbox act cancelEvent --set event_id=evt-morning{world} --url {sandboxUrl}
      </pre>
    </Empty>
  );
}
