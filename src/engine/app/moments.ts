// The moments of a world's history, by the names that people give them: a number, an instant, the id of what changed something last, a
// snapshot, or now. A moment that is not kept is refused with what is.

import { didYouMean } from "../../platform/nearest.ts";
import { BEGAN } from "../domain/kernel/beginnings.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant, readInstant } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import type { ActivityLog } from "../log/log.ts";
import type { WallClock } from "../time/clock.ts";
import type { World } from "../world/state/world.ts";
import type { CommitMemory, Point, RetainedCommits } from "./commits.ts";
import type { Numbers } from "./numbers.ts";

/** Right after the commit `seq`. */
export interface Moment extends Point {
  /** As it was asked for. */
  named: string;
}

export interface MomentNeeds {
  memory: CommitMemory;
  now(world: World): Instant;
  wall: WallClock;
  log: ActivityLog;
  numbers: Pick<Numbers, "isOwn" | "shared">;
  snapshots(id: string): readonly string[];
}

interface MomentsDeps extends MomentNeeds {
  /** The clock as it stood right after a commit. */
  clockAt(world: World, seq: number): ClockRecord | undefined;
}

const NUMBER = /^\d{1,16}$/;

/** Rejects with MOMENT_UNKNOWN for what never was, and MOMENT_NOT_KEPT for what was dropped. */
export function makeMoments({ memory, now, wall, log, numbers, snapshots, clockAt }: MomentsDeps) {
  const rejectEarlier = (world: World, text: string, why = ""): never =>
    rejectNotRetained(world, memory.retained(world), { text, why, names: snapshots(world.id) });

  const present = (world: World): Point => {
    return { seq: memory.last(world).seq, at: now(world), wall_at: fromMillis(wall()) };
  };

  const atInstant = (world: World, text: string, instant: Instant): Point => {
    if (instant > now(world))
      reject("MOMENT_UNKNOWN", { what: `It is ${now(world)} now, and ${text} is still to come.` });
    const { from } = memory.retained(world);
    // The last commit before: between two commits nothing changes.
    const last = memory.of(world).findLast(({ at }) => at <= instant) ?? from;
    if (last.at > instant) rejectEarlier(world, text);
    const { seq, at, wall_at } = last;
    // A running clock has gone on since that commit.
    return { seq, at: clockAt(world, seq)?.mode === "running" ? instant : at, wall_at };
  };

  const atNumber = (world: World, seq: number): Point => {
    const latest = log.lastSeq;
    const { shared } = numbers;
    const isOurs = seq <= latest && numbers.isOwn(seq);
    const { from } = memory.retained(world);
    if (seq < from.seq) {
      const where = shared ? "another node or an earlier run" : "an earlier run of the sandbox";
      rejectEarlier(
        world,
        String(seq),
        isOurs || seq === 0 ? "" : `. ${seq} is a number of ${where}, whose history is not kept`,
      );
    }
    if (!isOurs) {
      const what = shared
        ? `${seq} is a number of another node, or still to come: the latest number of this one is ${latest}.`
        : `${seq} is still to come: the latest number is ${latest}.`;
      reject("MOMENT_UNKNOWN", { what });
    }
    // A number of another world or of a request stands for the state at that time.
    return memory.of(world).findLast((commit) => commit.seq <= seq) ?? from;
  };

  const atName = (world: World, text: string): Point => {
    const names = snapshots(world.id);
    const saved = names.includes(text) ? memory.savedAt(world, text) : undefined;
    // First: a change of the world itself is called by a word, which a snapshot may have too.
    if (saved) return atNumber(world, saved.seq);
    // The last: a move of the clock makes many commits.
    const caused = memory.of(world).findLast(({ cause }) => cause.id === text);
    if (caused) return caused;
    return reject("MOMENT_UNKNOWN", { what: whyUnknown(world, text, names) });
  };

  return (world: World, text: string): Moment => {
    const instant = readInstant(text);
    const point =
      text === "now"
        ? present(world)
        : NUMBER.test(text)
          ? atNumber(world, Number(text))
          : instant === undefined
            ? atName(world, text)
            : atInstant(world, text, instant);
    const { seq, at, wall_at } = point;
    return { seq, at, wall_at, named: text };
  };
}

/** A snapshot of such a name could not be named as a moment: numbers, `now` and the ids of causes come first. */
export const isMomentName = (text: string): boolean =>
  text === "now" || NUMBER.test(text) || /^(req|act|clk)-\w+-\d+$|^dlv_/.test(text);

interface RequestedMoment {
  /** The moment. */
  text: string;
  /** More about why it is not kept. */
  why?: string;
  /** Of the snapshots that the world could be put back to instead. */
  names?: readonly string[];
}

/** Rejects with MOMENT_NOT_KEPT, and says what is kept and how to keep more. */
export function rejectNotRetained(
  world: World,
  { from, began, dropped }: RetainedCommits,
  { text, why = "", names = [] }: RequestedMoment,
): never {
  const since =
    dropped === 0
      ? `${BEGAN[began.why]} then`
      : `${dropped} earlier ${dropped === 1 ? "change" : "changes"} made room; raise the options \`history-commits\` or \`history-bytes\` to keep more`;
  const instead = names.length > 0 ? `. A snapshot can be restored instead: ${listed(names)}` : "";
  const { seq, at } = from;
  return reject("MOMENT_NOT_KEPT", { world_id: world.id, moment: text, seq, at, why: since + why + instead });
}

const listed = (names: readonly string[]): string => names.slice(0, 10).join(", ");

function whyUnknown(world: World, text: string, names: readonly string[]): string {
  const excerpt = text.slice(0, 60);
  if (names.includes(text))
    return `Snapshot ${excerpt} was saved before the kept history of world ${world.id} began. Restore it instead, which begins the history anew.`;
  if (/^(req|act|clk)-|^dlv_/.test(text))
    return `${excerpt} changed nothing in world ${world.id}, or its change is no longer kept. Give the number or the instant instead.`;
  const known = names.length > 0 ? ` (${listed(names)})` : "";
  return `${excerpt} is no moment of world ${world.id}.${didYouMean(text, names)} A moment is a number of the history, an instant such as ${world.clock()?.at}, the id of a request, an act or a clock move, the name of a snapshot${known}, or now.`;
}
