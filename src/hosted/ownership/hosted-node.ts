// What a node does with worlds: opens those that live nowhere when they are asked for or something is due in them, closes those that nobody
// uses, and lets go of those that it has lost. From its opening to its closing a world is as in a single process.
import { setTimeout as pause } from "node:timers/promises";
import type { WorldLease } from "../../engine/http/extension/index.ts";
import { type State, StoreError } from "../../engine/log/index.ts";
import { hopOf, isHop, isMarked, type World } from "../../engine/world/index.ts";
import type { SharedStore } from "../postgres/shared-store.ts";
import { type Guess, makeGuesses } from "./guesses.ts";
import { Leases } from "./leases.ts";
import { makeNewerWorlds } from "./newer-worlds.ts";

interface HostedDeps {
  store: SharedStore;
  /** That of all nodes, for the marks of credentials. */
  credentialKey: string;
  worlds(): readonly World[];
  world(id: string): World | undefined;
  /** Something of the world is in memory only, and would be missed: it does not move. */
  isBound(id: string): boolean;
  open(id: string, state: State): void;
  close(world: World): void;
  /** Ms since 1970 when the next thing is due in it, where its clock runs. */
  dueAt(world: World): number | undefined;
  warn(sentence: string): void;
  count(what: "opened" | "evicted", label?: string): void;
  /** Ms by a clock that nobody sets. */
  monotonic(): number;
  tell?(event: { event: "world_opened" | "world_closed" | "world_lost"; world: string; why?: string }): void;
  /** Worlds in memory. */
  most: number;
  idleMs?: number;
  /** Between two looks for what is due. */
  sweepMs?: number;
}

type NotHere =
  | { is: "elsewhere"; url: string }
  | { is: "unknown" }
  /** One sentence says why this version can't read it. */
  | { is: "unreadable"; why: string; isNewer: boolean };

/** `guess`: the world was opened for what may have been made up. */
export type WorldLocation = { is: "here"; lease: WorldLease; guess?: Guess } | NotHere;

/** A node of a sandbox that many share: where a world lives, and who is at work in one that lives here. */
export type Hosted = Pick<HostedNode, keyof HostedNode>;

/** Of what is known about worlds elsewhere. */
const ADDRESS_MS = 2000;
/** Entries; past it all are forgotten at once, which costs one look into the database for each world in use. */
const MOST_ADDRESSES = 10_000;
/** A world without a lease for so long is closed. */
const IDLE_MS = 15 * 60_000;
const SWEEP_MS = 2000;
/** Worlds of one statement, so that several nodes share a crowd of due worlds. */
const MOST_SWEPT = 20;
/** Between two looks at what is idle; it costs a pass over the open worlds in memory and no statement. */
const EVICTION_MS = 1000;
/** Load balancers look twice in it, and send nothing new from then on; one that is late is waited for. */
const NOTICED_MS = 1000;
const NOTICED_LATE_MS = 3000;
/** Who looked so lately looks again. By the second look, the response to the first is known. */
const WATCHED_MS = 2000;
const LOOKS = 2;
/** For the leases of one world, and for all worlds together. */
const DRAIN_MS = 1000;
const LEAVE_MS = 3000;
const MAX_RELEASES = 4;

const STOPPING = "This node is stopping. Send the request again.";
const TOO_MANY =
  "The world is not open, and too many were opened in this minute for credentials that nobody had issued. Send the request again later.";

/** The one part of a node that opens and closes worlds. Starts timers that don't keep the process alive; `end` stops them. */
export class HostedNode {
  readonly #deps: HostedDeps;
  readonly #leases: Leases;
  readonly #guesses: ReturnType<typeof makeGuesses>;
  readonly #newer: ReturnType<typeof makeNewerWorlds>;
  readonly #opening = new Map<string, Promise<NotHere | undefined>>();
  readonly #addresses = new Map<string, { url: string; until: number }>();
  /** Nobody may enter these worlds any more. */
  readonly #shut = new Set<string>();
  readonly #looks = { count: 0, last: Number.NEGATIVE_INFINITY };
  readonly #timers: NodeJS.Timeout[];
  readonly #sweepMs: number;
  readonly #idleMs: number;
  #sweeping: Promise<void> | undefined;
  #isLeaving = false;

