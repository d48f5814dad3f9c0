// What a node does with worlds: opens those that live nowhere when they are asked for or something is due in them, closes those that
// nobody uses, and lets go of those that it has lost. From its opening to its closing a world is as in a single process.
import { setTimeout as pause } from "node:timers/promises";
import type { World } from "../../world/state/world.ts";
import { type SharedStore, type StateDump, StoreError } from "../../world/store/store.ts";
import { Guests } from "./guests.ts";
import type { Guest, Hosted, Place } from "./hosted.ts";

export interface HostedNeeds {
  store: SharedStore;
  worlds(): readonly World[];
  world(id: string): World | undefined;
  /** The one door into memory, and the one out. */
  open(id: string, state: StateDump): void;
  close(world: World): void;
  /** Ms since 1970 when the next thing is due in it, where its clock runs. */
  dueAt(world: World): number | undefined;
  warn(sentence: string): void;
  count(what: "opened" | "evicted", label?: string): void;
  tell?(happening: { event: "world_opened" | "world_closed" | "world_lost"; world: string; why?: string }): void;
  /** Worlds in memory. */
  most: number;
  idleMs?: number;
  /** Between two looks for what is due. */
  sweepMs?: number;
}

const IDLE_MS = 15 * 60_000;
const SWEEP_MS = 2000;
const MOST_SWEPT = 20;
const TIDY_MS = 1000;
/** Of what is known about worlds elsewhere. */
const BELIEVED_MS = 2000;
const MOST_BELIEVED = 10_000;
const DRAIN_MS = 1000;
const PAGE = 1000;

export function makeHosted(needs: HostedNeeds): Hosted {
  const { store, idleMs = IDLE_MS, sweepMs = SWEEP_MS } = needs;
  const now = () => performance.now();
  const guests = new Guests(now);
  const opening = new Map<string, Promise<Exclude<Place, { is: "here" }> | undefined>>();
  const addresses = new Map<string, { url: string; until: number }>();
  let leaving = false;

  store.onLost((ids, why) => {
    let closed = 0;
    for (const id of ids) {
      guests.lose(id);
      const world = needs.world(id);
      if (!world) continue;
      needs.close(world);
      needs.tell?.({ event: "world_lost", world: id, why });
      closed++;
    }
    if (closed > 0)
      needs.warn(`${why} ${closed === 1 ? `World ${ids[0]} is` : `${closed} worlds are`} opened again when asked for.`);
  });
  store.dueOf((id) => {
    const world = needs.world(id);
    return world && needs.dueAt(world);
  });

  const enter = (id: string): Guest | undefined => (needs.world(id) ? guests.enter(id) : undefined);

  const believe = (id: string, url: string): Place => {
    if (addresses.size >= MOST_BELIEVED) addresses.clear();
    addresses.set(id, { url, until: now() + BELIEVED_MS });
    return { is: "elsewhere", url };
  };

  /** Undefined: it is open here now. */
  async function take(id: string): Promise<Exclude<Place, { is: "here" }> | undefined> {
    // Its removal may still be on its way to the database.
    await store.settled(id)?.catch(() => undefined);
    const taken = await store.take(id);
    if (taken.is === "elsewhere") return believe(id, taken.url) as Exclude<Place, { is: "here" }>;
    if (taken.is !== "here") return taken;
    needs.open(id, taken.state);
    return undefined;
  }

  function takeOnce(id: string, why: string): ReturnType<typeof take> {
    const known = opening.get(id);
    if (known) return known;
    const going = take(id).finally(() => opening.delete(id));
    opening.set(id, going);
    return going.then((elsewhere) => {
      if (elsewhere) return elsewhere;
      needs.count("opened", why);
      needs.tell?.({ event: "world_opened", world: id, why });
      return elsewhere;
    });
  }

  async function whereOnly(id: string): Promise<Place> {
    const found = await store.where(id);
    if (found.is === "elsewhere") return believe(id, found.url);
    if (found.is === "unknown") return found;
    throw new StoreError("This node is stopping. Send the request again.");
  }

  async function place(id: string, why = "request"): Promise<Place> {
    const here = enter(id);
    if (here) return { is: "here", guest: here };
    const known = addresses.get(id);
    if (known && known.until > now()) return { is: "elsewhere", url: known.url };
    if (leaving) return whereOnly(id);
    const elsewhere = await takeOnce(id, why);
    if (elsewhere) return elsewhere;
    const guest = enter(id);
    if (!guest) throw new StoreError(`World ${id} is moving. Send the request again.`);
    makeRoom();
    return { is: "here", guest };
  }

  /** What it has queued is written before it is given up. */
  function evict(world: World): void {
    needs.close(world);
    guests.forget(world.id);
    needs.count("evicted");
    needs.tell?.({ event: "world_closed", world: world.id });
    store.release(world.id).catch((reason) => needs.warn(`World ${world.id} could not be given up: ${String(reason)}`));
  }

  const isIdle = ({ id }: World) => !guests.isIn(id) && !opening.has(id);

  function makeRoom(): void {
    const worlds = needs.worlds();
    if (worlds.length <= needs.most) return;
    const oldest = worlds.filter(isIdle).sort((a, b) => guests.usedAt(a.id) - guests.usedAt(b.id));
    for (const world of oldest.slice(0, worlds.length - needs.most)) evict(world);
  }

  /** A world in which something is due soon would be taken again at once. */
  function closeIdle(): void {
    const soon = store.databaseNow() + sweepMs;
    for (const world of needs.worlds())
      if (isIdle(world) && now() - guests.usedAt(world.id) > idleMs && !((needs.dueAt(world) ?? soon) < soon))
        evict(world);
  }

  async function sweep(): Promise<void> {
    for (const id of await store.overdue(MOST_SWEPT)) {
      if (leaving || needs.world(id)) continue;
      const found = await place(id, "due work");
      if (found.is !== "here") continue;
      found.guest.leave();
      guests.unused(id);
    }
  }

  let sweeping: Promise<void> | undefined;
  const timers = [
    setInterval(() => {
      if (leaving || sweeping || !store.isUsable) return;
      // What fails is tried again with the next.
      sweeping = sweep()
        .catch(() => undefined)
        .finally(() => (sweeping = undefined));
    }, sweepMs),
    setInterval(
      () => {
        if (leaving || !store.isUsable) return;
        closeIdle();
        makeRoom();
      },
      Math.min(TIDY_MS, idleMs),
    ),
  ];
  for (const timer of timers) timer.unref();
  const close = () => timers.forEach(clearInterval);

  return {
    get node() {
      return store.node;
    },
    get isLeaving() {
      return leaving;
    },
    enter,
    place: (id) => place(id),
    misplaced: (id) => void addresses.delete(id),
    async isAt(id, url) {
      const known = addresses.get(id);
      if (known && known.until > now()) return known.url === url;
      const found = await store.where(id);
      return found.is === "elsewhere" && believe(id, found.url) !== undefined && found.url === url;
    },
    async list(team) {
      const all = [];
      for (let after = ""; ; ) {
        const page = await store.list({ ...(team === undefined ? {} : { team }), after, limit: PAGE });
        all.push(...page);
        if (page.length < PAGE) return all;
        after = page.at(-1)?.id ?? "";
      }
    },
    async leave() {
      leaving = true;
      close();
      guests.sendAway();
      const until = now() + DRAIN_MS;
      while (guests.count > 0 && now() < until) await pause(20);
    },
    close,
  };
}
