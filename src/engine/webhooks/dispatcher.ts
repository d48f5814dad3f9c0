// Sends the deliveries of all worlds. Each subscription has a queue of first attempts and a queue of retries, each with a few
// connections, so that a slow receiver keeps no other waiting. What is pending is read from the records, never remembered here.
// Heading "Events"; assumptions: delivery-order, delivery-retry.
import type { SecureContext } from "node:tls";
import type { Fact, ReceiptLine } from "../domain/kernel/facts.ts";
import { queueOf } from "../domain/kernel/index-keys.ts";
import { type Instant, toMillis } from "../domain/kernel/instant.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import { recordAttempt, recordDropped } from "./attempt.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import { endAllOf, findNextTime, listAllDue, listDue, listDueQueues, settle } from "./deliveries.ts";
import { type DeliveryFault, DeliveryFaults, type Injected } from "./delivery-faults.ts";
import {
  type DeliveryRequest,
  type DeliveryResult,
  type HttpClient,
  type InFlight,
  makeClient,
} from "./http-delivery.ts";
import { PendingReceipts } from "./pending-receipts.ts";
import { prepareRequest } from "./prepare.ts";
import type { Speed } from "./retry.ts";
import type { Reach } from "./targets.ts";

/** What the dispatcher needs of the program. */
export interface DispatcherPorts {
  now(world: World): Instant;
  mode(world: World): "held" | "running";
  /** One transaction. */
  change<T>(world: World, cause: Cause, work: (tx: Transaction) => T): { result: T; facts: readonly Fact[] };
  read<T>(world: World, question: (tx: Transaction) => T): T;
  /** The world that has this id now: a reset or a restore puts another in its place. */
  world(id: string): World | undefined;
  /** The wall clock in milliseconds. */
  wall(): number;
  /** Resolves when all that is committed in the world is durable: what is not may still be lost, and must not be told. */
  durable(world: string): Promise<void> | undefined;
  /** Asked once what is committed is durable. */
  reach?(world: string): Reach | undefined;
  /** By a client that makes the attempts of the world for it; undefined where none does. */
  relayed?(world: string, request: DeliveryRequest): InFlight | undefined;
  retry: Speed;
  /** Where attempts are traced: called before each; the headers are sent with it. */
  sending?:
    | ((
        world: World,
        request: DeliveryRequest,
      ) => { headers: Record<string, string>; ended(result: DeliveryResult): void })
    | undefined;
  /** The fault that hits the delivery of a message of this kind, counted. */
  faultFor(world: World, kind: string): DeliveryFault | undefined;
  /** Called after an attempt was recorded, with the fault that hit it. */
  attempted(worldId: string, delivery: Delivery, message: Message, fault?: DeliveryFault): void;
  /** Called with an error that no caller waits for. */
  failed(world: World, reason: unknown): void;
}

interface DueOptions {
  /** Leaves out deliveries in flight: real time passes while a receiver is stopped in a debugger. */
  exceptInFlight?: boolean;
}

export interface Dispatcher {
  /** After a commit: sends what is due. Returns at once and never throws. */
  wake(world: World): void;
  /** For a clock move: attempts everything due by the world's clock, and waits until it is recorded. */
  attemptDue(world: World, options?: DueOptions): Promise<ReceiptLine[]>;
  /** When the first pending delivery is due; undefined when none is, or none can be sent any more. */
  findNextDue(world: World, options?: DueOptions): Instant | undefined;
  /** How long the attempt of this delivery that is in flight has taken, in real milliseconds. */
  getInFlightMs(world: World, delivery: string): number | undefined;
  /** What a fault holds back in the world, or those of this name, is sent now. */
  release(worldId: string, fault?: string): void;
  /** The world was removed, replaced or rewound: attempts in flight are not recorded. */
  forget(worldId: string): void;
  /** Requests in flight get a second to end; those that do not stay pending. */
  close(): Promise<void>;
}

/** For one attempt as a whole. */
const TIMEOUT_MS = 15_000;
const MAX_CLOSE_MS = 1000;
/** Node fires a timer at once that is longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Connections of one queue. */
const MAX_OPEN = { firstAttempts: 10, retries: 5 };

