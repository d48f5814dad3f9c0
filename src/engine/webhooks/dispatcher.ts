// Sends the deliveries of all worlds. Each subscription has a queue of first attempts and a queue of retries, each with a few
// connections, so that a slow receiver does not delay the others. The records are the only list of pending deliveries.
// Heading "Events"; assumptions: delivery-order, delivery-retry.
import type { SecureContext } from "node:tls";
import type { Fact, ReceiptLine } from "../domain/kernel/facts.ts";
import { toQueueKey } from "../domain/kernel/index-keys.ts";
import { type Instant, toMillis } from "../domain/kernel/instant.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import { type RetrySpeed, recordAttempt, recordDropped } from "./attempt.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import { endDeliveries, endDelivery, findNextTime, listAllDue, listDue, listDueQueues } from "./deliveries.ts";
import { type DeliveryFault, DeliveryFaults, type InjectedFault } from "./delivery-faults.ts";
import {
  type DeliveryRequest,
  type DeliveryResult,
  type HttpClient,
  type InFlight,
  makeClient,
} from "./http-delivery.ts";
import { PendingReceipts } from "./pending-receipts.ts";
import { prepareRequest } from "./prepare.ts";
import type { Reach } from "./targets.ts";

interface AttemptTrace {
  headers: Record<string, string>;
  endSpan(result: DeliveryResult): void;
}

export interface DispatcherPorts {
  now(world: World): Instant;
  mode(world: World): "held" | "running";
  /** Runs the work in one transaction. */
  change<T>(world: World, cause: Cause, work: (tx: Transaction) => T): { result: T; facts: readonly Fact[] };
  read<T>(world: World, question: (tx: Transaction) => T): T;
  /** Returns the world that has this id now. A reset or a restore replaces the world object. */
  world(id: string): World | undefined;
  /** Returns the wall-clock time in milliseconds. */
  wall(): number;
  /** Resolves when all commits of the world are durable. Until then they can be lost, so no message about them may be sent. */
  durable(world: string): Promise<void> | undefined;
  /** Returns the addresses that the world may reach. The dispatcher calls it after the commits are durable. */
  reach?(world: string): Reach | undefined;
  /** Sends the attempt through a client that relays it; undefined if no client relays for the world. */
  relayed?(world: string, request: DeliveryRequest): InFlight | undefined;
  retry: RetrySpeed;
  /** Traces an attempt, if tracing is on: the dispatcher calls it before the attempt and adds the headers to the request. */
  sending?: ((world: World, request: DeliveryRequest) => AttemptTrace) | undefined;
  /** Finds the fault that applies to a message of this kind, and counts the hit. */
  faultFor(world: World, kind: string): DeliveryFault | undefined;
  /** Called after an attempt was recorded, with the fault that was applied. */
  attempted(worldId: string, delivery: Delivery, message: Message, fault?: DeliveryFault): void;
  /** Called with an error of a background task, which no caller awaits. */
  failed(world: World, reason: unknown): void;
}

const TIMEOUT_MS = 15_000;
const MAX_CLOSE_MS = 1000;
/** Node runs a timer immediately if its delay is longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** The connections that one queue may use. */
const MAX_OPEN = { firstAttempts: 10, retries: 5 };

export type Dispatcher = ReturnType<typeof makeDispatcher>;

