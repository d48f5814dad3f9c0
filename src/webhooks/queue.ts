// The queues of one world: each subscription has one for first attempts and one for retries, and each of these a few connections, so
// that no receiver slows another. What waits is read from the records, never remembered here. Assumptions: delivery-order,
// delivery-retry.
import { type Instant, toMillis } from "../domain/instant.ts";
import type { Delivery } from "../domain/records.ts";
import type { World } from "../world/world.ts";
import { type Call, prepare, type Reply, record } from "./attempt.ts";
import type { CourierHouse, ReceiptLine } from "./courier-house.ts";
import { allDue, dueIn, endAllOf, nextDelivery, queuesDue, settle } from "./deliveries.ts";
import { Rounds } from "./rounds.ts";

export interface Flight {
  reply: Promise<Reply>;
  abort(): void;
}

/** The connections that all queues share; each queue may always have one. */
export interface Pool {
  used: number;
  readonly waiting: Map<string, () => void>;
}

const MOST_OF_ALL = 100;
const MOST = { first: 10, retry: 5 };
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const makePool = (): Pool => ({ used: 0, waiting: new Map() });

export class Queue {
  readonly world: World;
  readonly #house: CourierHouse;
  readonly #post: (call: Call) => Flight;
  readonly #pool: Pool;
  /** By queue: the deliveries in flight. */
  readonly #taken = new Map<string, Set<string>>();
  readonly #flights = new Set<Flight>();
  /** Sent, but the record could not be kept: not sent again before something else could be. */
  readonly #unkept = new Set<string>();
  readonly #rounds = new Rounds();
  #timer: NodeJS.Timeout | undefined;
  #nudged = false;
  #stopped = false;
  #atRest: (() => void) | undefined;

  constructor(world: World, house: CourierHouse, post: (call: Call) => Flight, pool: Pool) {
    this.world = world;
    this.#house = house;
    this.#post = post;
    this.#pool = pool;
  }

  nudge(): void {
    if (this.#nudged) return;
    this.#nudged = true;
    setImmediate(() => {
      this.#nudged = false;
      this.#quietly(() => this.#pump());
    });
  }

  async attemptDue(): Promise<ReceiptLine[]> {
    const due = this.#house.look(this.world, allDue);
    const receipt = this.#rounds.open(due);
    this.#quietly(() => this.#pump());
    return receipt;
  }

  /** Drops everything; what is in flight is not recorded. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const flight of this.#flights) flight.abort();
    this.#rounds.end();
  }

  async close(lastMs: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    if (this.#flights.size > 0) {
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

  #pump(): void {
    if (this.#stopped) return;
    this.#unkept.clear();
    for (const queue of this.#house.look(this.world, queuesDue)) this.#fill(queue);
    this.#setTimer();
    if (this.#flights.size === 0) this.#rounds.end();
  }

  /** Starts the next ones of a queue, as many as there is room for. */
  #fill(queue: string): void {
    if (this.#stopped) return;
    const taken = this.#taken.get(queue) ?? new Set();
    const own = MOST[queue.endsWith("first") ? "first" : "retry"] - taken.size;
    const shared = Math.max(MOST_OF_ALL - this.#pool.used, taken.size === 0 ? 1 : 0);
    const ready = this.#ready(queue, Math.min(own, shared), taken);
    for (const { delivery, call } of ready) {
      if (call) this.#start(queue, taken, call);
      else this.#drop(delivery);
    }
    if (taken.size > 0) this.#taken.set(queue, taken);
    if (shared >= own || ready.length < shared) return;
    this.#pool.waiting.set(`${this.world.id} ${queue}`, () => this.#quietly(() => this.#fill(queue)));
  }

  #ready(queue: string, most: number, taken: ReadonlySet<string>): { delivery: Delivery; call: Call | undefined }[] {
    return this.#house.look(this.world, (desk) => {
      const due = dueIn(desk, queue, most, new Set([...taken, ...this.#unkept]));
      return due.map((delivery) => ({ delivery, call: prepare(desk, delivery, this.#house.wall()) }));
    });
  }

  /** Its subscription is not there any more, or not in use: it came with a document or a copy. */
  #drop({ id, subscription_id }: Delivery): void {
    this.#house.change(this.world, "courier", (desk) => {
      endAllOf(desk, subscription_id, "DROPPED");
      const left = desk.deliveries.get(id);
      if (left?.state === "PENDING") settle(desk, left, "DROPPED");
    });
  }

  #start(queue: string, taken: Set<string>, call: Call): void {
    const [at, began] = [this.#house.now(this.world), this.#house.wall()];
    const flight = this.#post(call);
    taken.add(call.delivery.id);
    this.#flights.add(flight);
    this.#pool.used += 1;
    flight.reply.then((reply) => {
      taken.delete(call.delivery.id);
      if (taken.size === 0) this.#taken.delete(queue);
      this.#flights.delete(flight);
      this.#pool.used -= 1;
      this.#quietly(() => this.#land(call, reply, at, began));
      const [[id, next] = []] = this.#pool.waiting;
      if (id !== undefined && this.#pool.waiting.delete(id)) next?.();
      this.#quietly(() => this.#fill(queue));
      if (this.#flights.size > 0) return;
      this.#rounds.end();
      this.#atRest?.();
    });
  }

  #land(call: Call, reply: Reply, at: Instant, began: number): void {
    const { world } = this;
    if (reply.outcome === "ABORTED" || this.#house.world(world.id) !== world) return;
    const wall = this.#house.wall();
    const ended = { call, reply, at, duration_ms: Math.max(0, wall - began), wall, speed: this.#house.retry };
    this.#unkept.add(call.delivery.id);
    const { result, facts } = this.#house.change(world, "courier", (desk) => record(desk, ended));
    this.#unkept.delete(call.delivery.id);
    this.#rounds.tell(call.delivery, { at, what: "deliveryAttempted", id: call.delivery.id, facts: [...facts] });
    if (result) this.#house.attempted(world.id, result.delivery, result.message);
    if (result?.delivery.state === "PENDING") this.#setTimer();
  }

  /** On a running clock the next retry comes by itself; a held one is moved. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#house.mode(this.world) === "held") return;
    const now = this.#house.now(this.world);
    const next = this.#house.look(this.world, (desk) => nextDelivery(desk, now));
    if (next === undefined) return;
    const wait = Math.min(Math.max(toMillis(next) - toMillis(now), 1), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.#quietly(() => this.#pump()), wait);
    this.#timer.unref();
  }

  /** Nobody is there to catch what a callback throws but those who wait for a receipt. */
  #quietly(work: () => void): void {
    try {
      work();
    } catch (reason) {
      this.#rounds.fail(reason);
    }
  }
}
