// Who is at work in which world of this node, and when somebody was last: a world with guests is not closed.
import type { Guest } from "../../engine/app/hosted.ts";

class Visit implements Guest {
  readonly #visits: Set<Visit>;
  readonly #left: () => void;
  readonly #gone: (() => void)[] = [];
  isLost = false;

  constructor(visits: Set<Visit>, left: () => void) {
    this.#visits = visits;
    this.#left = left;
    visits.add(this);
  }

  onGone(then: () => void): void {
    this.#gone.push(then);
  }

  leave(): void {
    if (this.#visits.delete(this)) this.#left();
  }

  goAway(): void {
    for (const then of this.#gone.splice(0)) then();
  }
}

interface Seen {
  visits: Set<Visit>;
  /** By the monotonic clock. */
  used: number;
  since: number;
  /** The latest requests, so many in a row, came by way of this node. */
  by: { node: string | undefined; times: number };
}

/** A world moves to the node that is asked for it, but neither for a request that went astray, nor to and fro. */
const MOVES_AFTER = 20;
const STAYS_MS = 10_000;

export class Guests {
  readonly #seen = new Map<string, Seen>();
  readonly #now: () => number;
  readonly #left: (world: string) => void;

  constructor(now: () => number, left: (world: string) => void = () => undefined) {
    this.#now = now;
    this.#left = left;
  }

  enter(world: string, from?: string): Guest {
    const seen = this.#of(world);
    seen.used = this.#now();
    seen.by = { node: from, times: seen.by.node === from ? seen.by.times + 1 : 1 };
    return new Visit(seen.visits, () => {
      seen.used = this.#now();
      if (from !== undefined) this.#left(world);
    });
  }

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

  isIn(world: string): boolean {
    return (this.#seen.get(world)?.visits.size ?? 0) > 0;
  }

  get count(): number {
    let count = 0;
    for (const { visits } of this.#seen.values()) count += visits.size;
    return count;
  }

  lose(world: string): void {
    for (const visit of this.#seen.get(world)?.visits ?? []) {
      visit.isLost = true;
      visit.goAway();
    }
    this.#seen.delete(world);
  }

  forget(world: string): void {
    this.#seen.delete(world);
  }

  sendAway(): void {
    for (const { visits } of this.#seen.values()) for (const visit of visits) visit.goAway();
  }

  /** A world that was made here has been used just now. */
  #of(world: string): Seen {
    const now = this.#now();
    const seen = this.#seen.get(world) ?? {
      visits: new Set(),
      used: now,
      since: now,
      by: { node: undefined, times: 0 },
    };
    this.#seen.set(world, seen);
    return seen;
  }
}
