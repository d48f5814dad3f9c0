// Many nodes with many worlds: requests through a load balancer that hashes on the world, work that becomes due, nodes that are killed, and
// an upgrade that restarts one node after another. What each node has to do is counted.
import { DUE_EVERY_MS, SimulatedNode } from "./node.ts";
import { Tables } from "./tables.ts";
import { VirtualTime } from "./virtual-time.ts";

export interface Size {
  nodes: number;
  worlds: number;
}

/** What a node does in a second, as a mean over all; the rest over all nodes. */
export interface Cost {
  statements: number;
  /** Of the node with most. */
  mostStatements: number;
  opened: number;
  evicted: number;
  /** Of all requests. */
  forwarded: number;
  /** Of all requests: answered 503, to be sent again. */
  refused: number;
  /** How late due work was: of a hundred, the second latest; in seconds. */
  lateSeconds: number;
}

export type Phase = "steady" | "killed" | "upgraded";

const LIMITS = { most: 500, idleMs: 60_000 };
const PHASE_MS = 60_000;
/** Integrators at work, for each node: each sends a request a second to a world of its own, for a minute. */
const SESSIONS = 5;
const SESSION_REQUESTS = 60;
/** Of all requests: sent to any node, as by a load balancer that has not heard of a change. */
const ASTRAY = 0.01;
const KILLED = 0.05;
const RESTART_MS = 15_000;
const HOP_MS = 1;
const MOST_LOOKS = 2;

export async function simulate({ nodes: number, worlds }: Size): Promise<Record<Phase, Cost>> {
  const time = new VirtualTime();
  const restore = time.install();
  try {
    const run = new Run(time, number, worlds);
    await run.phase(() => undefined);
    return {
      steady: await run.phase(() => undefined),
      killed: await run.phase(() => run.kill(Math.max(1, Math.round(number * KILLED)))),
      upgraded: await run.phase(() => void run.upgrade()),
    };
  } finally {
    restore();
  }
}

class Run {
  readonly #time: VirtualTime;
  readonly #tables: Tables;
  /** By place behind the load balancer. */
  readonly #nodes: SimulatedNode[] = [];
  readonly #all: SimulatedNode[] = [];
  #requests = 0;
  #forwarded = 0;
  #refused = 0;
  #seed = 1;

  constructor(time: VirtualTime, nodes: number, worlds: number) {
    this.#time = time;
    this.#tables = new Tables(worlds, time);
    for (let index = 0; index < nodes; index++) this.#start(index);
    for (let world = 0; world < worlds; world++) this.#tables.setDue(world, Math.floor(this.#random() * DUE_EVERY_MS));
    for (let session = 0; session < nodes * SESSIONS; session++)
      time.after(this.#random() * 60_000, () => void this.#session());
  }

  async phase(begin: () => void): Promise<Cost> {
    const before = this.#sums();
    const each = this.#tables.statements.slice();
    begin();
    await this.#time.until(this.#time.now + PHASE_MS);
    const after = this.#sums();
    const perNode = (name: "statements" | "opened" | "evicted") =>
      (after[name] - before[name]) / this.#nodes.length / (PHASE_MS / 1000);
    const late = this.#all.flatMap(({ counts }) => counts.late.splice(0)).sort((a, b) => a - b);
    const requests = after.requests - before.requests;
    return {
      statements: perNode("statements"),
      mostStatements: Math.max(...this.#tables.statements.map((now, at) => now - (each[at] ?? 0))) / (PHASE_MS / 1000),
      opened: perNode("opened"),
      evicted: perNode("evicted"),
      forwarded: (after.forwarded - before.forwarded) / requests,
      refused: (after.refused - before.refused) / requests,
      lateSeconds: (late[Math.floor(late.length * 0.99)] ?? 0) / 1000,
    };
  }

  kill(number: number): void {
    for (let index = 0; index < number; index++) {
      this.#nodes[index]?.kill();
      this.#time.after(RESTART_MS, () => this.#start(index));
    }
  }

  /** Within half a minute, one place after another. */
  async upgrade(): Promise<void> {
    for (const [place, node] of this.#nodes.entries()) {
      await this.#time.wait(PHASE_MS / 2 / this.#nodes.length);
      void node.stop().then(() => this.#start(place));
    }
  }

  #start(index: number): void {
    const node = new SimulatedNode(this.#all.length, this.#tables, LIMITS);
    this.#all.push(node);
    this.#nodes[index] = node;
  }

  async #session(): Promise<void> {
    const world = Math.floor(this.#random() * this.#tables.worlds);
    for (let sent = 0; sent < SESSION_REQUESTS; sent++) {
      await this.#time.wait(1000);
      await this.#request(world);
    }
    void this.#session();
  }

  async #request(world: number): Promise<void> {
    this.#requests++;
    const first = this.#random() < ASTRAY ? this.#anyNode() : this.#nodeOf(world);
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const placed = await first?.hosted.locate(String(world)).catch(() => undefined);
      if (placed?.is === "here") return placed.lease.release();
      if (placed?.is !== "elsewhere") break;
      this.#forwarded++;
      await this.#time.wait(HOP_MS);
      const owner = this.#all[Number(placed.url)];
      const guest = owner?.isReady || owner?.hosted.isLeaving ? owner.hosted.lease(String(world)) : undefined;
      if (guest) return guest.release();
      first?.hosted.misplaced(String(world));
    }
    this.#refused++;
  }

  /** The next place that is ready, as a consistent hash has it. */
  #nodeOf(world: number): SimulatedNode | undefined {
    const { length } = this.#nodes;
    const from = (Math.imul(world + 1, 2654435761) >>> 0) % length;
    for (let step = 0; step < length; step++) {
      const node = this.#nodes[(from + step * (1 + (world % 7))) % length];
      if (node?.isReady) return node;
    }
    return this.#nodes.find(({ isReady }) => isReady);
  }

  #anyNode(): SimulatedNode | undefined {
    return this.#nodeOf(Math.floor(this.#random() * this.#tables.worlds));
  }

  #sums() {
    const sum = (of: (node: SimulatedNode) => number) => this.#all.reduce((total, node) => total + of(node), 0);
    return {
      statements: this.#tables.statements.reduce((total, each) => total + each, 0),
      opened: sum(({ counts }) => counts.opened),
      evicted: sum(({ counts }) => counts.evicted),
      requests: this.#requests,
      forwarded: this.#forwarded,
      refused: this.#refused,
    };
  }

  /** The same in each run (mulberry32). */
  #random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
