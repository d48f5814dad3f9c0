// The requests that are at work in the worlds of this node, and when each world was last used. A world with leases is
// not closed.
import type { WorldLease } from "../../engine/http/extension/index.ts";

/** A request, stream or move of the clock that uses a world. */
class Lease implements WorldLease {
  readonly #leases: Set<Lease>;
  readonly #onRelease: () => void;
  readonly #listeners: (() => void)[] = [];
  isLost = false;

  constructor(leases: Set<Lease>, onRelease: () => void) {
    this.#leases = leases;
    this.#onRelease = onRelease;
    leases.add(this);
  }

  onGone(then: () => void): void {
    this.#listeners.push(then);
  }

  release(): void {
    // A response emits "close" after an abort and after its end, so this may be called twice.
    if (this.#leases.delete(this)) this.#onRelease();
  }

  end(): void {
    for (const then of this.#listeners.splice(0)) then();
  }
}

/** The use of one world on this node, from its opening to its closing. */
interface WorldUse {
  leases: Set<Lease>;
  /** Milliseconds of the monotonic clock. */
  used: number;
  since: number;
  /** The node that has forwarded the latest requests, and how many in a row. */
  by: { node: string | undefined; times: number };
}

/** A world moves to the node that its clients reach, but not for a few requests, nor back and forth. */
const MIN_FORWARDED_REQUESTS = 20;
const MIN_STAY_MS = 10_000;

/** The leases of all worlds of this node. `now` is monotonic, in milliseconds. */
export class Leases {
  readonly #uses = new Map<string, WorldUse>();
  readonly #now: () => number;
  readonly #onForwardedRelease: (world: string) => void;

  constructor(now: () => number, onForwardedRelease: (world: string) => void) {
    this.#now = now;
    this.#onForwardedRelease = onForwardedRelease;
  }

  /** `from`: the node that has forwarded the request. The world may move there. */
  createLease(world: string, from?: string): WorldLease {
    const use = this.#getUse(world);
    use.used = this.#now();
    use.by = { node: from, times: use.by.node === from ? use.by.times + 1 : 1 };
    return new Lease(use.leases, () => {
      use.used = this.#now();
      if (from !== undefined) this.#onForwardedRelease(world);
    });
  }

  /** Whether another node has forwarded enough requests, and the world has been here long enough, to move. */
  isWantedElsewhere(world: string): boolean {
    const { by, since } = this.#getUse(world);
    return by.node !== undefined && by.times >= MIN_FORWARDED_REQUESTS && this.#now() - since >= MIN_STAY_MS;
  }

  getLastUse(world: string): number {
    return this.#getUse(world).used;
  }

  isLeased(world: string): boolean {
    return (this.#uses.get(world)?.leases.size ?? 0) > 0;
  }

  /** The number of leases of all worlds. Counting on each read is cheap enough, because only a stopping node reads it. */
  get count(): number {
    let count = 0;
    for (const { leases } of this.#uses.values()) count += leases.size;
    return count;
  }

  /** Another node owns the world now. Ends its leases at once, so that no request responds from outdated memory. */
  lose(world: string): void {
    for (const lease of this.#uses.get(world)?.leases ?? []) {
      lease.isLost = true;
      lease.end();
    }
    this.#uses.delete(world);
  }

  /** Forgets a world that was closed. It has no leases. */
  forget(world: string): void {
    this.#uses.delete(world);
  }

  /** Ends the streams of a node that stops; other requests end by themselves. */
  endAll(): void {
    for (const { leases } of this.#uses.values()) for (const lease of leases) lease.end();
  }

  #getUse(world: string): WorldUse {
    const now = this.#now();
    const by = { node: undefined, times: 0 };
    const use = this.#uses.get(world) ?? { leases: new Set(), used: now, since: now, by };
    this.#uses.set(world, use);
    return use;
  }
}
