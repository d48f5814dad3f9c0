// Sends what waits in the queues of one world: each subscription has one for first attempts and one for retries, and each of these a
// few connections. What waits is read from the records, never remembered here. Assumptions: delivery-order, delivery-retry.
import type { Instant } from "../domain/kernel/instant.ts";
import type { Delivery } from "../domain/kernel/records.ts";
import type { World } from "../world/state/world.ts";
import { type Call, prepare, type Reply, record } from "./attempt.ts";
import type { Pool } from "./connection-limit.ts";
import { dueIn, endAllOf, settle } from "./deliveries.ts";
import type { DispatcherPorts, ReceiptLine } from "./dispatcher-ports.ts";
import type { Flight } from "./http-delivery.ts";

/** What its owner wants to hear. */
export interface Callbacks {
  /** An attempt is recorded; `again` when its delivery is to be tried again. */
  recorded(delivery: Delivery, line: ReceiptLine, again: boolean): void;
  /** Nothing is in flight any more. */
  atRest(): void;
  /** Something was thrown that nobody else could catch. */
  failed(reason: unknown): void;
}

const MOST = { first: 10, retry: 5 };

export class Sending {
  readonly #world: World;
  readonly #application: DispatcherPorts;
  readonly #post: (call: Call) => Flight;
  readonly #pool: Pool;
  readonly #ears: Callbacks;
  /** By queue: the deliveries in flight. */
  readonly #taken = new Map<string, Set<string>>();
  readonly #flights = new Set<Flight>();
  /** Queues of first attempts whose last one has not left yet: the next one leaves after it. */
  readonly #leaving = new Map<string, Flight>();
  /** Sent, but the record could not be kept: not sent again until something else could be. */
  readonly #unkept = new Set<string>();
  #stopped = false;

  constructor(world: World, application: DispatcherPorts, post: (call: Call) => Flight, pool: Pool, ears: Callbacks) {
    this.#world = world;
    this.#application = application;
    this.#post = post;
    this.#pool = pool;
    this.#ears = ears;
  }

  get inFlight(): number {
    return this.#flights.size;
  }

  /** Looks again at what could not be recorded. */
  fresh(): void {
    this.#unkept.clear();
  }

  /** Starts nothing more. */
  stop(): void {
    this.#stopped = true;
  }

  abort(): void {
    for (const flight of this.#flights) flight.abort();
  }

  /** Starts the next ones of a queue, as many as there is room for. */
  fill(queue: string): void {
    if (this.#stopped || this.#leaving.has(queue)) return;
    const taken = this.#taken.get(queue) ?? new Set();
    const own = isFirst(queue) ? Math.min(MOST.first - taken.size, 1) : MOST.retry - taken.size;
    const shared = this.#pool.room(taken.size);
    const ready = this.#ready(queue, Math.min(own, shared), taken);
    for (const { delivery, call } of ready) {
      if (call) this.#start(queue, taken, call);
      else this.#drop(delivery);
    }
    if (taken.size > 0) this.#taken.set(queue, taken);
    if (shared >= own || ready.length < shared) return;
    this.#pool.wait(`${this.#world.id} ${queue}`, () => this.#bulkWriter(() => this.fill(queue)));
  }

  #ready(queue: string, most: number, taken: ReadonlySet<string>): { delivery: Delivery; call: Call | undefined }[] {
    return this.#application.look(this.#world, (tx) => {
      const due = dueIn(tx, queue, most, new Set([...taken, ...this.#unkept]));
      return due.map((delivery) => ({ delivery, call: prepare(tx, delivery, this.#application.wall()) }));
    });
  }

  /** Its subscription is not there any more, or not in use: it came with a document or a copy. */
  #drop({ id, subscription_id }: Delivery): void {
    this.#application.change(this.#world, "dispatcher", (tx) => {
      endAllOf(tx, subscription_id, "DROPPED");
      const left = tx.deliveries.get(id);
      if (left?.state === "PENDING") settle(tx, left, "DROPPED");
    });
  }

  #start(queue: string, taken: Set<string>, call: Call): void {
    const [at, began] = [this.#application.now(this.#world), this.#application.wall()];
    const flight = this.#post(call);
    taken.add(call.delivery.id);
    this.#flights.add(flight);
    this.#pool.take();
    if (isFirst(queue)) this.#inOrder(queue, flight);
    void flight.reply.then((reply) => {
      taken.delete(call.delivery.id);
      if (taken.size === 0) this.#taken.delete(queue);
      this.#flights.delete(flight);
      this.#hasLeft(queue, flight);
      this.#bulkWriter(() => this.#land(call, reply, at, began));
      this.#pool.giveBack();
      this.#bulkWriter(() => this.fill(queue));
      if (this.#flights.size === 0) this.#ears.atRest();
    });
  }

  #inOrder(queue: string, flight: Flight): void {
    this.#leaving.set(queue, flight);
    void flight.left.then(() => this.#hasLeft(queue, flight) && this.#bulkWriter(() => this.fill(queue)));
  }

  #hasLeft(queue: string, flight: Flight): boolean {
    return this.#leaving.get(queue) === flight && this.#leaving.delete(queue);
  }

  #land(call: Call, reply: Reply, at: Instant, began: number): void {
    const { id } = this.#world;
    if (reply.outcome === "ABORTED" || this.#application.world(id) !== this.#world) return;
    const wall = this.#application.wall();
    const ended = { call, reply, at, duration_ms: Math.max(0, wall - began), wall, speed: this.#application.retry };
    this.#unkept.add(call.delivery.id);
    const { result, facts } = this.#application.change(this.#world, "dispatcher", (tx) => record(tx, ended));
    this.#unkept.delete(call.delivery.id);
    const line: ReceiptLine = { at, what: "deliveryAttempted", id: call.delivery.id, facts: [...facts] };
    this.#ears.recorded(call.delivery, line, result?.delivery.state === "PENDING");
    if (result) this.#application.attempted(id, result.delivery, result.message);
  }

  #bulkWriter(work: () => void): void {
    try {
      work();
    } catch (reason) {
      this.#ears.failed(reason);
    }
  }
}

function isFirst(queue: string): boolean {
  return queue.endsWith("first");
}
