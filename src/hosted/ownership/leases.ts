// Who is at work in which world of this node, and when somebody was last: a world with leases is not closed.
import type { WorldLease } from "../../engine/http/extension/index.ts";

/**
 * One request, stream or move of the clock at work in a world. `isLost` says that the world was taken away under it.
 */
class Lease implements WorldLease {
  readonly #visits: Set<Lease>;
  readonly #left: () => void;
  readonly #gone: (() => void)[] = [];
  isLost = false;

  constructor(leases: Set<Lease>, left: () => void) {
    this.#visits = leases;
    this.#left = left;
    leases.add(this);
  }

  onGone(then: () => void): void {
    this.#gone.push(then);
  }

  release(): void {
    // Leaving twice is harmless: a response emits "close" after an abort and after its end.
    if (this.#visits.delete(this)) this.#left();
  }

  end(): void {
    for (const then of this.#gone.splice(0)) then();
  }
}

/** What is known of one world on this node, from its opening to its closing. */
interface Seen {
  leases: Set<Lease>;
  /** By the monotonic clock. */
  used: number;
  since: number;
  /** The latest requests, so many in a row, came by way of this node. */
  by: { node: string | undefined; times: number };
}

/** A world moves to the node that is asked for it, but neither for a request that went astray, nor to and fro. */
const MOVES_AFTER = 20;
const STAYS_MS = 10_000;

/** The leases of all worlds of this node. `now` is monotonic, in milliseconds. */
export class Leases {
  readonly #seen = new Map<string, Seen>();
  readonly #now: () => number;
  readonly #left: (world: string) => void;

  constructor(now: () => number, left: (world: string) => void = () => undefined) {
    this.#now = now;
    this.#left = left;
  }

  /** `from`: the node that forwarded the request, where one did. It counts towards moving the world there. */
  lease(world: string, from?: string): WorldLease {
    const seen = this.#of(world);
    seen.used = this.#now();
    seen.by = { node: from, times: seen.by.node === from ? seen.by.times + 1 : 1 };
    return new Lease(seen.leases, () => {
      seen.used = this.#now();
      // Only a forwarded request can be a reason to move it, and it must have left first.
      if (from !== undefined) this.#left(world);
    });
  }

  /** Whether one other node has been asked for it often enough, and it has been here long enough, to be moved. */
  isWantedElsewhere(world: string): boolean {
    const { by, since } = this.#of(world);
    return by.node !== undefined && by.times >= MOVES_AFTER && this.#now() - since >= STAYS_MS;
  }

  /** Nobody asked for it: it is the first to make room. */
  unused(world: string): void {
    this.#of(world).used = Number.NEGATIVE_INFINITY;
  }

  usedAt(world: string): number {
    return this.#of(world).used;
  }

  isLeased(world: string): boolean {
    return (this.#seen.get(world)?.leases.size ?? 0) > 0;
  }

  // Counted anew each time: it is read only while the node stops.
  get count(): number {
    let count = 0;
    for (const { leases } of this.#seen.values()) count += leases.size;
    return count;
  }

  /**
   * The world is another node's now: who holds a lease is told at once, so that none answers from memory that is out of date.
   */
  lose(world: string): void {
    for (const lease of this.#seen.get(world)?.leases ?? []) {
      lease.isLost = true;
      lease.end();
    }
    this.#seen.delete(world);
  }

  /** It was closed in order; there are no leases left to end. */
  forget(world: string): void {
    this.#seen.delete(world);
  }

  /** Ends the streams of a node that stops; other requests end by themselves. */
  endAll(): void {
    for (const { leases } of this.#seen.values()) for (const lease of leases) lease.end();
  }

  /** A world that was made here has been used just now. */
  #of(world: string): Seen {
    const now = this.#now();
    const seen = this.#seen.get(world) ?? {
      leases: new Set(),
      used: now,
      since: now,
      by: { node: undefined, times: 0 },
    };
    this.#seen.set(world, seen);
    return seen;
  }
}
