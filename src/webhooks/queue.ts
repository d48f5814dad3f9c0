// When the courier looks into the queues of one world: after a commit, when the clock is moved, and, on a running clock, when the next
// retry is due. Assumptions: delivery-order, delivery-retry.
import { toMillis } from "../domain/instant.ts";
import type { World } from "../world/world.ts";
import type { Call } from "./attempt.ts";
import type { CourierHouse, ReceiptLine } from "./courier-house.ts";
import { allDue, nextDelivery, queuesDue } from "./deliveries.ts";
import type { Flight } from "./flight.ts";
import { Lanes } from "./lanes.ts";
import type { Pool } from "./pool.ts";
import { Rounds } from "./rounds.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Queue {
  readonly world: World;
  readonly #house: CourierHouse;
  readonly #lanes: Lanes;
  readonly #rounds = new Rounds();
  #timer: NodeJS.Timeout | undefined;
  #nudged = false;
  #stopped = false;
  #atRest: (() => void) | undefined;

  constructor(world: World, house: CourierHouse, post: (call: Call) => Flight, pool: Pool) {
    this.world = world;
    this.#house = house;
    this.#lanes = new Lanes(world, house, post, pool, {
      recorded: (delivery, line, again) => {
        this.#rounds.tell(delivery, line);
        if (again) this.#setTimer();
      },
      atRest: () => {
        this.#rounds.end();
        this.#atRest?.();
      },
      failed: (reason) => this.#fail(reason),
    });
  }

  nudge(): void {
    if (this.#nudged) return;
    this.#nudged = true;
    setImmediate(() => {
      this.#nudged = false;
      this.#pump();
    });
  }

  attemptDue(): Promise<ReceiptLine[]> {
    const receipt = this.#rounds.open(this.#house.look(this.world, allDue));
    this.#pump();
    return receipt;
  }

  /** Drops everything; what is in flight is not recorded. */
  stop(): void {
    this.#end();
    this.#lanes.abort();
    this.#rounds.end();
  }

  async close(lastMs: number): Promise<void> {
    this.#end();
    if (this.#lanes.inFlight > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lastMs);
        this.#atRest = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.stop();
  }

  #end(): void {
    this.#stopped = true;
    this.#lanes.stop();
    clearTimeout(this.#timer);
  }

  /** Nobody could catch what it threw but those who wait for a receipt. */
  #pump(): void {
    if (this.#stopped) return;
    try {
      this.#lanes.fresh();
      for (const queue of this.#house.look(this.world, queuesDue)) this.#lanes.fill(queue);
      this.#setTimer();
      if (this.#lanes.inFlight === 0) this.#rounds.end();
    } catch (reason) {
      this.#fail(reason);
    }
  }

  #fail(reason: unknown): void {
    this.#rounds.fail(reason);
    this.#house.failed(this.world, reason);
  }

  /** On a running clock the next retry comes by itself; a held one is moved. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#house.mode(this.world) === "held") return;
    const now = this.#house.now(this.world);
    const next = this.#house.look(this.world, (desk) => nextDelivery(desk, now));
    if (next === undefined) return;
    const wait = Math.min(Math.max(toMillis(next) - toMillis(now), 1), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.#pump(), wait);
    this.#timer.unref();
  }
}
