// Moves of the clock: the dialog that confirms one, or does it in a fork instead, and the summary of what it did.

import { formatMoveCounts } from "../../client/move-counts.ts";
import { control, createWorldControl, forkWorld, type Schemas, unwrap } from "../api.ts";
import { Dialog } from "../parts/actions.tsx";
import { RecordTitle, StoryLink } from "../parts/links.tsx";
import { Button, formatInstant } from "../parts/primitives.tsx";
import { navigate, toHref } from "../router.ts";
import { selectedWorld } from "../store.ts";
import { formatDuration } from "../timeline/format-detail.ts";
import { toIsoString } from "./scale.ts";

/** A requested move of the clock. Instants are milliseconds since 1970. */
export interface ClockMove {
  at: number;
  now: number;
  /** The change of the history to rewind to, if a change was chosen. */
  point?: Schemas["Point"];
}

interface ClockDialogProps {
  move: ClockMove;
  onClose: () => void;
  perform: (work: () => Promise<MoveOutcome>) => void;
}

/** The clock moves only when a button is pressed. */
export function ClockDialog({ move, onClose, perform }: ClockDialogProps) {
  const { at, now, point } = move;
  // A change that happened at the current instant is in the past as well.
  const isBack = point !== undefined || at < now;
  const when = formatInstant(toIsoString(at), true);
  const target = point ? String(point.seq) : toIsoString(at);
  return (
    <Dialog title={isBack ? `Rewind to ${when}?` : `Move the clock to ${when}?`} onClose={onClose}>
      <p>
        {isBack
          ? "All records and the clock return to their state at that time. Webhooks that were sent can’t be recalled; pending ones are sent again. You can undo this: the current state is kept as the snapshot “before-rewind”."
          : `The clock moves forward by ${formatDuration(at - now)}. Everything due until then happens in order.`}
      </p>
      <div class="bar">
        <Button class="primary" onClick={() => perform(() => (isBack ? rewindWorld(target) : advanceClock(target)))}>
          {isBack ? "Rewind" : "Move clock"}
        </Button>
        <Button onClick={() => perform(() => moveFork(target, isBack))}>
          {isBack ? "Rewind a fork" : "Move a fork"}
        </Button>
        <Button class="plain" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}

type MoveLine = Omit<Schemas["ClockMoved"]["receipt"][number], "what"> & { what: string };

/** `lines` lists what happened, in order. A rewind has no lines. */
export interface MoveOutcome {
  title: string;
  lines: readonly MoveLine[];
  more?: string;
  /** The change to rewind to in order to undo this. */
  undo?: number;
}

async function advanceClock(until: string, api = control.peek()): Promise<MoveOutcome> {
  const { now, counts, receipt } = await unwrap(api.POST("/_sandbox/clock/advance", { body: { until } }));
  return { title: `It is ${formatInstant(now, true)} UTC: ${formatMoveCounts(counts)}`, lines: receipt };
}

/** Rewinds the world to the number of a change, or to an instant. */
export async function rewindWorld(to: string): Promise<MoveOutcome> {
  const { now, undone, records, undo } = await unwrap(control.peek().POST("/_sandbox/rewind", { body: { to } }));
  return {
    title: `It is ${formatInstant(now, true)} UTC again`,
    lines: [],
    more: `${undone} changes undone, ${records} records put back.`,
    undo: undo.to,
  };
}

/** Creates a fork at that instant and shows it. */
async function moveFork(target: string, isBack: boolean): Promise<MoveOutcome> {
  const id = await forkWorld(selectedWorld.peek(), isBack ? { at: target } : {});
  const moved = isBack ? { title: "", lines: [] } : await advanceClock(target, createWorldControl(id));
  navigate(toHref("clock", [], { world: id }));
  return { ...moved, title: `This is the fork ${id}. ${moved.title}` };
}

/** The items that were due before a move, by id, for their titles and local times. */
export type NamedItems = ReadonlyMap<string, Schemas["Due"]>;

interface ReceiptProps {
  outcome: MoveOutcome;
  named: NamedItems;
  onClose: () => void;
  onUndo: (to: number) => void;
}

/** The summary stays until it is closed. The role `status` makes screen readers announce it. */
export function Receipt({ outcome: { title, lines, more, undo }, named, onClose, onUndo }: ReceiptProps) {
  return (
    <section class="panel receipt" aria-label="Receipt" role="status">
      <div class="bar">
        <h2 class="grow">{title}</h2>
        {undo !== undefined && <Button onClick={() => onUndo(undo)}>Undo this</Button>}
        <Button class="plain" onClick={onClose}>
          Close
        </Button>
      </div>
      {more && <p>{more}</p>}
      <MoveLines lines={lines} named={named} />
    </section>
  );
}

/** What a move did, or would do. */
export const MoveLines = ({ lines, named }: { lines: readonly MoveLine[]; named: NamedItems }) => (
  <ol class="plain-list">
    {lines.map(({ facts, ...line }, index) => (
      <DueLine key={index} {...named.get(line.id)} {...line} says={facts.map(({ fact }) => fact).join(", ")} />
    ))}
  </ol>
);

/** Labels of kinds. An unknown kind is shown by its name. */
const WORDS: Readonly<Record<string, string>> = {
  eventCompleted: "event ends",
  giftCardExpired: "gift card expires",
  documentAttached: "document is attached",
  checkoutLapsed: "checkout lapses",
  delivery: "webhook is sent",
  deliveryAttempted: "webhook is sent",
};

interface DueProps extends Partial<Omit<Schemas["Due"], "what">> {
  at: string;
  what: string;
  id: string;
  says?: string;
}

/** Events are shown in the local time of their place, everything else in UTC. */
export function DueLine({ at, what, id, title, local_time: local, timezone, says }: DueProps) {
  return (
    <li class="due-line">
      <time class="quiet" dateTime={at} title={timezone ? `${timezone}; ${at}` : at}>
        {formatInstant(local ?? at)}
        {!local && " UTC"}
      </time>
      <span>{WORDS[what] ?? what}</span>
      {title ? (
        <a href={toHref("story", [id])}>
          <RecordTitle id={id} title={title} timezone={timezone} />
        </a>
      ) : (
        <StoryLink id={id} />
      )}
      {says && <span class="quiet small">{says}</span>}
    </li>
  );
}