export function makeDispatcher(ports: DispatcherPorts, timeoutMs = TIMEOUT_MS, trust?: SecureContext): Dispatcher {
  const client = makeClient(timeoutMs, trust);
  const connections = new ConnectionLimit();
  const dispatchers = new Map<string, WorldDispatcher>();
  let closed = false;

  const forget = (id: string) => {
    dispatchers.get(id)?.stop();
    dispatchers.delete(id);
  };
  /** None for a world that was replaced; its successor begins anew. */
  const findDispatcher = (world: World): WorldDispatcher | undefined => {
    // A reset has put another world in its place.
    if (closed || ports.world(world.id) !== world) return undefined;
    const known = dispatchers.get(world.id);
    if (known?.world === world) return known;
    forget(world.id);
    const dispatcher = new WorldDispatcher(world, ports, client, connections);
    dispatchers.set(world.id, dispatcher);
    return dispatcher;
  };

  return {
    wake: (world) => findDispatcher(world)?.wake(),
    attemptDue: async (world, options) => (await findDispatcher(world)?.attemptDue(options)) ?? [],
    findNextDue: (world, options) => findDispatcher(world)?.findNextDue(options),
    getInFlightMs: ({ id }, delivery) => dispatchers.get(id)?.getInFlightMs(delivery),
    release: (id, fault) => dispatchers.get(id)?.release(fault),
    forget,
    async close() {
      closed = true;
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.close(MAX_CLOSE_MS)));
      dispatchers.clear();
      client.close();
    },
  };
}

/** Looks into the queues of one world after a commit, when the clock is moved, and, on a running clock, at the next retry. */
class WorldDispatcher {
  readonly world: World;
  readonly #ports: DispatcherPorts;
  readonly #client: HttpClient;
  readonly #connections: ConnectionLimit;
  readonly #receipts = new PendingReceipts();
  readonly #inFlight = new Set<InFlight>();
  /** By queue: the ids of the deliveries in flight. */
  readonly #taken = new Map<string, Set<string>>();
  /** By queue of first attempts: the request that is not sent yet. The next one leaves after it. */
  readonly #unsent = new Map<string, InFlight>();
  /** By delivery: when the attempt in flight was sent, in wall milliseconds. */
  readonly #sentAt = new Map<string, number>();
  /** Sent, but not recorded, since recording failed: not sent again before the queues are looked into again. */
  readonly #unrecorded = new Set<string>();
  readonly #faults: DeliveryFaults;
  #timer: NodeJS.Timeout | undefined;
  #nudged = false;
  #stopped = false;
  #forgotten = false;
  #idle: (() => void) | undefined;

