// The component for one line of the timeline.

import { formatMoveCounts } from "../../client/move-counts.ts";
import { count } from "../../platform/count.ts";
import type { Head } from "../entries.ts";
import { Phrases } from "../parts/links.tsx";
import { Badge, Button, formatInstant, Prose, Status } from "../parts/primitives.tsx";
import { toHref } from "../router.ts";
import { hasAttemptFailed, hasHeadFailed, type Story } from "../story/stories.ts";
import { formatDetail, formatDuration } from "./format-detail.ts";
import type { DetailRow, GroupRow, StoryRow, TimelineRow } from "./rows.ts";

interface LineProps {
  row: TimelineRow;
  onFold: () => void;
  isSelected: boolean;
  onSelect: (event: MouseEvent) => void;
}

/** A line of any kind. All lines have the same height, because the list positions them by it. */
export function Line({ row, onFold, isSelected, onSelect }: LineProps) {
  // Stories are checked first, because most lines are stories.
  if (row.type === "story") return <StoryLine {...row} onFold={onFold} isSelected={isSelected} onSelect={onSelect} />;
  if (row.type === "idle") return <p class="idle">{formatDuration(row.ms)} without anything</p>;
  return row.type === "group" ? <GroupLine {...row} onFold={onFold} /> : <DetailLine {...row} />;
}

/** Formats an instant as hours, minutes and seconds in UTC. */
const formatTime = (instant: string): string => instant.slice(11, 19);

const GroupLine = ({ name, count, failed, isOpen, first, last, onFold }: GroupRow & Pick<LineProps, "onFold">) => (
  <Button class="group plain" aria-expanded={isOpen} onClick={onFold}>
    <FoldMarker isOpen={isOpen} /> <strong>{name}</strong>
    <span class="quiet small">{count}</span>
    {failed > 0 && failed < count && <Badge tone="warn">{failed} with a failure</Badge>}
    <span class="quiet small">
      {formatTime(first)}
      {count > 1 && ` – ${formatTime(last)}`}
    </span>
  </Button>
);

/** The marker is decorative: the button around it announces whether it is expanded. */
const FoldMarker = ({ isOpen }: { isOpen: boolean }) => <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>;

const DetailLine = ({ to, label, mark, text }: DetailRow) => (
  <a class="detail" href={toHref("story", [to])}>
    <span class="quiet small">{label}</span>
    <span class="cut">
      {mark && <span class={mark.isBad ? "tone bad" : "tone ok"}>{mark.text}</span>} <Prose text={text} />
    </span>
  </a>
);

function StoryLine({ story, isOpen, isUndone, onFold, isSelected, onSelect }: StoryRow & Omit<LineProps, "row">) {
  const { head } = story;
  const look = `story${hasHeadFailed(head) ? " failed" : ""}${isUndone ? " undone" : ""}`;
  return (
    <>
      <a class={look} href={toHref("story", [head.id])}>
        <time class="quiet" dateTime={head.wall_at} title={`Real time ${head.wall_at}; the world's time ${head.at}`}>
          {formatTime(head.wall_at)}
          {/* Milliseconds distinguish requests of the same second, but are hidden on narrow screens. */}
          <span class="fine">{head.wall_at.slice(19, 23)}</span>
        </time>
        <What head={head} />
        <span class="cut came">
          {isUndone && <Badge title="A rewind has undone it">undone</Badge>} <Outcome head={head} />
        </span>
        <WebhookCounts story={story} />
        <span class="quiet number">{"duration_ms" in head ? formatMs(head.duration_ms) : ""}</span>
      </a>
      <Button
        class="fold plain"
        // The keys x and v do the same, so the Tab key skips this button.
        tabIndex={-1}
        aria-expanded={isOpen}
        aria-label={`Unfold ${head.id}`}
        onClick={onFold}
      >
        <FoldMarker isOpen={isOpen} />
      </Button>
      <input
        type="checkbox"
        class="pick"
        tabIndex={-1}
        aria-label={`Select ${head.id}`}
        title="Select it (v), or all up to it (Shift, V)"
        checked={isSelected}
        onClick={onSelect}
      />
    </>
  );
}

/** Formats milliseconds, with one decimal below ten. */
const formatMs = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

/** The three columns that say what happened: the kind, the name and the result. */
function What({ head }: { head: Head }) {
  const [verb, name] = nameHead(head);
  return (
    <>
      <span class={head.kind === "act" ? "verb act" : "verb"}>{verb}</span>
      <span class="cut">{name}</span>
      {head.kind === "request" && <Status status={head.status} />}
      {head.kind === "act" && <Badge tone={head.status === "done" ? "ok" : "warn"}>{head.status}</Badge>}
      {(head.kind === "clock" || head.kind === "world") && <span />}
    </>
  );
}

function nameHead(head: Head): [verb: string, name: string] {
  if (head.kind === "request") return [head.method, head.operation ?? head.path];
  if (head.kind === "act") return ["act", head.act];
  if (head.kind === "world") return ["world", head.change];
  // The duration is shown, because instants are wider than the column.
  return ["clock", `+${formatDuration(Date.parse(head.to) - Date.parse(head.from))}`];
}

/** The outcome in the phrases of the sandbox, such as "booking created: Anna Holm · …", or the error. */
function Outcome({ head }: { head: Head }) {
  const phrases = head.told ?? [];
  if (head.kind === "clock")
    return (
      <>
        → <span class="id">{formatInstant(head.to)}</span>
        <span class="quiet"> · {formatMoveCounts(head.counts)}</span>
        {phrases.length > 0 && " · "}
        <Phrases phrases={phrases} />
      </>
    );
  if (head.kind === "world")
    return <span class="quiet">{head.change === "rewind" ? formatRewind(head) : formatDetail(head.detail)}</span>;
  return (
    <>
      <Phrases phrases={phrases} />
      {head.code && <span class="tone bad">{head.code} </span>}
      {/* Phrases of a rejection are more specific than its message. */}
      {head.message && phrases.length === 0 && (
        <span class="quiet small">
          <Prose text={head.message} />
        </span>
      )}
    </>
  );
}

/** Formats the target of a rewind and the number of undone changes. */
const formatRewind = ({ at, detail: { undone } }: Extract<Head, { kind: "world" }>): string =>
  `to ${formatInstant(at)} · ${count(Number(undone), "change")} undone`;

/** The number of webhooks, of those that were delivered, and of those that were not (yet). */
function WebhookCounts({ story: { head, deliveries } }: { story: Story }) {
  const sent = "message_count" in head ? head.message_count : 0;
  const failed = deliveries.filter(hasAttemptFailed).length;
  const delivered = deliveries.length - failed;
  if (sent + deliveries.length === 0) return <span />;
  return (
    <span class="small">
      <span class="quiet">
        {sent} <span class="for-readers">{sent === 1 ? "webhook" : "webhooks"}</span>
      </span>
      {delivered > 0 && <span class="tone ok"> ✓{delivered}</span>}
      {failed > 0 && <span class="tone bad"> ✗{failed}</span>}
    </span>
  );
}