export function makeDispatcher(ports: DispatcherPorts, timeoutMs = TIMEOUT_MS, trust?: SecureContext) {
  const client = makeClient(timeoutMs, trust);
  const connections = new ConnectionLimit();
  const dispatchers = new Map<string, WorldDispatcher>();
  let closed = false;

  const forget = (id: string) => {
    dispatchers.get(id)?.stop();
    dispatchers.delete(id);
  };
  const findDispatcher = (world: World): WorldDispatcher | undefined => {
    // A reset gives the id to another world object.
    if (closed || ports.world(world.id) !== world) return undefined;
    const existing = dispatchers.get(world.id);
    if (existing?.world === world) return existing;
    forget(world.id);
    const dispatcher = new WorldDispatcher(world, ports, client, connections);
    dispatchers.set(world.id, dispatcher);
    return dispatcher;
  };

  return {
    /** Sends the deliveries that are due. Callers call it after a commit; it returns immediately and never throws. */
    wake: (world: World) => findDispatcher(world)?.wake(),
    /** Attempts every delivery that is due on the world's clock and waits until all are recorded. Clock moves call it. */
    attemptDue: async (world: World): Promise<ReceiptLine[]> => (await findDispatcher(world)?.attemptDue()) ?? [],
    /** Returns when the first pending delivery is due; undefined if none is pending, or the dispatcher is closed. */
    findNextDue: (world: World) => findDispatcher(world)?.findNextDue(),
    /** Returns how long the attempt in flight has taken, in real milliseconds. */
    getInFlightMs: ({ id }: World, delivery: string) => dispatchers.get(id)?.getInFlightMs(delivery),
    /** Sends the deliveries that faults hold back: those of the named fault, or all in the world. */
    release: (worldId: string, fault?: string) => dispatchers.get(worldId)?.release(fault),
    /** Aborts the attempts in flight without recording them, because the world was removed, replaced or rewound. */
    forget,
    /** Waits up to a second for requests in flight; deliveries whose request does not end stay pending. */
    async close() {
      closed = true;
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.close(MAX_CLOSE_MS)));
      dispatchers.clear();
      client.close();
    },
  };
}

/** Reads the queues of one world after a commit, when the clock is moved, and, on a running clock, when the next retry is due. */
class WorldDispatcher {
  readonly world: World;
  readonly #ports: DispatcherPorts;
  readonly #client: HttpClient;
  readonly #connections: ConnectionLimit;
  readonly #receipts = new PendingReceipts();
  readonly #inFlight = new Set<InFlight>();
  /** The ids of the deliveries in flight, by queue. */
  readonly #activeByQueue = new Map<string, Set<string>>();
  /** The request that is not fully sent yet, by queue of first attempts. The next request starts after it. */
  readonly #unsent = new Map<string, InFlight>();
  /** When the attempt in flight was sent, in wall-clock milliseconds, by delivery. */
  readonly #sentAt = new Map<string, number>();
  /** Deliveries whose attempt could not be recorded. They are not sent again until the queues are read again. */
  readonly #unrecorded = new Set<string>();
  readonly #faults: DeliveryFaults;
  #timer: NodeJS.Timeout | undefined;
  #isWakeScheduled = false;
  #stopped = false;
  #forgotten = false;
  #idle: (() => void) | undefined;

