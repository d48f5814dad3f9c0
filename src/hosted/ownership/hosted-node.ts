// Opens and closes the worlds of a node. It opens a world that no node has open, for a request or for due work, and
// closes worlds that are idle or lost. An open world works as in a single process.
import { setTimeout as pause } from "node:timers/promises";
import type { WorldLease } from "../../engine/http/extension/index.ts";
import { isStoreError, StoreError } from "../../engine/log/index.ts";
import { createNodeCredential, hasMark, isNodeCredential, type State, type World } from "../../engine/world/index.ts";
import { waitAtMost } from "../postgres/connection.ts";
import type { NotHere, SharedStore } from "../postgres/store.ts";
import { Leases } from "./leases.ts";

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
  /** The number of worlds that stay in memory. */
  most: number;
}

/**
 * `confirmGuess`: the credential may have been made up. Call it if the credential was right, so that real clients never
 * use up the limit.
 */
export type WorldLocation = { is: "here"; lease: WorldLease; confirmGuess?: () => void } | NotHere;

/** The lifetime of cached addresses of worlds elsewhere. */
const ADDRESS_MS = 2000;
/** A full cache is emptied, which costs one query per world in use. */
const MAX_ADDRESSES = 10_000;
/** The interval of looking for due work. */
const SWEEP_MS = 2000;
/** Worlds per statement, so that several nodes share many due worlds. */
const SWEEP_LIMIT = 20;
/** Most load balancers check a node several times in this time, also when they are slow, and then send nothing new. */
const NOTICE_MS = 3000;
/** A node that stops waits at most this long for the database, which may be silent, and for its requests. */
const ANNOUNCE_MS = 2000;
const DRAIN_MS = 1000;
/** Openings in a minute for credentials that may be made up. An opening reads a complete world from the database. */
const MAX_GUESSES = 60;
const MINUTE_MS = 60_000;

const STOPPING = "This node is stopping. Send the request again.";
const TOO_MANY =
  "The world is not open, and too many were opened in this minute for credentials that were not issued here. Send the request again later.";

/** Starts a timer that doesn't keep the process alive. `end` stops it. */
export class HostedNode {
  /** The id of this node among the others, and the header of requests that this node forwards. */
  readonly node: string;
  readonly hop: string;
  readonly #deps: HostedDeps;
  readonly #leases: Leases;
  readonly #opening = new Map<string, Promise<NotHere | undefined>>();
  readonly #addresses = new Map<string, { url: string; until: number }>();
  readonly #timer: NodeJS.Timeout;
  #guesses = { since: 0, count: 0 };
  #isSweeping = false;
  /** Whether this node is stopping, and takes no more worlds. */
  isLeaving = false;
  /** Whether its worlds accept no new lease. */
  #isShut = false;

