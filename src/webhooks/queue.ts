// When the dispatcher looks into the queues of one world: after a commit, when the clock is moved, and, on a running clock, when the next
// retry is due. Assumptions: delivery-order, delivery-retry.
import { toMillis } from "../domain/kernel/instant.ts";
import type { World } from "../world/state/world.ts";
import type { Call } from "./attempt.ts";
import type { Pool } from "./connection-limit.ts";
import { allDue, nextDelivery, queuesDue } from "./deliveries.ts";
import type { DispatcherPorts, ReceiptLine } from "./dispatcher-ports.ts";
import type { Flight } from "./http-delivery.ts";
import { PendingReceipts } from "./pending-receipts.ts";
import { Sending } from "./sending.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Queue {
  readonly world: World;
  readonly #application: DispatcherPorts;
  readonly #sending: Sending;
  readonly #pendingReceipts = new PendingReceipts();
  #timer: NodeJS.Timeout | undefined;
  #nudged = false;
  #stopped = false;
  #atRest: (() => void) | undefined;

  constructor(world: World, application: DispatcherPorts, post: (call: Call) => Flight, pool: Pool) {
    this.world = world;
    this.#application = application;
    this.#sending = new Sending(world, application, post, pool, {
      recorded: (delivery, line, again) => {
        this.#pendingReceipts.tell(delivery, line);
        if (again) this.#setTimer();
      },
      atRest: () => {
        this.#pendingReceipts.end();
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
    const receipt = this.#pendingReceipts.open(this.#application.look(this.world, allDue));
    this.#pump();
    return receipt;
  }

  /** Drops everything; what is in flight is not recorded. */
  stop(): void {
    this.#end();
    this.#sending.abort();
    this.#pendingReceipts.end();
  }

  async close(lastMs: number): Promise<void> {
    this.#end();
    if (this.#sending.inFlight > 0) {
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
    this.#sending.stop();
    clearTimeout(this.#timer);
  }

  /** Nobody could catch what it threw but those who wait for a receipt. */
  #pump(): void {
    if (this.#stopped) return;
    try {
      this.#sending.fresh();
      for (const queue of this.#application.look(this.world, queuesDue)) this.#sending.fill(queue);
      this.#setTimer();
      if (this.#sending.inFlight === 0) this.#pendingReceipts.end();
    } catch (reason) {
      this.#fail(reason);
    }
  }

  #fail(reason: unknown): void {
    this.#pendingReceipts.fail(reason);
    this.#application.failed(this.world, reason);
  }

  /** On a running clock the next retry comes by itself; a held one is moved. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#application.mode(this.world) === "held") return;
    const now = this.#application.now(this.world);
    const next = this.#application.look(this.world, (tx) => nextDelivery(tx, now));
    if (next === undefined) return;
    const wait = Math.min(Math.max(toMillis(next) - toMillis(now), 1), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.#pump(), wait);
    this.#timer.unref();
  }
}