  constructor(world: World, ports: DispatcherPorts, client: HttpClient, connections: ConnectionLimit) {
    this.world = world;
    this.#ports = ports;
    this.#client = client;
    this.#connections = connections;
    this.#faults = new DeliveryFaults({
      faultFor: (kind) => ports.faultFor(world, kind),
      released: () => this.wake(),
    });
  }

  wake(): void {
    if (this.#nudged) return;
    // Once a turn, however many commits it has.
    this.#nudged = true;
    // After the commit's own turn, so that no answer waits for a delivery.
    setImmediate(() => {
      this.#nudged = false;
      this.#sendDue();
    });
  }

  attemptDue({ exceptInFlight = false }: DueOptions = {}): Promise<ReceiptLine[]> {
    const due = this.#ports.read(this.world, listAllDue);
    // Before anything is sent, so that no result is missed.
    const receipt = this.#receipts.open(due.filter((id) => !this.#isLeftOut(id, exceptInFlight)));
    this.#sendDue();
    return receipt;
  }

  /** A move of the clock goes on while a fault holds something back. */
  findNextDue({ exceptInFlight = false }: DueOptions = {}): Instant | undefined {
    const isExcepted = (id: string) => this.#isLeftOut(id, exceptInFlight);
    return this.#ports.read(this.world, (tx) => findNextTime(tx, { except: isExcepted }));
  }

  #isLeftOut(id: string, exceptInFlight: boolean): boolean {
    return this.#faults.holds(id) || (exceptInFlight && this.#sentAt.has(id));
  }

  getInFlightMs(delivery: string): number | undefined {
    const sentAt = this.#sentAt.get(delivery);
    return sentAt === undefined ? undefined : Math.max(0, Math.round(this.#ports.wall() - sentAt));
  }

  release(fault?: string): void {
    this.#faults.release(fault);
  }

  /** Requests in flight are aborted and not recorded. */
  stop(): void {
    this.#forgotten = true;
    this.#end();
    for (const each of this.#inFlight) each.abort();
    this.#receipts.resolveAll();
  }

  async close(withinMs: number): Promise<void> {
    this.#end();
    if (this.#inFlight.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        // The last request in flight ends the wait.
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.stop();
  }

  #end(): void {
    this.#stopped = true;
    this.#faults.stop();
    clearTimeout(this.#timer);
  }

  #sendDue(): void {
    this.#onceDurable(() => {
      this.#unrecorded.clear();
      // Before the queues are looked into: what becomes due meanwhile is for the timer.
      const since = this.#ports.now(this.world);
      for (const queue of this.#ports.read(this.world, listDueQueues)) this.#fill(queue);
      this.#setTimer(since);
      // Nothing was sent, so nothing will report.
      if (this.#inFlight.size === 0) this.#receipts.resolveAll();
    });
  }

  /** What can't be made durable is not sent: the world is loaded again without it. */
  #onceDurable(work: () => void): void {
    const waiting = this.#ports.durable(this.world.id);
    const runUnlessStopped = () => this.#stopped || this.#guard(work);
    if (waiting) waiting.then(runUnlessStopped, (reason) => this.#receipts.rejectAll(reason));
    else runUnlessStopped();
  }

  /** On a running clock what falls due after an instant is sent by a timer, at once where it has passed; a held clock is moved. */
  #setTimer(since: Instant): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#ports.mode(this.world) === "held") return;
    const next = this.#ports.read(this.world, (tx) => findNextTime(tx, { after: since }));
    if (next === undefined) return;
    const wait = Math.min(Math.max(toMillis(next) - toMillis(this.#ports.now(this.world)), 1), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#sendDue(), wait);
    this.#timer.unref();
  }

  /** Sends the next deliveries of a queue, as many as the limits allow. */
  #fill(queue: string): void {
    // The next message leaves only when the one before is on its way.
    if (this.#stopped || this.#unsent.has(queue)) return;
    const taken = this.#taken.get(queue) ?? new Set();
    // First attempts leave one by one, in order; retries have lost theirs already.
    const own = isFirst(queue) ? Math.min(MAX_OPEN.firstAttempts - taken.size, 1) : MAX_OPEN.retries - taken.size;
    const shared = this.#connections.countFree(taken.size);
    const ready = this.#ready(queue, Math.min(own, shared));
    let skipped = false;
    for (const { delivery, request } of ready) {
      if (!request) this.#drop(delivery);
      else if (!this.#sendWithFault(queue, taken, request)) skipped = true;
    }
    if (taken.size > 0) this.#taken.set(queue, taken);
    // What a fault holds back or drops leaves its turn to the next.
    if (skipped) this.#fill(queue);
    if (skipped || shared >= own || ready.length < shared) return;
    this.#connections.wait(`${this.world.id} ${queue}`, () => this.#onceDurable(() => this.#fill(queue)));
  }

  #ready(queue: string, most: number) {
    return this.#ports.read(this.world, (tx) => {
      const isTaken = (id: string) => this.#sentAt.has(id) || this.#unrecorded.has(id) || this.#faults.holds(id);
      // Neither what is in flight nor what a fault holds back.
      const due = listDue(tx, queue, most, isTaken);
      return due.map((delivery) => ({ delivery, request: prepareRequest(tx, delivery, this.#ports.wall()) }));
    });
  }

  /** Returns whether anything is sent now. */
  #sendWithFault(queue: string, taken: Set<string>, request: DeliveryRequest): boolean {
    const { delivery, message } = request;
    const injected = this.#faults.findNext(delivery, message);
    if (injected === "held") return false;
    if (injected?.doing === "drop") return this.#dropOnPurpose(delivery, injected);
    const wall = this.#ports.wall();
    // Prepared anew, since the fault changes what is signed or sent.
    const sent = injected && this.#ports.read(this.world, (tx) => prepareRequest(tx, delivery, wall, injected));
    this.#send(queue, taken, sent ?? request);
    return true;
  }

  #dropOnPurpose({ id }: Delivery, injected: Injected): false {
    const { result } = this.#ports.change(this.world, causeOf(id), (tx) => recordDropped(tx, id, injected));
    if (result) this.#ports.attempted(this.world.id, result.delivery, result.message, injected.fault);
    return false;
  }

  /** Its subscription is deleted or not ENABLED, as can be in an imported document or a copy. */
  #drop({ id, subscription_id }: Delivery): void {
    this.#ports.change(this.world, causeOf(id), (tx) => {
      endAllOf(tx, subscription_id, "DROPPED");
      const left = tx.deliveries.get(id);
      if (left?.state === "PENDING") settle(tx, left, "DROPPED");
    });
  }

  #send(queue: string, taken: Set<string>, prepared: DeliveryRequest): void {
    const { id } = prepared.delivery;
    const trace = this.#ports.sending?.(this.world, prepared);
    const request = trace ? { ...prepared, headers: { ...prepared.headers, ...trace.headers } } : prepared;
    const [at, began] = [this.#ports.now(this.world), this.#ports.wall()];
    const sending =
      this.#ports.relayed?.(this.world.id, request) ?? this.#client.send(request, this.#ports.reach?.(this.world.id));
    taken.add(id);
    this.#sentAt.set(id, began);
    this.#inFlight.add(sending);
    this.#connections.take();
    if (isFirst(queue)) {
      this.#unsent.set(queue, sending);
      void sending.sent.then(() => this.#clearUnsent(queue, sending) && this.#onceDurable(() => this.#fill(queue)));
    }
    void sending.result.then((result) => {
      trace?.ended(result);
      taken.delete(id);
      this.#sentAt.delete(id);
      if (taken.size === 0) this.#taken.delete(queue);
      this.#inFlight.delete(sending);
      // It may have failed before it was sent.
      this.#clearUnsent(queue, sending);
      // Before the connection is given back: the next attempt must find this one recorded.
      this.#guard(() => this.#record(request, result, at, began));
      this.#connections.release();
      this.#onceDurable(() => this.#fill(queue));
      if (this.#inFlight.size > 0) return;
      // What a receipt still waits for was dropped.
      this.#receipts.resolveAll();
      this.#idle?.();
    });
  }

  /** Returns whether the queue waited for this request. */
  #clearUnsent(queue: string, sending: InFlight): boolean {
    return this.#unsent.get(queue) === sending && this.#unsent.delete(queue);
  }

  #record(request: DeliveryRequest, result: DeliveryResult, at: Instant, began: number): void {
    const { id } = request.delivery;
    if (result.outcome === "ABORTED" || this.#forgotten || this.#ports.world(this.world.id) !== this.world) return;
    const wall = this.#ports.wall();
    const { duration_ms = Math.max(0, wall - began) } = result;
    const ended = { request, result, at, duration_ms, wall, speed: this.#ports.retry };
    // If the transaction throws it stays here, and is not sent over and over.
    this.#unrecorded.add(id);
    const { result: recorded, facts } = this.#ports.change(this.world, causeOf(id), (tx) => recordAttempt(tx, ended));
    this.#unrecorded.delete(id);
    this.#receipts.add(request.delivery, { at, what: "deliveryAttempted", id, facts: [...facts] });
    if (!recorded) return;
    const { delivery } = recorded;
    if (delivery.state === "PENDING") this.#setTimer(at);
    // A resend during the attempt moved the delivery to the other queue, which waited for this attempt.
    const isDue = delivery.state === "PENDING" && (delivery.next_attempt_at ?? "") <= this.#ports.now(this.world);
    if (isDue && queueOf(delivery) !== queueOf(request.delivery)) this.wake();
    this.#ports.attempted(this.world.id, recorded.delivery, recorded.message, request.injected?.fault);
    this.#faults.recordSent(recorded.delivery, recorded.message);
  }

  /** An error can only be reported to those who wait for a receipt, and to the program. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (reason) {
      this.#receipts.rejectAll(reason);
      this.#ports.failed(this.world, reason);
    }
  }
}

const causeOf = (delivery: string): Cause => ({ kind: "delivery", id: delivery });

function isFirst(queue: string): boolean {
  return queue.endsWith("first");
}
