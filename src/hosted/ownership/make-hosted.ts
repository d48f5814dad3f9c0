// What a node does with worlds: opens those that live nowhere when they are asked for or something is due in them, closes those that
// nobody uses, and lets go of those that it has lost. From its opening to its closing a world is as in a single process.
import type { WorldLease } from "../../engine/http/access.ts";
import type { State } from "../../engine/log/entry.ts";
import { StoreError } from "../../engine/log/store-error.ts";
import { hopOf, isHop, isMarked } from "../../engine/world/state/credential.ts";
import type { World } from "../../engine/world/state/world.ts";
import { type Keeping, makeEviction } from "./eviction.ts";
import { makeGuesses } from "./guesses.ts";
import type { Hosted, WorldLocation } from "./hosted.ts";
import { Leases } from "./leases.ts";
import { makeLeaving } from "./leaving.ts";
import { makeNewerWorlds } from "./newer-worlds.ts";

type HostedNeeds = Keeping & {
  world(id: string): World | undefined;
  /** That of all nodes, for the marks of credentials. */
  credentialKey: string;
  /** Something of the world is in memory only, and would be missed: it does not move. */
  isBound(id: string): boolean;
  /** The door into memory. */
  open(id: string, state: State): void;
};

/** Of what is known about worlds elsewhere. */
const ADDRESS_MS = 2000;
/** Entries; past it all are forgotten at once, which costs one look into the database for each world in use. */
const MOST_ADDRESSES = 10_000;
/** Rows of one statement when all worlds are listed. */
const PAGE = 1000;
const TOO_MANY =
  "The world is not open, and too many were opened in this minute for credentials that nobody had issued. Send the request again later.";

