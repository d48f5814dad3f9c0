// Which worlds a node keeps open: those in use, and the latest of the others, so many; and those in which something is due, and that
// live nowhere, are opened to do it.

import type { World } from "../../engine/world/state/world.ts";
import type { SharedStore } from "../postgres/shared-store.ts";
import type { WorldLocation } from "./hosted.ts";
import type { Leases } from "./leases.ts";

export interface Keeping {
  store: SharedStore;
  worlds(): readonly World[];
  world(id: string): World | undefined;
  /** The one door out of memory. */
  close(world: World): void;
  /** Ms since 1970 when the next thing is due in it, where its clock runs. */
  dueAt(world: World): number | undefined;
  warn(sentence: string): void;
  count(what: "opened" | "evicted", label?: string): void;
  /** Ms by a clock that nobody sets. */
  monotonic(): number;
  tell?(happening: { event: "world_opened" | "world_closed" | "world_lost"; world: string; why?: string }): void;
  /** Worlds in memory. */
  most: number;
  idleMs?: number;
  /** Between two looks for what is due. */
  sweepMs?: number;
}

interface EvictionDeps extends Keeping {
  leases: Leases;
  isIdle(world: World): boolean;
  isLeaving(): boolean;
  locate(id: string): Promise<WorldLocation>;
  /** Before each look for what is due. */
  first(): Promise<void>;
}

/** A world without a lease for so long is closed. */
const IDLE_MS = 15 * 60_000;
const SWEEP_MS = 2000;
/** Worlds of one statement, so that several nodes share a crowd of due worlds. */
const MOST_SWEPT = 20;
/** Between two looks at what is idle; it costs a pass over the open worlds in memory and no statement. */
const EVICTION_MS = 1000;

/** Starts two timers, which do not keep the process alive; `close` ends both. */
export function makeEviction(needs: EvictionDeps) {
  const { store, leases, isIdle, isLeaving, monotonic, idleMs = IDLE_MS, sweepMs = SWEEP_MS } = needs;

  /** The store looks once more what is due in it; what it has queued is written before it is given up. */
  function evict(world: World, isUnused = false): Promise<void> {
    // Before it leaves memory: the store notes what is due in it, which it reads from memory.
    const released = store.release(world.id, isUnused);
    needs.close(world);
    leases.forget(world.id);
    needs.count("evicted");
    needs.tell?.({ event: "world_closed", world: world.id });
    return released.catch((reason) => needs.warn(`World ${world.id} could not be given up: ${String(reason)}`));
  }

  /** Closes the idle worlds that were used longest ago. More than `most` stay open while all are in use. */
  function makeRoom(): void {
    const worlds = needs.worlds();
    if (worlds.length <= needs.most) return;
    const oldest = worlds.filter(isIdle).sort((a, b) => leases.usedAt(a.id) - leases.usedAt(b.id));
    for (const world of oldest.slice(0, worlds.length - needs.most)) void evict(world);
  }

  /** A world in which something is due soon would be taken again at once. */
  function closeIdle(): void {
    const soon = store.databaseNow() + sweepMs;
    const isLong = ({ id }: World) => monotonic() - leases.usedAt(id) > idleMs;
    for (const world of needs.worlds())
      if (isIdle(world) && isLong(world) && (needs.dueAt(world) ?? soon) >= soon) void evict(world);
  }

  /** Ends when a page is not full: what becomes due meanwhile belongs to the next sweep. */
  async function sweep(): Promise<void> {
    await needs.first();
    for (let found = MOST_SWEPT; found === MOST_SWEPT && !isLeaving(); ) {
      const ids = await store.overdue(MOST_SWEPT);
      found = ids.length;
      for (const id of ids) await openDue(id);
    }
  }

  async function openDue(id: string): Promise<void> {
    if (isLeaving() || needs.world(id)) return;
    const found = await needs.locate(id);
    if (found.is !== "here") return;
    // The world's own clock does what is due, now that it is open; nobody has to wait for it here.
    found.lease.release();
    leases.unused(id);
    makeRoom();
  }

  let sweeping: Promise<void> | undefined;
  const timers = [
    setInterval(() => {
      // A slow database must not pile sweeps up.
      if (sweeping || !store.isUsable) return;
      // What fails is tried again with the next.
      const ended = () => {
        sweeping = undefined;
      };
      sweeping = sweep().then(ended, ended);
    }, sweepMs),
    setInterval(
      () => {
        if (!store.isUsable) return;
        closeIdle();
        makeRoom();
      },
      Math.min(EVICTION_MS, idleMs),
    ),
  ];
  for (const timer of timers) timer.unref();
  return { evict, makeRoom, close: () => timers.forEach(clearInterval) };
}
