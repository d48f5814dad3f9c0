// One line of the timeline.
import type { ComponentChildren } from "preact";
import type { DeliveryEntry, Head } from "../entries.ts";
import { Badge, Status } from "../parts/bits.tsx";
import { href } from "../router.ts";
import { failedAttempt, headFailed, type Story } from "../story/stories.ts";
import { type Row, subjectOf, takenOf } from "./rows.ts";
import { shownDetail, shownDuration } from "./shown.ts";

export function Line({ row, onFold }: { row: Row; onFold: () => void }) {
  if (row.type === "story") return <StoryLine story={row.story} isOpen={row.isOpen} onFold={onFold} />;
  if (row.type === "idle") return <p class="idle">{shownDuration(row.ms)} without anything</p>;
  if (row.type === "test")
    return (
      <button type="button" class="group plain" aria-expanded={row.isOpen} onClick={onFold}>
        <Fold isOpen={row.isOpen} /> <strong>{row.name || "Outside of tests"}</strong>
        <span class="quiet small">{row.count}</span>
        {row.failed > 0 && <Badge tone="warn">{row.failed} with a failure</Badge>}
      </button>
    );
  if (row.type === "delivery") return <DeliveryLine delivery={row.delivery} />;
  if (row.type === "fact")
    return (
      <Detail to={row.fact.id} label="fact">
        {row.fact.fact} <span class="id">{row.fact.id}</span>
      </Detail>
    );
  return (
    <Detail to={row.id} label="why">
      <span class="bad-text">{row.code}</span> {row.text}
    </Detail>
  );
}

const Fold = ({ isOpen }: { isOpen: boolean }) => <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>;

function Detail({ to, label, children }: { to: string; label: string; children: ComponentChildren }) {
  return (
    <a class="detail" href={href("story", [to])}>
      <span class="quiet small">{label}</span>
      <span class="cut">{children}</span>
    </a>
  );
}

function DeliveryLine({ delivery }: { delivery: DeliveryEntry }) {
  const { webhook_kind, message_id, url, attempt, state } = delivery;
  const answer = attempt.status ?? attempt.error ?? "no answer";
  return (
    <Detail to={message_id} label="webhook">
      {failedAttempt(delivery) ? <span class="bad-text">✗</span> : <span class="ok-text">✓</span>} {webhook_kind} →{" "}
      <span class="id">{url}</span> {answer}
      <span class="quiet">
        {" "}
        · attempt {attempt.number} · {state}
      </span>
    </Detail>
  );
}

function StoryLine({ story, isOpen, onFold }: { story: Story; isOpen: boolean; onFold: () => void }) {
  const { head } = story;
  return (
    <>
      <a class={headFailed(head) ? "story failed" : "story"} href={href("story", [head.id])}>
        <time class="quiet" dateTime={head.wall_at} title={`Real time ${head.wall_at}; the world's time ${head.at}`}>
          {head.wall_at.slice(11, 19)}
          <span class="fine">{head.wall_at.slice(19, 23)}</span>
        </time>
        <Title head={head} />
        <span class="cut">
          <Came story={story} />
        </span>
        <span class="quiet number">{"duration_ms" in head ? shownMs(head.duration_ms) : ""}</span>
      </a>
      <button
        type="button"
        class="fold plain"
        tabIndex={-1}
        aria-expanded={isOpen}
        aria-label={`Unfold ${head.id}`}
        onClick={onFold}
      >
        <Fold isOpen={isOpen} />
      </button>
    </>
  );
}

const shownMs = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

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
        <span class="verb clock-verb">clock</span>
        <span class="cut">+{shownDuration(Date.parse(head.to) - Date.parse(head.from))}</span>
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

/** What came of it: "bkg-7f3c · 4 facts · 2 webhooks ✓1 ✗1". */
function Came({ story }: { story: Story }) {
  const { head } = story;
  if (head.kind === "clock")
    return (
      <>
        → <span class="id">{head.to.slice(0, 16).replace("T", " ")}</span>
        {head.happened > 0 && ` · ${head.happened} ${head.happened === 1 ? "thing" : "things"} happened`}
      </>
    );
  if (head.kind === "world") return <span class="quiet">{shownDetail(head.detail)}</span>;
  const { took, refused } = takenOf(story);
  const sent = head.message_count;
  return (
    <>
      <span class="id">{subjectOf(head)}</span>
      {head.code && <span class="bad-text"> {head.code}</span>}
      {head.message && <span class="quiet small"> {head.message}</span>}
      {head.fact_count > 0 && ` · ${head.fact_count} ${head.fact_count === 1 ? "fact" : "facts"}`}
      {sent > 0 && ` · ${sent} ${sent === 1 ? "webhook" : "webhooks"}`}
      {took > 0 && <span class="ok-text"> ✓{took}</span>}
      {refused > 0 && <span class="bad-text"> ✗{refused}</span>}
    </>
  );
}
