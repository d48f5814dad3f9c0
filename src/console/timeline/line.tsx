// The component for one line of the timeline.

import type { ComponentChildren } from "preact";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { count } from "../../platform/count.ts";
import { type DeliveryEntry, getActionName, type Head } from "../entries.ts";
import { Phrases } from "../parts/phrases.tsx";
import { Badge, Button, Prose, Status } from "../parts/primitives.tsx";
import { toHref } from "../router.ts";
import { hasAttemptFailed, hasHeadFailed, type Story } from "../story/stories.ts";
import { formatDetail, formatDuration } from "./format-detail.ts";
import { countDeliveries, type TimelineRow } from "./rows.ts";

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
  if (row.type === "group") return <GroupLine {...row} onFold={onFold} />;
  if (row.type === "undone") return <UndoneLine {...row} />;
  if (row.type === "delivery") return <DeliveryLine delivery={row.delivery} />;
  if (row.type === "fact")
    return (
      <Detail to={row.fact.id} label="fact">
        {row.fact.fact} <span class="id">{row.fact.id}</span>
      </Detail>
    );
  return (
    <Detail to={row.id} label="why">
      <span class="bad-text">{row.code}</span> <Prose text={row.text} />
    </Detail>
  );
}

function GroupLine({ name, count, failed, isOpen, first, last, onFold }: GroupRow & { onFold: () => void }) {
  return (
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
}

/** Formats an instant as hours, minutes and seconds in UTC. */
const formatTime = (instant: string): string => instant.slice(11, 19);

/** The marker is decorative: the button around it announces whether it is expanded. */
const FoldMarker = ({ isOpen }: { isOpen: boolean }) => <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>;

function Detail({ to, label, children }: { to: string; label: string; children: ComponentChildren }) {
  return (
    <a class="detail" href={toHref("story", [to])}>
      <span class="quiet small">{label}</span>
      <span class="cut">{children}</span>
    </a>
  );
}

function UndoneLine({ id, story }: Extract<TimelineRow, { type: "undone" }>) {
  const head = story?.head;
  return (
    <Detail to={id} label="undone">
      {(head && getActionName(head)) ?? id} <Phrases phrases={head?.told ?? []} />
    </Detail>
  );
}

function DeliveryLine({ delivery }: { delivery: DeliveryEntry }) {
  const { webhook_kind, message_id, url, attempt, state } = delivery;
  // A receiver that rejected has a status; an unreachable one has an error.
  const answer = attempt.status ?? attempt.error ?? "no answer";
  return (
    <Detail to={message_id} label="webhook">
      {hasAttemptFailed(delivery) ? <span class="bad-text">✗</span> : <span class="ok-text">✓</span>} {webhook_kind} →{" "}
      <span class="id">{url}</span> {answer}
      <span class="quiet">
        {" "}
        · attempt {attempt.number} · {state}
      </span>
    </Detail>
  );
}

type StoryRow = Extract<TimelineRow, { type: "story" }>;
type GroupRow = Extract<TimelineRow, { type: "group" }>;

function StoryLine({ story, isOpen, isUndone, onFold, isSelected, onSelect }: StoryRow & Omit<LineProps, "row">) {
  const { head } = story;
  const look = `story${hasHeadFailed(head) ? " failed" : ""}${isUndone ? " undone" : ""}`;
  return (
    <>
      <a class={look} href={toHref("story", [head.id])}>
        <time class="quiet" dateTime={head.wall_at} title={`Real time ${head.wall_at}; the world's time ${head.at}`}>
          {head.wall_at.slice(11, 19)}
          {/* Milliseconds distinguish requests of the same second, but are hidden on narrow screens. */}
          <span class="fine">{head.wall_at.slice(19, 23)}</span>
        </time>
        <Title head={head} />
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

function Title({ head }: { head: Head }) {
  if (head.kind === "request")
    return (
      <>
        <span class="verb">{head.method}</span>
        <span class="cut">{head.operation ?? head.path}</span>
        <Status status={head.status} />
      </>
    );
  if (head.kind === "act")
    return (
      <>
        <span class="verb act">act</span>
        <span class="cut">{head.act}</span>
        <Badge tone={head.status === "done" ? "ok" : "warn"}>{head.status}</Badge>
      </>
    );
  if (head.kind === "clock")
    return (
      <>
        {/* The duration is shown, because instants are wider than the column. */}
        <span class="verb clock-verb">clock</span>
        <span class="cut">+{formatDuration(Date.parse(head.to) - Date.parse(head.from))}</span>
        <span />
      </>
    );
  return (
    <>
      <span class="verb world-verb">world</span>
      <span class="cut">{head.change}</span>
      <span />
    </>
  );
}

/** The outcome in the phrases of the sandbox, such as "booking created: Anna Holm · …", or the error. */
function Outcome({ head }: { head: Head }) {
  const phrases = head.told ?? [];
  if (head.kind === "clock")
    return (
      <>
        → <span class="id">{head.to.slice(0, 16).replace("T", " ")}</span>
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
      {head.code && <span class="bad-text">{head.code} </span>}
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
  `to ${at.slice(0, 16).replace("T", " ")} · ${count(Number(undone), "change")} undone`;

/** The number of webhooks, of delivered ones and of failed ones. */
function WebhookCounts({ story }: { story: Story }) {
  const { head } = story;
  const sent = "message_count" in head ? head.message_count : 0;
  const { delivered, refused } = countDeliveries(story);
  if (sent + delivered + refused === 0) return <span />;
  return (
    <span class="sent-count">
      <span class="quiet">
        {sent} <span class="for-readers">{sent === 1 ? "webhook" : "webhooks"}</span>
      </span>
      {delivered > 0 && <span class="ok-text"> ✓{delivered}</span>}
      {refused > 0 && <span class="bad-text"> ✗{refused}</span>}
    </span>
  );
}
