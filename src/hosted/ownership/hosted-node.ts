// Opens and closes the worlds of a node. It opens a world that no node has open, for a request or for due work, and closes worlds that are idle
// or lost. An open world works as in a single process.
import { setTimeout as pause } from "node:timers/promises";
import type { WorldLease } from "../../engine/http/extension/index.ts";
import { type State, StoreError } from "../../engine/log/index.ts";
import { createNodeCredential, hasMark, isNodeCredential, type World } from "../../engine/world/index.ts";
import type { SharedStore } from "../postgres/shared-store.ts";
import { type ConfirmGuess, Guesses } from "./guesses.ts";
import { Leases } from "./leases.ts";
import { NewerWorlds } from "./newer-worlds.ts";

interface HostedDeps {
  store: SharedStore;
  /** All nodes mark credentials with this key. */
  credentialKey: string;
  worlds(): readonly World[];
  world(id: string): World | undefined;
  /** Whether the world has state in memory only, and must not move. */
  isBound(id: string): boolean;
  open(id: string, state: State): void;
  close(world: World): void;
  /** When the next thing is due in the world (ms since 1970), if its clock runs. */
  dueAt(world: World): number | undefined;
  warn(sentence: string): void;
  count(what: "opened" | "evicted", label?: string): void;
  /** A clock in ms that is never set. */
  monotonic(): number;
  tell?(event: { event: "world_opened" | "world_closed" | "world_lost"; world: string; why?: string }): void;
  /** The number of worlds that stay in memory. */
  most: number;
  idleMs?: number;
  /** The interval of looking for due work. */
  sweepMs?: number;
}

type NotHere =
  | { is: "elsewhere"; url: string }
  | { is: "unknown" }
  /** A world that this version can't read, for the reason in `why`. */
  | { is: "unreadable"; why: string; isNewer: boolean };

/** `confirmGuess`: the credential may have been made up. Call it if the credential was right. */
export type WorldLocation = { is: "here"; lease: WorldLease; confirmGuess?: ConfirmGuess } | NotHere;

export type Hosted = Pick<HostedNode, keyof HostedNode>;

/** The lifetime of cached addresses of worlds elsewhere. */
const ADDRESS_MS = 2000;
/** A full cache is emptied, which costs one query per world in use. */
const MAX_ADDRESSES = 10_000;
/** A world without a lease for this time is closed. */
const IDLE_MS = 15 * 60_000;
const SWEEP_MS = 2000;
/** Worlds per statement, so that several nodes share many due worlds. */
const SWEEP_LIMIT = 20;
/** The interval of closing idle worlds, which needs no statement. */
const EVICTION_MS = 1000;
/** Most load balancers check a node twice in this time, and then send nothing new. The node waits longer for a slow one. */
const NOTICE_MS = 1000;
const MAX_NOTICE_MS = 3000;
/** A load balancer that has checked the node in this time will check again. The second check shows that it knows the response to the first. */
const WATCHED_MS = 2000;
const MIN_CHECKS = 2;
/** Waits at most this long for the leases of one world, and for all worlds together. */
const DRAIN_MS = 1000;
const LEAVE_MS = 3000;
const MAX_RELEASES = 4;

const STOPPING = "This node is stopping. Send the request again.";
const TOO_MANY =
  "The world is not open, and too many were opened in this minute for credentials that were not issued here. Send the request again later.";

/** Starts timers that don't keep the process alive. `end` stops them. */
export class HostedNode {
  readonly #deps: HostedDeps;
  readonly #leases: Leases;
  readonly #guesses: Guesses;
  readonly #newer = new NewerWorlds();
  readonly #opening = new Map<string, Promise<NotHere | undefined>>();
  readonly #addresses = new Map<string, { url: string; until: number }>();
  /** These worlds accept no new lease. */
  readonly #shut = new Set<string>();
  readonly #checks = { count: 0, last: Number.NEGATIVE_INFINITY };
  readonly #timers: NodeJS.Timeout[];
  readonly #sweepMs: number;
  readonly #idleMs: number;
  #sweeping: Promise<void> | undefined;
  /** Whether this node is stopping, and takes no more worlds. */
  isLeaving = false;

