// How a node that is to stop gives up its worlds: it goes on until load balancers have noticed, and then one world after another is without
// an owner for a moment only.
import { setTimeout as pause } from "node:timers/promises";
import type { World } from "../../engine/world/state/world.ts";
import type { SharedStore } from "../postgres/shared-store.ts";
import type { Leases } from "./leases.ts";

interface LeavingDeps {
  store: Pick<SharedStore, "isAlone">;
  leases: Leases;
  worlds(): readonly World[];
  /** Ms by a clock that nobody sets. */
  monotonic(): number;
  isIdle(world: World): boolean;
  evict(world: World): Promise<void>;
}

/** Load balancers look twice in it, and send nothing new from then on; one that is late is waited for. */
const NOTICED_MS = 1000;
const NOTICED_LATE_MS = 3000;
/** Who looked so lately looks again. */
const WATCHED_MS = 2000;
/** By the second look, what was answered to the first is known. */
const LOOKS = 2;
/** For the leases of one world, and for all worlds together. */
const DRAIN_MS = 1000;
const LEAVE_MS = 3000;
const AT_ONCE = 4;

/** `leave` resolves when the node may close: after seven seconds at most (3 + 3 + 1), whatever the holders of leases do. */
export function makeLeaving({ store, leases, worlds, monotonic: now, isIdle, evict }: LeavingDeps) {
  const shut = new Set<string>();
  const looks = { count: 0, last: Number.NEGATIVE_INFINITY };

  /** Polled, since what it waits for is counted in three different parts. */
  async function whenLeft(isIn: () => boolean, until: number): Promise<void> {
    while (isIn() && now() < until) await pause(5);
  }
  async function whenNoticed(): Promise<void> {
    const began = now();
    // Without a load balancer nobody looks; then one second is enough, and a stop stays short.
    const isWatched = began - looks.last < WATCHED_MS;
    looks.count = 0;
    const isUnnoticed = () => now() - began < NOTICED_MS || (isWatched && looks.count < LOOKS);
    await whenLeft(isUnnoticed, began + NOTICED_LATE_MS);
  }
  async function releaseAll(): Promise<void> {
    const [left, until] = [[...worlds()], now() + LEAVE_MS];
    const releaseOneByOne = async () => {
      for (let world = left.pop(); world && now() < until; world = left.pop()) {
        const { id } = world;
        // Shut before it is drained: a request that comes now finds it at its next owner, not here.
        shut.add(id);
        await whenLeft(() => leases.isLeased(id), Math.min(now() + DRAIN_MS, until));
        // One that is still in use stays with this node until its row is removed, which frees it as well.
        if (isIdle(world) && worlds().includes(world)) await evict(world);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, releaseOneByOne));
  }
  return {
    looked(): void {
      looks.count++;
      looks.last = now();
    },
    /** Nobody may enter it any more. */
    isShut: (world: string): boolean => shut.has(world),
    async leave(): Promise<void> {
      if (!store.isAlone) await whenNoticed();
      leases.endAll();
      if (!store.isAlone) await releaseAll();
      await whenLeft(() => leases.count > 0, now() + DRAIN_MS);
    },
  };
}
