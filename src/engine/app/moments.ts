// The points in time of a world's history, by the names that people give them: a number, an instant, the id of what changed something last,
// a snapshot, or now. A point that is not retained is rejected with those that are.

import type { Schemas } from "../../contract/schemas.ts";
import { didYouMean } from "../../platform/nearest.ts";
import { BEGAN, type Beginning } from "../domain/kernel/beginnings.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant, readInstant } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import { readTimes } from "../log/entry.ts";
import type { ActivityLog } from "../log/log.ts";
import { findBefore, findClockBefore, findSnapshot, listCommits, type Point, toPoint } from "../log/past.ts";
import type { WallClock } from "../time/clock.ts";
import type { World } from "../world/state/world.ts";

export type RetainedCommits = Schemas["Kept"];

/** Right after the commit `seq`. */
export interface Moment extends Point {
  /** As it was asked for. */
  named: string;
}

export interface MomentNeeds {
  log: ActivityLog;
  now(world: World): Instant;
  wall: WallClock;
  snapshots(id: string): readonly string[];
}

const NUMBER = /^\d{1,16}$/;
const MAX_LISTED_NAMES = 10;

export class Moments {
  readonly #needs: MomentNeeds;

  constructor(needs: MomentNeeds) {
    this.#needs = needs;
  }

  /** Rejects with MOMENT_UNKNOWN for what never was, and MOMENT_NOT_KEPT for what was dropped. */
  find(world: World, text: string): Moment {
    return { ...this.#findPoint(world, text), named: text };
  }

  /** The clock right after a point. */
  findClock(world: World, seq: number): ClockRecord | undefined {
    const before = findClockBefore(this.#needs.log, world.id, seq);
    return before === undefined ? world.clock() : (before ?? undefined);
  }

  /** The point of the latest commit; without one, the first point. */
  findLast(world: World): Point {
    const last = listCommits(this.#needs.log, world.id).at(-1);
    return last ? toPoint(last) : this.findFirst(world);
  }

  findFirst(world: World): Point {
    const { log, now, wall } = this.#needs;
    const beginning = log.findBeginning(world.id);
    const seq = log.findFirstPoint(world.id);
    if (beginning?.seq === seq) return { seq, at: beginning.at, wall_at: fromMillis(beginning.wall) };
    const next = log.since(seq, { world: world.id, limit: 1 })[0];
    const times = next ? readTimes(next) : { at: now(world), wall: wall() };
    const clock = this.findClock(world, seq);
    return { seq, at: clock?.mode === "held" ? clock.at : times.at, wall_at: fromMillis(times.wall) };
  }

  describeRetained(world: World): RetainedCommits {
    const { log } = this.#needs;
    const commits = listCommits(log, world.id);
    const from = this.findFirst(world);
    const beginning = log.findBeginning(world.id);
    const began: RetainedCommits["began"] = beginning
      ? {
          seq: beginning.seq,
          at: beginning.at,
          wall_at: fromMillis(beginning.wall),
          why: (beginning.id in BEGAN ? beginning.id : "start") as Beginning,
        }
      : { ...from, why: "dropped" };
    return {
      commits: commits.length,
      bytes: commits.reduce((bytes, { text }) => bytes + text.length, 0),
      from,
      began,
      dropped: log.countDropped(world.id),
    };
  }

  /** Rejects with MOMENT_NOT_KEPT, and says what is retained and how to retain more. */
  rejectDropped(world: World, text: string): never {
    const { began, dropped, from } = this.describeRetained(world);
    const isWhole = dropped === 0 && began.why !== "dropped";
    const since = isWhole
      ? `${BEGAN[began.why]} then`
      : `${BEGAN.dropped}; raise the option \`log-bytes\` to keep more`;
    const names = this.#needs.snapshots(world.id);
    const instead = names.length > 0 ? `. A snapshot can be restored instead: ${formatNames(names)}` : "";
    const { seq, at } = from;
    return reject("MOMENT_NOT_KEPT", { world_id: world.id, moment: text, seq, at, why: since + instead });
  }

  #findPoint(world: World, text: string): Point {
    const instant = readInstant(text);
    if (text === "now") {
      const { now, wall } = this.#needs;
      return { seq: this.findLast(world).seq, at: now(world), wall_at: fromMillis(wall()) };
    }
    if (NUMBER.test(text)) return this.#findNumber(world, Number(text));
    return instant === undefined ? this.#findName(world, text) : this.#findInstant(world, text, instant);
  }

  #findInstant(world: World, text: string, instant: Instant): Point {
    const { log, now } = this.#needs;
    if (instant > now(world))
      reject("MOMENT_UNKNOWN", { what: `It is ${now(world)} now, and ${text} is still to come.` });
    // The last commit before: between two commits nothing changes.
    const last = listCommits(log, world.id).findLast((entry) => readTimes(entry).at <= instant);
    const { seq, at, wall_at } = last ? toPoint(last) : this.findFirst(world);
    if (at > instant) this.rejectDropped(world, text);
    // A running clock has gone on since that commit.
    return { seq, at: this.findClock(world, seq)?.mode === "running" ? instant : at, wall_at };
  }

  #findNumber(world: World, seq: number): Point {
    const { log } = this.#needs;
    const first = this.findFirst(world);
    if (seq < first.seq) this.rejectDropped(world, String(seq));
    if (seq > log.lastSeq)
      reject("MOMENT_UNKNOWN", { what: `${seq} is still to come: the latest number is ${log.lastSeq}.` });
    // A number of another world or of a request stands for the state at that time.
    return findBefore(log, world.id, seq + 1) ?? first;
  }

  #findName(world: World, text: string): Point {
    const { log, snapshots } = this.#needs;
    const names = snapshots(world.id);
    const saved = names.includes(text) ? findSnapshot(log, world.id, text) : undefined;
    // First: a change of the world itself is called by a word, which a snapshot may have too.
    if (saved !== undefined) return this.#findNumber(world, saved);
    // The last: a move of the clock makes many commits.
    const caused = listCommits(log, world.id).findLast(({ id }) => id === text);
    if (caused) return toPoint(caused);
    return reject("MOMENT_UNKNOWN", { what: explainUnknown(world, text, names) });
  }
}

/** A snapshot of such a name could not be named as a point: numbers, `now` and the ids of causes come first. */
export const isMomentName = (text: string): boolean =>
  text === "now" || NUMBER.test(text) || /^(req|act|clk)-\w+-\d+$|^dlv_/.test(text);

const formatNames = (names: readonly string[]): string => names.slice(0, MAX_LISTED_NAMES).join(", ");

function explainUnknown(world: World, text: string, names: readonly string[]): string {
  const excerpt = text.slice(0, 60);
  if (names.includes(text))
    return `Snapshot ${excerpt} was saved before the kept history of world ${world.id} began. Restore it instead, which begins the history anew.`;
  if (/^(req|act|clk)-|^dlv_/.test(text))
    return `${excerpt} changed nothing in world ${world.id}, or its change is no longer kept. Give the number or the instant instead.`;
  const known = names.length > 0 ? ` (${formatNames(names)})` : "";
  return `${excerpt} is no moment of world ${world.id}.${didYouMean(text, names)} A moment is a number of the history, an instant such as ${world.clock()?.at}, the id of a request, an act or a clock move, the name of a snapshot${known}, or now.`;
}
