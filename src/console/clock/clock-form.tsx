// The dialog that confirms a clock move or a rewind, or does it in a fork instead.

import { formatMoveCounts } from "../../client/move-counts.ts";
import { control, createWorldControl, type Schemas, unwrap } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Button } from "../parts/primitives.tsx";
import { navigate, toHref } from "../router.ts";
import { refreshWorlds } from "../stores/world.ts";
import { formatDuration } from "../timeline/format-detail.ts";
import type { MoveOutcome } from "./receipt.tsx";
import { toIsoString } from "./scale.ts";

/** A requested move of the clock. Instants are milliseconds since 1970. */
export interface ClockMove {
  at: number;
  now: number;
  /** The change of the history to rewind to, if a change was chosen. */
  point?: Schemas["Point"];
}

interface ClockFormProps {
  move: ClockMove;
  onClose: () => void;
  perform: (work: () => Promise<MoveOutcome>) => void;
}

/** The dialog that confirms a move. The clock moves only when a button is pressed. */
export function ClockForm({ move, onClose, perform }: ClockFormProps) {
  // A change that happened at the current instant is in the past as well.
  const isBack = move.point !== undefined || move.at < move.now;
  const when = toIsoString(move.at).slice(0, 19).replace("T", " ");
  return (
    <Dialog title={isBack ? `Rewind to ${when}?` : `Move the clock to ${when}?`} onClose={onClose}>
      {isBack ? (
        <p>
          All records and the clock return to their state at that time. Webhooks that were sent can’t be recalled;
          pending ones are sent again. You can undo this: the current state is kept as the snapshot “before-rewind”.
        </p>
      ) : (
        <p>
          The clock moves forward by {formatDuration(move.at - move.now)}. Everything due until then happens in order.
        </p>
      )}
      <div class="bar">
        <Button
          class="primary"
          onClick={() => perform(() => (isBack ? rewindWorld(toRewindTarget(move)) : advanceClock(move)))}
        >
          {isBack ? "Rewind" : "Move clock"}
        </Button>
        <Button onClick={() => perform(() => forkWorld(move, isBack))}>
          {isBack ? "Rewind a fork" : "Move a fork"}
        </Button>
        <Button class="plain" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}

const toRewindTarget = ({ point, at }: ClockMove): string => (point ? String(point.seq) : toIsoString(at));

async function advanceClock({ at }: ClockMove): Promise<MoveOutcome> {
  const { now, counts, receipt } = await unwrap(
    control.peek().POST("/_sandbox/clock/advance", { body: { until: toIsoString(at) } }),
  );
  return { title: `It is ${now.slice(0, 19).replace("T", " ")} UTC: ${formatMoveCounts(counts)}`, lines: receipt };
}

/** Rewinds the world to the number of a change, or to an instant. */
export async function rewindWorld(to: string): Promise<MoveOutcome> {
  const done = await unwrap(control.peek().POST("/_sandbox/rewind", { body: { to } }));
  const { now, undone, records, undo } = done;
  return {
    title: `It is ${now.slice(0, 19).replace("T", " ")} UTC again`,
    lines: [],
    more: `${undone} changes undone, ${records} records put back.`,
    undo: undo.to,
  };
}

/** Creates a fork at that instant and shows it. */
async function forkWorld(move: ClockMove, isBack: boolean): Promise<MoveOutcome> {
  const params = { path: { worldId: (await unwrap(control.peek().GET("/_sandbox"))).world } };
  const body = isBack ? { count: 1, at: toRewindTarget(move) } : { count: 1 };
  const { items } = await unwrap(control.peek().POST("/_sandbox/worlds/{worldId}/fork", { params, body }));
  const id = items[0]?.id ?? "";
  const moved = isBack
    ? undefined
    : await unwrap(createWorldControl(id).POST("/_sandbox/clock/advance", { body: { until: toIsoString(move.at) } }));
  // The world chooser must list the fork before the address names it.
  await refreshWorlds();
  navigate(toHref("clock", [], { world: id }));
  return {
    title: `This is the fork ${id}${moved ? `: ${formatMoveCounts(moved.counts)}` : ""}`,
    lines: moved?.receipt ?? [],
  };
}