  constructor(deps: HostedDeps) {
    const { store, sweepMs = SWEEP_MS, idleMs = IDLE_MS } = deps;
    this.#deps = deps;
    this.#sweepMs = sweepMs;
    this.#idleMs = idleMs;
    this.#leases = new Leases(deps.monotonic, (id) => this.#moveWhereWanted(id));
    this.#guesses = makeGuesses(deps.monotonic);
    this.#newer = makeNewerWorlds(deps);
    store.onLost((ids, why) => this.#lose(ids, why));
    // The store writes when the next thing is due, so that any node can open a sleeping world in time.
    store.dueOf((id) => {
      const world = deps.world(id);
      return world && deps.dueAt(world);
    });
    this.#timers = [
      setInterval(() => this.#sweepOnce(), sweepMs),
      setInterval(() => store.isUsable && this.#closeIdle(), Math.min(EVICTION_MS, idleMs)),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** The id under which this node is known to the others. */
  get node(): string {
    return this.#deps.store.node;
  }

  /** What this node sends along with a request that it sends on. */
  get hop(): string {
    return hopOf(this.#deps.credentialKey, this.node);
  }

  /** Whether a node has sent such a text. */
  isNode(hop: string): boolean {
    return isHop(this.#deps.credentialKey, hop);
  }

  /** Whether this node takes no more worlds, since it is to stop. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Why a newer version should have its place: a world that nobody has, and that this version can't read. */
  get outdated(): string | undefined {
    return this.#newer.why;
  }

  /** Somebody has looked whether this node may get requests. */
  looked(): void {
    this.#looks.count++;
    this.#looks.last = this.#deps.monotonic();
  }

  /** At once, where the world is open here. `from`: the node that has sent the request on, and would rather have the world. */
  lease(id: string, from?: string): WorldLease | undefined {
    return this.#deps.world(id) && !this.#shut.has(id) ? this.#leases.lease(id, from) : undefined;
  }

  /**
   * Opens a world that lives nowhere. Rejects with a StoreError while that can't be known. `credential`: what all rests on, empty where there
   * is none; one that is not signed by the nodes may have been made up, and opens no world after too many of them.
   */
  async locate(id: string, credential?: string, why = "request"): Promise<WorldLocation> {
    const known = this.#findKnown(id);
    if (known) return known;
    if (this.#isLeaving) return this.#whereOnly(id, STOPPING);
    const isGuess = credential !== undefined && !isMarked(this.#deps.credentialKey, credential);
    const guess = isGuess ? this.#guesses.begin() : undefined;
    if (isGuess && !guess) return this.#whereOnly(id, TOO_MANY);
    const elsewhere = await this.#acquireOnce(id, why);
    if (elsewhere) {
      guess?.right();
      return elsewhere;
    }
    const lease = this.lease(id);
    if (!lease) throw new StoreError(`World ${id} is moving. Send the request again.`);
    // Only now: the new world has a lease, so it can't be the one that is closed.
    this.#makeRoom();
    return guess ? { is: "here", lease, guess } : { is: "here", lease };
  }

  /** For a request that another node has sent on: undefined where this node is not the owner, and the sender looks again. */
  async locateHere(id: string, from: string | undefined): Promise<WorldLocation | undefined> {
    const lease = this.lease(id, from);
    if (lease) return { is: "here", lease };
    if (this.#isLeaving) return undefined;
    const found = await this.#deps.store.where(id);
    // A world that this node has lost, to a failure of the database, is still its own: nobody else may open it.
    if (found.is !== "free" || !found.ours) return undefined;
    this.#addresses.delete(id);
    const location = await this.locate(id);
    return location.is === "elsewhere" ? undefined : location;
  }

  /** Where there are other nodes, a world that was only made here is given up, to live where it is asked for. `isUnused`: there it begins. */
  async release(id: string, isUnused?: boolean): Promise<void> {
    const world = this.#deps.world(id);
    if (world && !this.#deps.store.isAlone && this.#isIdle(world)) await this.#evict(world, isUnused);
  }

  /** It is not where it was said to be: the next look asks the database. */
  misplaced(id: string): void {
    this.#addresses.delete(id);
  }

  /** Whether the world still lives at this address, without taking it. */
  async isAt(id: string, url: string): Promise<boolean> {
    // Asked every three seconds for each request under way: the cached address answers most of them without a statement.
    const known = this.#findAddress(id);
    if (known !== undefined) return known === url;
    const found = await this.#deps.store.where(id);
    return found.is === "elsewhere" && this.#cacheAddress(id, found.url).url === url;
  }

  /** Of a node that lives. */
  addressOf(node: string): Promise<string | undefined> {
    return this.#deps.store.addressOf(node);
  }

  /**
   * Before the end: takes no more worlds, ends streams, and waits shortly until the last lease is released. It continues to serve until load
   * balancers have noticed, and then one world after another is without an owner for a moment only; in all seven seconds at most (3 + 3 + 1).
   */
  async leave(): Promise<void> {
    const { store, monotonic: now } = this.#deps;
    this.#isLeaving = true;
    // First, or the sweep would open worlds again that are being given up.
    this.end();
    if (!store.isAlone) await this.#waitUntilNoticed();
    this.#leases.endAll();
    if (!store.isAlone) {
      const [left, until] = [[...this.#deps.worlds()], now() + LEAVE_MS];
      await Promise.all(Array.from({ length: MAX_RELEASES }, () => this.#releaseOneByOne(left, until)));
    }
    await this.#waitWhile(() => this.#leases.count > 0, now() + DRAIN_MS);
  }

  end(): void {
    this.#timers.forEach(clearInterval);
  }

  #isIdle({ id }: World): boolean {
    return !this.#leases.isLeased(id) && !this.#opening.has(id);
  }

  #findAddress(id: string): string | undefined {
    const known = this.#addresses.get(id);
    return known && known.until > this.#deps.monotonic() ? known.url : undefined;
  }

  /** Without a look into the database. */
  #findKnown(id: string): WorldLocation | undefined {
    const lease = this.lease(id);
    if (lease) return { is: "here", lease };
    const url = this.#findAddress(id);
    return url === undefined ? undefined : { is: "elsewhere", url };
  }

  /** Wrong for two seconds at most: the other node answers 421, and the address is dropped. */
  #cacheAddress(id: string, url: string): Extract<NotHere, { is: "elsewhere" }> {
    if (this.#addresses.size >= MOST_ADDRESSES) this.#addresses.clear();
    this.#addresses.set(id, { url, until: this.#deps.monotonic() + ADDRESS_MS });
    return { is: "elsewhere", url };
  }

  /** Looks without taking: for a node that stops, and for names that were made up. Throws where the world is nobody's. */
  async #whereOnly(id: string, whyNotHere: string): Promise<NotHere> {
    const found = await this.#deps.store.where(id);
    if (found.is === "elsewhere") return this.#cacheAddress(id, found.url);
    if (found.is === "unknown") return found;
    throw new StoreError(whyNotHere);
  }

  /** Counts and logs one opening, however many wait for it. */
  #acquireOnce(id: string, why: string): Promise<NotHere | undefined> {
    const known = this.#opening.get(id);
    if (known) return known;
    const opening = this.#acquire(id, why).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Undefined where the world is open here now. */
  async #acquire(id: string, why: string): Promise<NotHere | undefined> {
    const { store, open, count, tell } = this.#deps;
    // Its removal may still be on its way to the database.
    await store.durable(id)?.catch(() => undefined);
    const acquired = await store.acquire(id);
    this.#newer.note(id, acquired);
    if (acquired.is === "elsewhere") return this.#cacheAddress(id, acquired.url);
    if (acquired.is !== "here") return acquired;
    open(id, acquired.state);
    count("opened", why);
    tell?.({ event: "world_opened", world: id, why });
    return undefined;
  }

  /** Lost worlds leave memory at once and are not written any more: another node may be changing them by now. */
  #lose(ids: readonly string[], why: string | undefined): void {
    let closed = 0;
    for (const id of ids) {
      this.#leases.lose(id);
      const world = this.#deps.world(id);
      if (!world) continue;
      this.#deps.close(world);
      // It was never here for anybody, as where a quota refused a new one: that is no loss to report.
      if (why === undefined) continue;
      this.#deps.tell?.({ event: "world_lost", world: id, why });
      closed++;
    }
    const worlds = closed === 1 ? `World ${ids[0]} is` : `${closed} worlds are`;
    if (closed > 0) this.#deps.warn(`${why} ${worlds} opened again when asked for.`);
  }

  /** A world goes to the node that its clients reach first: each hop costs a second request. */
  #moveWhereWanted(id: string): void {
    const world = this.#deps.world(id);
    if (world && this.#leases.isWantedElsewhere(id) && this.#isIdle(world) && !this.#deps.isBound(id))
      void this.#evict(world);
  }

  /** The store looks once more what is due in it; what it has queued is written before it is given up. */
  #evict(world: World, isUnused = false): Promise<void> {
    const { store, close, count, tell, warn } = this.#deps;
    // Before it leaves memory: the store notes what is due in it, which it reads from memory.
    const released = store.release(world.id, isUnused);
    close(world);
    this.#leases.forget(world.id);
    count("evicted");
    tell?.({ event: "world_closed", world: world.id });
    return released.catch((reason) => warn(`World ${world.id} could not be given up: ${String(reason)}`));
  }

  /** Closes the idle worlds that were used longest ago. More than `most` stay open while all are in use. */
  #makeRoom(): void {
    const worlds = this.#deps.worlds();
    const surplus = worlds.length - this.#deps.most;
    if (surplus <= 0) return;
    const idle = worlds.filter((world) => this.#isIdle(world));
    idle.sort((a, b) => this.#leases.usedAt(a.id) - this.#leases.usedAt(b.id));
    for (const world of idle.slice(0, surplus)) void this.#evict(world);
  }

  /** A world in which something is due soon would be taken again at once. */
  #closeIdle(): void {
    const { store, monotonic, worlds, dueAt } = this.#deps;
    const soon = store.databaseNow() + this.#sweepMs;
    const isUnused = ({ id }: World) => monotonic() - this.#leases.usedAt(id) > this.#idleMs;
    for (const world of worlds())
      if (this.#isIdle(world) && isUnused(world) && (dueAt(world) ?? soon) >= soon) void this.#evict(world);
    this.#makeRoom();
  }

  /** A slow database must not pile sweeps up. What fails is tried again with the next. */
  #sweepOnce(): void {
    if (this.#sweeping || !this.#deps.store.isUsable) return;
    this.#sweeping = this.#sweep()
      .catch(() => undefined)
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  /** Ends when a page is not full: what becomes due meanwhile belongs to the next sweep. */
  async #sweep(): Promise<void> {
    await this.#newer.lookAgain();
    for (let found = MOST_SWEPT; found === MOST_SWEPT && !this.#isLeaving; ) {
      const ids = await this.#deps.store.overdue(MOST_SWEPT);
      found = ids.length;
      for (const id of ids) await this.#openDue(id);
    }
  }

  async #openDue(id: string): Promise<void> {
    if (this.#isLeaving || this.#deps.world(id)) return;
    const found = await this.locate(id, undefined, "due work");
    if (found.is !== "here") return;
    // The world's own clock does what is due, now that it is open; nobody has to wait for it here.
    found.lease.release();
    this.#leases.unused(id);
    this.#makeRoom();
  }

  /** Polled, since what it waits for is counted in different parts. */
  async #waitWhile(isSo: () => boolean, until: number): Promise<void> {
    while (isSo() && this.#deps.monotonic() < until) await pause(5);
  }

  async #waitUntilNoticed(): Promise<void> {
    const { monotonic: now } = this.#deps;
    const began = now();
    // Without a load balancer nobody looks; then one second is enough, and a stop stays short.
    const isWatched = began - this.#looks.last < WATCHED_MS;
    this.#looks.count = 0;
    const isUnnoticed = () => now() - began < NOTICED_MS || (isWatched && this.#looks.count < LOOKS);
    await this.#waitWhile(isUnnoticed, began + NOTICED_LATE_MS);
  }

  async #releaseOneByOne(left: World[], until: number): Promise<void> {
    const { monotonic: now, worlds } = this.#deps;
    for (let world = left.pop(); world && now() < until; world = left.pop()) {
      const { id } = world;
      // Shut before it is drained: a request that comes now finds it at its next owner, not here.
      this.#shut.add(id);
      await this.#waitWhile(() => this.#leases.isLeased(id), Math.min(now() + DRAIN_MS, until));
      // One that is still in use stays with this node until its row is removed, which frees it as well.
      if (this.#isIdle(world) && worlds().includes(world)) await this.#evict(world);
    }
  }
}