  constructor(deps: HostedDeps) {
    const { store } = deps;
    this.#deps = deps;
    this.node = store.registration.node;
    this.hop = createNodeCredential(deps.credentialKey, this.node);
    this.#leases = new Leases(deps.monotonic, (id) => this.#moveWhereWanted(id));
    store.queue.onLost = (ids, why) => this.#lose(ids, why);
    // The store writes when the next thing is due, so that any node can open a closed world in time.
    store.queue.findDue = (id) => {
      const world = deps.world(id);
      return world && deps.dueAt(world);
    };
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_MS).unref();
  }

  /** Whether a node has created this header. */
  isNode(hop: string): boolean {
    return isNodeCredential(this.#deps.credentialKey, hop);
  }

  /**
   * Finds the default world, or creates it with `make`, which stores the world and resolves to warnings. Rejects with a
   * StoreError if the database fails or the world can't be read.
   */
  async beginDefault(make: () => Promise<string[]>): Promise<string[]> {
    // If two nodes start together, one inserts the world, and the other finds it in the next round.
    for (;;) {
      const location = await this.locate("default");
      if (location.is === "unreadable") throw new StoreError(location.why);
      if (location.is === "elsewhere") return [];
      try {
        return await make();
      } catch (reason) {
        // If the world did not exist, another node may have created it since.
        if (!isStoreError(reason) || location.is === "here") throw reason;
      } finally {
        if (location.is === "here") location.lease.release();
      }
    }
  }

  /** Returns a lease if the world is open here. `from`: the node that has forwarded the request. */
  acquireLease(id: string, from?: string): WorldLease | undefined {
    return this.#deps.world(id) && !this.#isShut ? this.#leases.createLease(id, from) : undefined;
  }

  /**
   * Finds a world, and opens one that no node has open. Rejects with a StoreError if that can't be known. `credential`:
   * names the world; empty if only its name does. A credential without the mark of the nodes may be made up, and opens
   * a world only up to a limit.
   */
  async locate(id: string, credential?: string, why = "request"): Promise<WorldLocation> {
    const known = this.#findKnown(id);
    if (known) return known;
    if (this.isLeaving) return this.#locateUnopened(id, STOPPING);
    const isGuess = credential !== undefined && !hasMark(this.#deps.credentialKey, credential);
    if (isGuess && !this.#countGuess()) return this.#locateUnopened(id, TOO_MANY);
    const confirmGuess = () => void this.#guesses.count--;
    const elsewhere = await this.#acquireOnce(id, why);
    if (elsewhere) {
      if (isGuess) confirmGuess();
      return elsewhere;
    }
    const lease = this.acquireLease(id);
    if (!lease) throw new StoreError(`World ${id} is moving. Send the request again.`);
    // The new world has a lease by now, so it is not closed.
    this.#closeSurplus();
    return { is: "here", lease, ...(isGuess && { confirmGuess }) };
  }

  /** Opens a world that no node has open. If there is none, a new world of this id continues the numbers of a removed one. */
  async visit(id: string, why?: string): Promise<void> {
    const location = await this.locate(id, undefined, why);
    if (location.is === "here") location.lease.release();
  }

  /**
   * Locates the world of a forwarded request. Returns undefined if this node is not the owner, so that the sender looks
   * again.
   */
  async locateHere(id: string, from: string | undefined): Promise<WorldLocation | undefined> {
    const lease = this.acquireLease(id, from);
    if (lease) return { is: "here", lease };
    if (this.isLeaving) return undefined;
    const found = await this.#deps.store.locate(id);
    // No other node may open a world that this node has lost to a failure of the database.
    if (found.is !== "ours") return undefined;
    this.#addresses.delete(id);
    const location = await this.locate(id);
    return location.is === "elsewhere" ? undefined : location;
  }

  /** Gives up a new world, so that it opens where its clients are. */
  async release(id: string): Promise<void> {
    const { store, world: findWorld } = this.#deps;
    const world = findWorld(id);
    if (world && !store.registration.isAlone && this.#isIdle(world)) await this.#evict(world);
  }

  /** The world is not at its cached address. The next search asks the database. */
  forgetAddress(id: string): void {
    this.#addresses.delete(id);
  }

  /** Whether the world is still at this address. Does not take it. */
  async isAt(id: string, url: string): Promise<boolean> {
    const found = await this.#deps.store.locate(id);
    return found.is === "elsewhere" && found.url === url;
  }

  /** Returns the address of a living node. */
  findNodeUrl(node: string): Promise<string | undefined> {
    return this.#deps.store.findNodeUrl(node);
  }

  /**
   * Takes no more worlds. Serves until load balancers have noticed, ends streams, waits for requests, and gives up all
   * worlds.
   */
  async leave(): Promise<void> {
    const { store, worlds, monotonic: now } = this.#deps;
    this.isLeaving = true;
    this.end();
    // Another node may have started since the last heartbeat.
    const isAnnounced = await waitAtMost(
      ANNOUNCE_MS,
      store.registration.announce().then(() => true),
    );
    const isAlone = !isAnnounced || store.registration.isAlone;
    if (!isAlone) await pause(NOTICE_MS);
    this.#leases.endAll();
    this.#isShut = !isAlone;
    const until = now() + DRAIN_MS;
    // Polls, because any part releases a lease.
    while (this.#leases.count > 0 && now() < until) await pause(5);
    if (isAlone) return;
    const isReleased = await store.releaseAllWorlds().catch(() => undefined);
    const ids = worlds().map(({ id }) => id);
    this.#lose(ids, undefined);
    // Other nodes send requests to a cached address, and look again after the 421 of this node. A closed port would cut
    // these requests.
    if (isReleased) await pause(ADDRESS_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Returns whether another world may be opened for a credential that may be made up. */
  #countGuess(): boolean {
    const now = this.#deps.monotonic();
    if (now - this.#guesses.since >= MINUTE_MS) this.#guesses = { since: now, count: 0 };
    if (this.#guesses.count >= MAX_GUESSES) return false;
    this.#guesses.count++;
    return true;
  }

  #isIdle({ id }: World): boolean {
    return !this.#leases.isLeased(id) && !this.#opening.has(id);
  }

  /** Does not ask the database. */
  #findKnown(id: string): WorldLocation | undefined {
    const lease = this.acquireLease(id);
    if (lease) return { is: "here", lease };
    const known = this.#addresses.get(id);
    return known && known.until > this.#deps.monotonic() ? { is: "elsewhere", url: known.url } : undefined;
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
    const { store, open, count } = this.#deps;
    // Its removal may not be stored yet.
    await store.waitUntilDurable(id)?.catch(() => undefined);
    const acquired = await store.acquire(id);
    if (acquired.is === "elsewhere") return this.#cacheAddress(id, acquired.url);
    if (acquired.is !== "here") return acquired;
    open(id, acquired.state);
    count("opened", why);
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
      closed++;
    }
    const worlds = closed === 1 ? `World ${ids[0]} is` : `${closed} worlds are`;
    // A new world that a quota rejected was never stored, so its loss is not reported.
    if (closed > 0 && why !== undefined) this.#deps.warn(`${why} ${worlds} opened again on the next request.`);
  }

  /** A world moves to the node that its clients reach, because each forwarded request costs a second one. */
  #moveWhereWanted(id: string): void {
    const world = this.#deps.world(id);
    if (world && this.#leases.isWantedElsewhere(id) && this.#isIdle(world) && !this.#deps.isBound(id))
      void this.#evict(world);
  }

  /** The store writes what is queued before it gives up the world. */
  #evict(world: World): Promise<void> {
    // The store releases the world first, because it reads from memory what is due in the world.
    const released = this.#deps.store.release(world.id);
    this.#deps.close(world);
    this.#leases.forget(world.id);
    this.#deps.count("evicted");
    return released;
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

  /** Opens the worlds in which something is due, whose clocks then do it. The next sweep repeats what failed. */
  async #sweep(): Promise<void> {
    const { store, world } = this.#deps;
    if (this.#isSweeping || !store.registration.isUsable) return;
    this.#isSweeping = true;
    // New worlds and worlds whose requests have ended may be too many.
    this.#closeSurplus();
    try {
      for (let found = SWEEP_LIMIT; found === SWEEP_LIMIT && !this.isLeaving; ) {
        const ids = await store.claimOverdue(SWEEP_LIMIT);
        found = ids.length;
        for (const id of ids) {
          if (!this.isLeaving && !world(id)) await this.visit(id, "due work");
        }
      }
    } catch {
      // The store reports a failure of the database.
    } finally {
      this.#isSweeping = false;
    }
  }
}