  constructor(world: World, ports: DispatcherPorts, client: HttpClient, connections: ConnectionLimit) {
    this.world = world;
    this.#ports = ports;
    this.#client = client;
    this.#connections = connections;
    this.#faults = new DeliveryFaults(
      (kind) => ports.faultFor(world, kind),
      () => this.wake(),
    );
  }

  wake(): void {
    if (this.#isWakeScheduled) return;
    this.#isWakeScheduled = true;
    // The queues are read in the next turn of the event loop, so that no response waits for a delivery.
    setImmediate(() => {
      this.#isWakeScheduled = false;
      this.#sendDue();
    });
  }

  attemptDue(): Promise<ReceiptLine[]> {
    const due = this.#ports.read(this.world, listAllDue);
    // The receipt must be open before the first request is sent, or it would miss results.
    const receipt = this.#receipts.open(due.filter((id) => !this.#faults.holds(id)));
    this.#sendDue();
    return receipt;
  }

  findNextDue(): Instant | undefined {
    // Deliveries that a fault holds back do not stop the clock.
    return this.#ports.read(this.world, (tx) => findNextTime(tx, { except: (id) => this.#faults.holds(id) }));
  }

  getInFlightMs(delivery: string): number | undefined {
    const sentAt = this.#sentAt.get(delivery);
    return sentAt === undefined ? undefined : Math.max(0, Math.round(this.#ports.wall() - sentAt));
  }

  release(fault?: string): void {
    this.#faults.release(fault);
  }

  /** Aborts the requests in flight without recording them. */
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
    this.#runDurable(() => {
      this.#unrecorded.clear();
      // The time is read before the queues, so that the timer covers deliveries that become due in between.
      const since = this.#ports.now(this.world);
      for (const queue of this.#ports.read(this.world, listDueQueues)) this.#sendNext(queue);
      this.#setTimer(since);
      // No result will resolve the receipts if no request is in flight.
      if (this.#inFlight.size === 0) this.#receipts.resolveAll();
    });
  }

  /** Runs the work when all commits are durable, and not if that fails, because the world is then reloaded without them. */
  #runDurable(work: () => void): void {
    const waiting = this.#ports.durable(this.world.id);
    const runUnlessStopped = () => this.#stopped || this.#reportErrors(work);
    if (waiting) waiting.then(runUnlessStopped, (reason) => this.#receipts.rejectAll(reason));
    else runUnlessStopped();
  }

  /** Schedules the next delivery that becomes due after the instant. A held clock needs no timer, because only moves advance it. */
  #setTimer(since: Instant): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#ports.mode(this.world) === "held") return;
    const next = this.#ports.read(this.world, (tx) => findNextTime(tx, { after: since }));
    if (next === undefined) return;
    const wait = Math.min(Math.max(toMillis(next) - toMillis(this.#ports.now(this.world)), 1), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#sendDue(), wait);
    this.#timer.unref();
  }

  /** Sends as many deliveries of a queue as the limits allow. */
  #sendNext(queue: string): void {
    // The next message waits until the previous one is fully sent.
    if (this.#stopped || this.#unsent.has(queue)) return;
    const active = this.#activeByQueue.get(queue) ?? new Set();
    // First attempts are sent in order, one at a time; retries have no order.
    const free = isFirst(queue) ? Math.min(MAX_OPEN.firstAttempts - active.size, 1) : MAX_OPEN.retries - active.size;
    const sharedFree = this.#connections.countFree(active.size);
    const ready = this.#prepareDue(queue, Math.min(free, sharedFree));
    let skipped = false;
    for (const { delivery, request } of ready) {
      if (!request) this.#dropUndeliverable(delivery);
      else if (!this.#sendWithFault(queue, active, request)) skipped = true;
    }
    if (active.size > 0) this.#activeByQueue.set(queue, active);
    // A delivery that a fault holds back or drops uses no connection, so the next one can be sent.
    if (skipped) this.#sendNext(queue);
    if (skipped || sharedFree >= free || ready.length < sharedFree) return;
    this.#connections.wait(`${this.world.id} ${queue}`, () => this.#runDurable(() => this.#sendNext(queue)));
  }

  #prepareDue(queue: string, limit: number) {
    return this.#ports.read(this.world, (tx) => {
      const isExcluded = (id: string) => this.#sentAt.has(id) || this.#unrecorded.has(id) || this.#faults.holds(id);
      const due = listDue(tx, queue, limit, isExcluded);
      return due.map((delivery) => ({ delivery, request: prepareRequest(tx, delivery, this.#ports.wall()) }));
    });
  }

  /** Returns false if a fault holds the delivery back or drops it. */
  #sendWithFault(queue: string, active: Set<string>, request: DeliveryRequest): boolean {
    const { delivery, message } = request;
    const injected = this.#faults.findNext(delivery, message);
    if (injected === "held") return false;
    if (injected?.effect === "drop") return this.#dropForFault(delivery, injected);
    const wall = this.#ports.wall();
    // The fault changes the content or the signature, so the request is prepared again.
    const sent = injected && this.#ports.read(this.world, (tx) => prepareRequest(tx, delivery, wall, injected));
    this.#send(queue, active, sent ?? request);
    return true;
  }

  #dropForFault({ id }: Delivery, injected: InjectedFault): false {
    const { result } = this.#ports.change(this.world, toCause(id), (tx) => recordDropped(tx, id, injected));
    if (result) this.#ports.attempted(this.world.id, result.delivery, result.message, injected.fault);
    return false;
  }

  /** Drops a delivery whose subscription is deleted or not ENABLED. An imported document or a copy can contain one. */
  #dropUndeliverable({ id, subscription_id }: Delivery): void {
    this.#ports.change(this.world, toCause(id), (tx) => {
      endDeliveries(tx, subscription_id, "DROPPED");
      const delivery = tx.deliveries.get(id);
      if (delivery?.state === "PENDING") endDelivery(tx, delivery, "DROPPED");
    });
  }

  #send(queue: string, active: Set<string>, prepared: DeliveryRequest): void {
    const { id } = prepared.delivery;
    const trace = this.#ports.sending?.(this.world, prepared);
    const request = trace ? { ...prepared, headers: { ...prepared.headers, ...trace.headers } } : prepared;
    const [at, began] = [this.#ports.now(this.world), this.#ports.wall()];
    const sending =
      this.#ports.relayed?.(this.world.id, request) ?? this.#client.send(request, this.#ports.reach?.(this.world.id));
    active.add(id);
    this.#sentAt.set(id, began);
    this.#inFlight.add(sending);
    this.#connections.take();
    if (isFirst(queue)) {
      this.#unsent.set(queue, sending);
      void sending.sent.then(() => this.#clearUnsent(queue, sending) && this.#runDurable(() => this.#sendNext(queue)));
    }
    void sending.result.then((result) => {
      trace?.endSpan(result);
      active.delete(id);
      this.#sentAt.delete(id);
      if (active.size === 0) this.#activeByQueue.delete(queue);
      this.#inFlight.delete(sending);
      // A request that failed early has not resolved `sent`.
      this.#clearUnsent(queue, sending);
      // The attempt is recorded before the connection is released, because the next attempt depends on the record.
      this.#reportErrors(() => this.#record(request, result, at, began));
      this.#connections.release();
      this.#runDurable(() => this.#sendNext(queue));
      if (this.#inFlight.size > 0) return;
      // Deliveries that a receipt still waits for were dropped.
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
    // If the transaction throws, the id stays in the set, so that the delivery is not sent repeatedly.
    this.#unrecorded.add(id);
    const { result: recorded, facts } = this.#ports.change(this.world, toCause(id), (tx) => recordAttempt(tx, ended));
    this.#unrecorded.delete(id);
    this.#receipts.add(request.delivery, { at, what: "deliveryAttempted", id, facts: [...facts] });
    if (!recorded) return;
    const { delivery } = recorded;
    if (delivery.state === "PENDING") this.#setTimer(at);
    // A resend during the attempt moved the delivery to the other queue, which waited for this attempt.
    const isDue = delivery.state === "PENDING" && (delivery.next_attempt_at ?? "") <= this.#ports.now(this.world);
    if (isDue && toQueueKey(delivery) !== toQueueKey(request.delivery)) this.wake();
    this.#ports.attempted(this.world.id, recorded.delivery, recorded.message, request.injected?.fault);
    this.#faults.recordSent(recorded.delivery, recorded.message);
  }

  /** Reports an error of the work to the callers that wait for a receipt, and to the program. */
  #reportErrors(work: () => void): void {
    try {
      work();
    } catch (reason) {
      this.#receipts.rejectAll(reason);
      this.#ports.failed(this.world, reason);
    }
  }
}

const toCause = (delivery: string): Cause => ({ kind: "delivery", id: delivery });

const isFirst = (queue: string): boolean => queue.endsWith("first");
