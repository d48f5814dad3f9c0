// Before the clock is moved, forward or back, somebody says so; a fork can go there instead.
import { formatMoveCounts } from "../../client/move-counts.ts";
import { control, controlIn, type Schemas, unwrap } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { go, href } from "../router.ts";
import { refreshWorlds } from "../stores/world.ts";
import { durationText } from "../timeline/texts.ts";
import type { MoveOutcome } from "./receipt.tsx";
import { written } from "./scale.ts";

/** Milliseconds since 1970, where the clock is to go and where it is. */
export interface Wish {
  at: number;
  now: number;
  /** Of the history. */
  point?: Schemas["Point"];
}

interface ClockFormProps {
  wish: Wish;
  onClose: () => void;
  perform: (work: () => Promise<MoveOutcome>) => void;
}

/** Nothing is moved before somebody has pressed a button here. */
export function ClockForm({ wish, onClose, perform }: ClockFormProps) {
  // A point of this very instant lies behind too.
  const isBack = wish.point !== undefined || wish.at < wish.now;
  const when = written(wish.at).slice(0, 19).replace("T", " ");
  return (
    <Dialog title={isBack ? `Back to ${when}?` : `Move the clock to ${when}?`} onClose={onClose}>
      {isBack ? (
        <p>
          Every record becomes what it was then, the clock too. Webhooks that were sent can't be called back; those that
          were pending are sent again. It can be undone: the world of now is kept as the snapshot “before-rewind”.
        </p>
      ) : (
        <p>The clock goes {durationText(wish.at - wish.now)} on, and does all that falls due on the way.</p>
      )}
      <div class="bar">
        <button
          type="button"
          class="primary"
          onClick={() => perform(() => (isBack ? back(momentOf(wish)) : forward(wish)))}
        >
          {isBack ? "Go back" : "Move it"}
        </button>
        <button type="button" onClick={() => perform(() => fork(wish, isBack))}>
          {isBack ? "Fork as it was then" : "Fork here and move the fork"}
        </button>
        <button type="button" class="plain" onClick={onClose}>
          Leave it
        </button>
      </div>
    </Dialog>
  );
}

const momentOf = ({ point, at }: Wish): string => (point ? String(point.seq) : written(at));

async function forward({ at }: Wish): Promise<MoveOutcome> {
  const { now, counts, receipt } = await unwrap(
    control.peek().POST("/_sandbox/clock/advance", { body: { until: written(at) } }),
  );
  return { title: `It is ${now.slice(0, 19).replace("T", " ")} UTC: ${formatMoveCounts(counts)}`, lines: receipt };
}

/** To a moment: the number of a change, or an instant. */
export async function back(to: string): Promise<MoveOutcome> {
  const done = await unwrap(control.peek().POST("/_sandbox/rewind", { body: { to } }));
  const { now, undone, records, undo } = done;
  return {
    title: `It is ${now.slice(0, 19).replace("T", " ")} UTC again`,
    lines: [],
    more: `${undone} changes undone, ${records} records put back.`,
    undo: undo.to,
  };
}

/** The fork goes there, and is looked at from now on. */
async function fork(wish: Wish, isBack: boolean): Promise<MoveOutcome> {
  const params = { path: { worldId: (await unwrap(control.peek().GET("/_sandbox"))).world } };
  const body = isBack ? { count: 1, at: momentOf(wish) } : { count: 1 };
  const { items } = await unwrap(control.peek().POST("/_sandbox/worlds/{worldId}/fork", { params, body }));
  const id = items[0]?.id ?? "";
  const moved = isBack
    ? undefined
    : await unwrap(controlIn(id).POST("/_sandbox/clock/advance", { body: { until: written(wish.at) } }));
  // The chooser has to know the fork before the address names it.
  await refreshWorlds();
  go(href("clock", [], { world: id }));
  return {
    title: `This is the fork ${id}${moved ? `: ${formatMoveCounts(moved.counts)}` : ""}`,
    lines: moved?.receipt ?? [],
  };
}
