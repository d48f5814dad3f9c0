// One node: the program's own rules of placement, eviction and sweeping, over the tables of the simulation.

import type { World } from "../../../src/engine/world/state/world.ts";
import { HostedNode } from "../../../src/hosted/ownership/hosted-node.ts";
import type { SharedStore } from "../../../src/hosted/postgres/shared-store.ts";
import { type Tables, VALID_MS } from "./tables.ts";

const RENEW_MS = 2000;
const MARGIN_MS = 1000;
/** Between two things that are due in one world. */
export const DUE_EVERY_MS = 3_600_000;

export interface Counts {
  opened: number;
  evicted: number;
  swept: number;
  /** How late due work was, in milliseconds. */
  late: number[];
}

export class SimulatedNode {
  readonly index: number;
  readonly counts: Counts = { opened: 0, evicted: 0, swept: 0, late: [] };
  readonly hosted: HostedNode;
  readonly #tables: Tables;
  readonly #open = new Map<string, World>();
  #isRunning = true;

  constructor(index: number, tables: Tables, limits: { most: number; idleMs: number }) {
    this.index = index;
    this.#tables = tables;
    tables.until[index] = tables.time.now + VALID_MS;
    this.#beat();
    this.hosted = new HostedNode({
      ...limits,
      store: this.#store() as SharedStore,
      monotonic: () => tables.time.now,
      credentialKey: "key",
      worlds: () => [...this.#open.values()],
      world: (id) => this.#open.get(id),
      open: (id) => this.#opened(id),
      close: ({ id }) => void this.#open.delete(id),
      isBound: () => false,
      dueAt: ({ id }) => tables.dueAt(Number(id)),
      warn: () => undefined,
      count: (what, why) => {
        this.counts[what]++;
        if (why === "due work") this.counts.swept++;
      },
    });
  }

  get isReady(): boolean {
    return this.#isRunning && !this.hosted.isLeaving;
  }

  /** Without a word: its worlds are its own until its heartbeat has passed. */
  kill(): void {
    this.#isRunning = false;
    this.hosted.end();
    this.#open.clear();
  }

  async stop(): Promise<void> {
    await this.hosted.leave();
    this.#isRunning = false;
    this.#open.clear();
    await this.#tables.releaseAll(this.index);
  }

  #beat(): void {
    if (!this.#isRunning) return;
    const { time, until } = this.#tables;
    void this.#tables.statement(this.index).then(() => {
      if (this.#isRunning) until[this.index] = time.now + VALID_MS;
    });
    time.after(RENEW_MS, () => this.#beat());
  }

  #opened(id: string): void {
    this.#open.set(id, { id } as World);
    this.#work(Number(id));
  }

  /** What is due in an open world is done at its time: a commit each. */
  #work(world: number): void {
    if (!this.#isRunning || !this.#open.has(String(world))) return;
    const { time } = this.#tables;
    const due = this.#tables.dueAt(world);
    if (due > time.now) {
      time.after(due - time.now, () => this.#work(world));
      return;
    }
    this.counts.late.push(time.now - due);
    this.#tables.setDue(world, time.now + DUE_EVERY_MS);
    void this.#tables.statement(this.index);
    time.after(DUE_EVERY_MS, () => this.#work(world));
  }

  #store(): Partial<SharedStore> {
    const [tables, index, isRunning] = [this.#tables, this.index, () => this.#isRunning];
    return {
      node: String(index),
      get isUsable() {
        return isRunning() && (tables.until[index] ?? 0) - MARGIN_MS > tables.time.now;
      },
      async acquire(world) {
        const found = await tables.take(index, Number(world));
        if (found.is === "elsewhere") return { ...found, node: String(found.node), url: String(found.node) };
        // Its checkpoint, and the rows after it.
        await tables.statement(index);
        return { is: "here", epoch: 1, state: {} as never, team: null };
      },
      async where(world) {
        const owner = await tables.where(index, Number(world));
        return owner === undefined ? { is: "free" } : { is: "elsewhere", node: String(owner), url: String(owner) };
      },
      release: (world) => tables.release(index, Number(world)),
      overdue: async (most) => (await tables.overdue(index, most)).map(String),
      durable: () => undefined,
      onLost: () => undefined,
      dueOf: () => undefined,
      databaseNow: () => tables.time.now,
    };
  }
}