  constructor(deps: HostedDeps) {
    const { store, sweepMs = SWEEP_MS, idleMs = IDLE_MS } = deps;
    this.#deps = deps;
    this.#sweepMs = sweepMs;
    this.#idleMs = idleMs;
    this.#leases = new Leases(deps.monotonic, (id) => this.#moveWhereWanted(id));
    this.#guesses = new Guesses(deps.monotonic);
    store.onLost((ids, why) => this.#lose(ids, why));
    // The store writes when the next thing is due, so that any node can open a closed world in time.
    store.setDueFinder((id) => {
      const world = deps.world(id);
      return world && deps.dueAt(world);
    });
    this.#timers = [
      setInterval(() => this.#sweepOnce(), sweepMs),
      setInterval(() => store.isUsable && this.#closeIdle(), Math.min(EVICTION_MS, idleMs)),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** The id of this node among the others. */
  get node(): string {
    return this.#deps.store.node;
  }

  /** The header of requests that this node forwards. */
  get hop(): string {
    return createNodeCredential(this.#deps.credentialKey, this.node);
  }

  /** Whether a node has created this header. */
  isNode(hop: string): boolean {
    return isNodeCredential(this.#deps.credentialKey, hop);
  }

  /** Why a newer version should replace this node: no node has opened a world that this version can't read. */
  get outdated(): string | undefined {
    return this.#newer.why;
  }

  /** A load balancer has checked whether this node may get requests. */
  noteCheck(): void {
    this.#checks.count++;
    this.#checks.last = this.#deps.monotonic();
  }

  /** Returns a lease if the world is open here. `from`: the node that has forwarded the request. */
  acquireLease(id: string, from?: string): WorldLease | undefined {
    return this.#deps.world(id) && !this.#shut.has(id) ? this.#leases.createLease(id, from) : undefined;
  }

  /**
   * Finds a world, and opens one that no node has open. Rejects with a StoreError if that can't be known. `credential`: names the world; empty if
   * only its name does. A credential without the mark of the nodes may be made up, and opens a world only up to a limit.
   */
  async locate(id: string, credential?: string, why = "request"): Promise<WorldLocation> {
    const known = this.#findKnown(id);
    if (known) return known;
    if (this.isLeaving) return this.#locateUnopened(id, STOPPING);
    const isGuess = credential !== undefined && !hasMark(this.#deps.credentialKey, credential);
    const confirmGuess = isGuess ? this.#guesses.begin() : undefined;
    if (isGuess && !confirmGuess) return this.#locateUnopened(id, TOO_MANY);
    const elsewhere = await this.#acquireOnce(id, why);
    if (elsewhere) {
      confirmGuess?.();
      return elsewhere;
    }
    const lease = this.acquireLease(id);
    if (!lease) throw new StoreError(`World ${id} is moving. Send the request again.`);
    // The new world has a lease by now, so it is not closed.
    this.#closeSurplus();
    return { is: "here", lease, ...(confirmGuess && { confirmGuess }) };
  }

  /** Locates the world of a forwarded request. Returns undefined if this node is not the owner, so that the sender looks again. */
  async locateHere(id: string, from: string | undefined): Promise<WorldLocation | undefined> {
    const lease = this.acquireLease(id, from);
    if (lease) return { is: "here", lease };
    if (this.isLeaving) return undefined;
    const found = await this.#deps.store.locate(id);
    // No other node may open a world that this node has lost to a failure of the database.
    if (found.is !== "free" || !found.ours) return undefined;
    this.#addresses.delete(id);
    const location = await this.locate(id);
    return location.is === "elsewhere" ? undefined : location;
  }

  /** Gives up a new world, so that it opens where its clients are. `isUnused`: it was not used since its creation. */
  async release(id: string, isUnused?: boolean): Promise<void> {
    const world = this.#deps.world(id);
    if (world && !this.#deps.store.isAlone && this.#isIdle(world)) await this.#evict(world, isUnused);
  }

  /** The world is not at its cached address. The next search asks the database. */
  forgetAddress(id: string): void {
    this.#addresses.delete(id);
  }

  /** Whether the world is still at this address. Does not take it. */
  async isAt(id: string, url: string): Promise<boolean> {
    // Each request in progress calls this every three seconds. The cache makes a statement seldom necessary.
    const known = this.#findAddress(id);
    if (known !== undefined) return known === url;
    const found = await this.#deps.store.locate(id);
    return found.is === "elsewhere" && this.#cacheAddress(id, found.url).url === url;
  }

  /** Returns the address of a living node. */
  findNodeUrl(node: string): Promise<string | undefined> {
    return this.#deps.store.findNodeUrl(node);
  }

  /**
   * Takes no more worlds, ends streams, releases the worlds one by one, and waits for the last lease. Serves until load balancers have noticed.
   * Takes at most seven seconds (3 + 3 + 1).
   */
  async leave(): Promise<void> {
    const { store, monotonic: now } = this.#deps;
    this.isLeaving = true;
    // The timers stop first, because the sweep would open released worlds again.
    this.end();
    if (!store.isAlone) await this.#waitUntilNoticed();
    this.#leases.endAll();
    if (!store.isAlone) {
      const [remaining, until] = [[...this.#deps.worlds()], now() + LEAVE_MS];
      await Promise.all(Array.from({ length: MAX_RELEASES }, () => this.#releaseOneByOne(remaining, until)));
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

  /** Does not ask the database. */
  #findKnown(id: string): WorldLocation | undefined {
    const lease = this.acquireLease(id);
    if (lease) return { is: "here", lease };
    const url = this.#findAddress(id);
    return url === undefined ? undefined : { is: "elsewhere", url };
  }

  /** An address may be wrong for two seconds. The other node then responds 421. */
  #cacheAddress(id: string, url: string): Extract<NotHere, { is: "elsewhere" }> {
    if (this.#addresses.size >= MAX_ADDRESSES) this.#addresses.clear();
    this.#addresses.set(id, { url, until: this.#deps.monotonic() + ADDRESS_MS });
    return { is: "elsewhere", url };
  }

  /** Finds a world without taking it. Throws if no node has it open. */
  async #locateUnopened(id: string, whyNotHere: string): Promise<NotHere> {
    const found = await this.#deps.store.locate(id);
    if (found.is === "elsewhere") return this.#cacheAddress(id, found.url);
    if (found.is === "unknown") return found;
    throw new StoreError(whyNotHere);
  }

  /** Simultaneous requests share one opening. */
  #acquireOnce(id: string, why: string): Promise<NotHere | undefined> {
    const known = this.#opening.get(id);
    if (known) return known;
    const opening = this.#acquire(id, why).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Returns undefined if the world is open here now. */
  async #acquire(id: string, why: string): Promise<NotHere | undefined> {
    const { store, open, count, tell, warn } = this.#deps;
    // Its removal may not be stored yet.
    await store.waitUntilDurable(id)?.catch(() => undefined);
    const acquired = await store.acquire(id);
    this.#newer.note(id, acquired, warn);
    if (acquired.is === "elsewhere") return this.#cacheAddress(id, acquired.url);
    if (acquired.is !== "here") return acquired;
    open(id, acquired.state);
    count("opened", why);
    tell?.({ event: "world_opened", world: id, why });
    return undefined;
  }

  /** Lost worlds leave memory at once, because another node may be changing them. */
  #lose(ids: readonly string[], why: string | undefined): void {
    let closed = 0;
    for (const id of ids) {
      this.#leases.lose(id);
      const world = this.#deps.world(id);
      if (!world) continue;
      this.#deps.close(world);
      // A new world that a quota rejected was never stored, so its loss is not reported.
      if (why === undefined) continue;
      this.#deps.tell?.({ event: "world_lost", world: id, why });
      closed++;
    }
    const worlds = closed === 1 ? `World ${ids[0]} is` : `${closed} worlds are`;
    if (closed > 0) this.#deps.warn(`${why} ${worlds} opened again on the next request.`);
  }

  /** A world moves to the node that its clients reach, because each forwarded request costs a second one. */
  #moveWhereWanted(id: string): void {
    const world = this.#deps.world(id);
    if (world && this.#leases.isWantedElsewhere(id) && this.#isIdle(world) && !this.#deps.isBound(id))
      void this.#evict(world);
  }

  /** The store writes what is queued before it gives up the world. */
  #evict(world: World, isUnused = false): Promise<void> {
    const { store, close, count, tell, warn } = this.#deps;
    // The store releases the world first, because it reads from memory what is due in the world.
    const released = store.release(world.id, isUnused);
    close(world);
    this.#leases.forget(world.id);
    count("evicted");
    tell?.({ event: "world_closed", world: world.id });
    return released.catch((reason) => warn(`World ${world.id} could not be given up: ${String(reason)}`));
  }

  /** Closes the idle worlds that were used longest ago, until at most `most` worlds are open. */
  #closeSurplus(): void {
    const worlds = this.#deps.worlds();
    const surplus = worlds.length - this.#deps.most;
    if (surplus <= 0) return;
    const idle = worlds.filter((world) => this.#isIdle(world));
    idle.sort((a, b) => this.#leases.getLastUse(a.id) - this.#leases.getLastUse(b.id));
    for (const world of idle.slice(0, surplus)) void this.#evict(world);
  }

  /** Keeps worlds in which something is due soon, because a node would open them again at once. */
  #closeIdle(): void {
    const { store, monotonic, worlds, dueAt } = this.#deps;
    const soon = store.readDatabaseTime() + this.#sweepMs;
    const isUnused = ({ id }: World) => monotonic() - this.#leases.getLastUse(id) > this.#idleMs;
    for (const world of worlds())
      if (this.#isIdle(world) && isUnused(world) && (dueAt(world) ?? soon) >= soon) void this.#evict(world);
    this.#closeSurplus();
  }

  /** Starts a sweep if none is running. The next sweep repeats what failed. */
  #sweepOnce(): void {
    if (this.#sweeping || !this.#deps.store.isUsable) return;
    this.#sweeping = this.#sweep()
      .catch(() => undefined)
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  async #sweep(): Promise<void> {
    await this.#newer.recheck(this.#deps.store);
    for (let found = SWEEP_LIMIT; found === SWEEP_LIMIT && !this.isLeaving; ) {
      const ids = await this.#deps.store.claimOverdue(SWEEP_LIMIT);
      found = ids.length;
      for (const id of ids) await this.#openDue(id);
    }
  }

  async #openDue(id: string): Promise<void> {
    if (this.isLeaving || this.#deps.world(id)) return;
    const found = await this.locate(id, undefined, "due work");
    if (found.is !== "here") return;
    // The clock of an open world does what is due.
    found.lease.release();
    this.#leases.markUnused(id);
    this.#closeSurplus();
  }

  /** Polls, because different parts change the condition. */
  async #waitWhile(condition: () => boolean, until: number): Promise<void> {
    while (condition() && this.#deps.monotonic() < until) await pause(5);
  }

  async #waitUntilNoticed(): Promise<void> {
    const { monotonic: now } = this.#deps;
    const began = now();
    // A node without a load balancer needs to wait only one second.
    const isWatched = began - this.#checks.last < WATCHED_MS;
    this.#checks.count = 0;
    const isUnnoticed = () => now() - began < NOTICE_MS || (isWatched && this.#checks.count < MIN_CHECKS);
    await this.#waitWhile(isUnnoticed, began + MAX_NOTICE_MS);
  }

  async #releaseOneByOne(remaining: World[], until: number): Promise<void> {
    const { monotonic: now, worlds } = this.#deps;
    for (let world = remaining.pop(); world && now() < until; world = remaining.pop()) {
      const { id } = world;
      // New requests find the world at its next owner.
      this.#shut.add(id);
      await this.#waitWhile(() => this.#leases.isLeased(id), Math.min(now() + DRAIN_MS, until));
      // The removal of this node's row frees a world that is still in use.
      if (this.#isIdle(world) && worlds().includes(world)) await this.#evict(world);
    }
  }
}