/** The one part of a node that opens and closes worlds; the gate and the control API ask it where a world is. */
export function makeHosted(needs: HostedNeeds): Hosted {
  const { store, monotonic: now } = needs;
  const leases = new Leases(now, moveWhereWanted);
  const opening = new Map<string, Promise<Exclude<WorldLocation, { is: "here" }> | undefined>>();
  const newer = makeNewerWorlds(needs);
  const addresses = new Map<string, { url: string; until: number }>();
  const guesses = makeGuesses(now);
  let leaving = false;

  store.onLost((ids, why) => {
    // Lost worlds leave memory at once and are not written any more: another node may be changing them by now.
    let closed = 0;
    for (const id of ids) {
      leases.lose(id);
      const world = needs.world(id);
      if (!world) continue;
      needs.close(world);
      // It was never here for anybody, as where a quota refused a new one: that is no loss to report.
      if (why === undefined) continue;
      needs.tell?.({ event: "world_lost", world: id, why });
      closed++;
    }
    if (closed > 0)
      needs.warn(`${why} ${closed === 1 ? `World ${ids[0]} is` : `${closed} worlds are`} opened again when asked for.`);
  });
  store.dueOf((id) => {
    // The store writes when the next thing is due, so that any node can open a sleeping world in time.
    const world = needs.world(id);
    return world && needs.dueAt(world);
  });

  const leaseHere = (id: string, from?: string): WorldLease | undefined =>
    needs.world(id) && !goodbye.isShut(id) ? leases.lease(id, from) : undefined;

  function moveWhereWanted(id: string): void {
    // A world goes to the node that its clients reach first: each hop costs a second request.
    const world = needs.world(id);
    if (world && leases.isWantedElsewhere(id) && isIdle(world) && !needs.isBound(id)) void eviction.evict(world);
  }

  const cacheAddress = (id: string, url: string): WorldLocation => {
    // Wrong for two seconds at most: the other node answers 421, and the address is dropped.
    if (addresses.size >= MOST_ADDRESSES) addresses.clear();
    addresses.set(id, { url, until: now() + ADDRESS_MS });
    return { is: "elsewhere", url };
  };

  async function acquire(id: string): Promise<Exclude<WorldLocation, { is: "here" }> | undefined> {
    // Undefined where it is open here now. Its removal may still be on its way to the database.
    await store.durable(id)?.catch(() => undefined);
    const acquired = await store.acquire(id);
    newer.note(id, acquired);
    if (acquired.is === "elsewhere") return cacheAddress(id, acquired.url) as Exclude<WorldLocation, { is: "here" }>;
    if (acquired.is !== "here") return acquired;
    needs.open(id, acquired.state);
    return undefined;
  }

  function acquireOnce(id: string, why: string): ReturnType<typeof acquire> {
    // Counts and logs one opening, however many wait for it.
    const known = opening.get(id);
    if (known) return known;
    const going = acquire(id).finally(() => opening.delete(id));
    opening.set(id, going);
    return going.then((elsewhere) => {
      if (elsewhere) return elsewhere;
      needs.count("opened", why);
      needs.tell?.({ event: "world_opened", world: id, why });
      return elsewhere;
    });
  }

  async function whereOnly(id: string, whyNotHere: string): Promise<WorldLocation> {
    // Looks without taking: for a node that stops, and for names that were made up. Throws where the world is nobody's.
    const found = await store.where(id);
    if (found.is === "elsewhere") return cacheAddress(id, found.url);
    if (found.is === "unknown") return found;
    throw new StoreError(whyNotHere);
  }

  function knownLocation(id: string): WorldLocation | undefined {
    // Without a look into the database.
    const here = leaseHere(id);
    if (here) return { is: "here", lease: here };
    const known = addresses.get(id);
    return known && known.until > now() ? { is: "elsewhere", url: known.url } : undefined;
  }

  async function locate(id: string, why = "request"): Promise<WorldLocation> {
    // Opens it here where nobody has it. Throws a StoreError, which is a 503, where it is on the move.
    const known = knownLocation(id);
    if (known) return known;
    if (leaving) return whereOnly(id, "This node is stopping. Send the request again.");
    const elsewhere = await acquireOnce(id, why);
    if (elsewhere) return elsewhere;
    const lease = leaseHere(id);
    if (!lease) throw new StoreError(`World ${id} is moving. Send the request again.`);
    // Only now: the new world has a lease, so it can't be the one that is closed.
    eviction.makeRoom();
    return { is: "here", lease };
  }

  async function locateFor(id: string, credential: string): Promise<WorldLocation> {
    // A credential that is signed by the nodes' key is real, without a look at the world. For others, opening is a
    // guess.
    const known = knownLocation(id);
    if (known || isMarked(needs.credentialKey, credential)) return known ?? locate(id);
    const guess = guesses.begin();
    if (!guess) return whereOnly(id, TOO_MANY);
    const found = await locate(id);
    if (found.is === "here") return { ...found, guess };
    guess.right();
    return found;
  }

  const isIdle = ({ id }: World) => !leases.isLeased(id) && !opening.has(id);
  const eviction = makeEviction({
    ...needs,
    leases,
    isIdle,
    isLeaving: () => leaving,
    locate: (id) => locate(id, "due work"),
    first: newer.lookAgain,
  });

  const goodbye = makeLeaving({ ...needs, leases, isIdle, evict: eviction.evict });

  return {
    get node() {
      return store.node;
    },
    get hop() {
      return hopOf(needs.credentialKey, store.node);
    },
    isNode: (hop) => isHop(needs.credentialKey, hop),
    get isLeaving() {
      return leaving;
    },
    ...{ lease: leaseHere, looked: goodbye.looked },
    get outdated() {
      return newer.why;
    },
    locate: (id, credential) => (credential === undefined ? locate(id) : locateFor(id, credential)),
    async locateHere(id, from) {
      // For a request that was forwarded: it is served here or not at all, and the sender looks again.
      const lease = leaseHere(id, from);
      if (lease) return { is: "here", lease };
      // Undefined, and not a failure: the sender finds its next owner.
      if (leaving) return undefined;
      const found = await store.where(id);
      // A world that this node has lost, to a failure of the database, is still its own: nobody else may open it.
      if (found.is !== "free" || !found.ours) return undefined;
      addresses.delete(id);
      const placed = await locate(id);
      return placed.is === "elsewhere" ? undefined : placed;
    },
    async release(id, isUnused) {
      const world = needs.world(id);
      if (world && !store.isAlone && isIdle(world)) await eviction.evict(world, isUnused);
    },
    misplaced: (id) => void addresses.delete(id),
    async isAt(id, url) {
      // Asked every three seconds for each request under way: the cached address answers most of them without a
      // statement.
      const known = addresses.get(id);
      if (known && known.until > now()) return known.url === url;
      const found = await store.where(id);
      return found.is === "elsewhere" && cacheAddress(id, found.url) !== undefined && found.url === url;
    },
    addressOf: (node) => store.addressOf(node),
    async list(team) {
      const all = [];
      // By key and not by offset: worlds that are made or removed meanwhile shift no page.
      for (let after = ""; ; ) {
        const page = await store.list({ ...(team === undefined ? {} : { team }), after, limit: PAGE });
        all.push(...page);
        if (page.length < PAGE) return all;
        after = page.at(-1)?.id ?? "";
      }
    },
    leave() {
      leaving = true;
      // First, or the sweep would open worlds again that are being given up.
      eviction.close();
      return goodbye.leave();
    },
    end: eviction.close,
  };
}
