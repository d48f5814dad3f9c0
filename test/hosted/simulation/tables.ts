// The tables of nodes and of worlds, in memory: who owns what under which rules, as the SQL of the store says, and how many statements
// that takes. A million worlds are a few arrays.
import type { VirtualTime } from "./virtual-time.ts";

const FREE = -1;
/** As the store has it: how long a heartbeat is good for. */
export const VALID_MS = 8000;
const STATEMENT_MS = 2;

export type Found = { is: "mine" } | { is: "elsewhere"; node: number };

export class Tables {
  readonly #owner: Int32Array;
  readonly #due: Float64Array;
  /** What the row says, which a sweeper puts off. */
  readonly #nextDue: Float64Array;
  /** The worlds that become due in each second. */
  readonly #bySecond = new Map<number, number[]>();
  #firstSecond = 0;
  readonly until: number[] = [];
  /** By node. */
  readonly statements: number[] = [];
  readonly time: VirtualTime;

  constructor(worlds: number, time: VirtualTime) {
    this.time = time;
    this.#owner = new Int32Array(worlds).fill(FREE);
    this.#due = new Float64Array(worlds);
    this.#nextDue = new Float64Array(worlds);
  }

  get worlds(): number {
    return this.#owner.length;
  }

  async statement(node: number): Promise<void> {
    this.statements[node] = (this.statements[node] ?? 0) + 1;
    await this.time.wait(STATEMENT_MS);
  }

  isAlive(node: number): boolean {
    return (this.until[node] ?? 0) > this.time.now;
  }

  isOwner(node: number, world: number): boolean {
    return this.#owner[world] === node && this.isAlive(node);
  }

  dueAt(world: number): number {
    return this.#due[world] ?? 0;
  }

  setDue(world: number, at: number): void {
    this.#due[world] = at;
    this.#setNextDue(world, at);
  }

  #setNextDue(world: number, at: number): void {
    this.#nextDue[world] = at;
    const second = Math.floor(at / 1000);
    const slot = this.#bySecond.get(second);
    if (slot) slot.push(world);
    else this.#bySecond.set(second, [world]);
  }

  /** `own`: looks, buries a silent owner, and takes. */
  async take(node: number, world: number): Promise<Found> {
    for (;;) {
      await this.statement(node);
      const owner = this.#owner[world] as number;
      if (owner !== FREE && owner !== node && this.isAlive(owner)) return { is: "elsewhere", node: owner };
      if (owner !== FREE && owner !== node && (this.until[owner] ?? 0) > 0) {
        await this.statement(node);
        this.until[owner] = 0;
      }
      await this.statement(node);
      if (this.#owner[world] !== owner) continue;
      this.#owner[world] = node;
      return { is: "mine" };
    }
  }

  async where(node: number, world: number): Promise<number | undefined> {
    await this.statement(node);
    const owner = this.#owner[world] as number;
    return owner !== FREE && this.isAlive(owner) ? owner : undefined;
  }

  async release(node: number, world: number): Promise<void> {
    await this.statement(node);
    if (this.#owner[world] === node) this.#owner[world] = FREE;
  }

  async releaseAll(node: number): Promise<void> {
    await this.statement(node);
    for (let world = 0; world < this.#owner.length; world++) if (this.#owner[world] === node) this.#owner[world] = FREE;
    this.until[node] = 0;
  }

  /** The first whose time has come and that no living node owns, each to one node. */
  async overdue(node: number, most: number): Promise<number[]> {
    await this.statement(node);
    const { now } = this.time;
    const found: number[] = [];
    const isIn = (world: number, second: number) => Math.floor((this.#nextDue[world] ?? 0) / 1000) === second;
    for (let second = this.#firstSecond; second <= Math.floor(now / 1000) && found.length < most; second++) {
      const left = (this.#bySecond.get(second) ?? []).filter((world) => isIn(world, second));
      this.#bySecond.set(second, left);
      if (left.length === 0 && second === this.#firstSecond && second < Math.floor(now / 1000)) {
        this.#bySecond.delete(second);
        this.#firstSecond++;
      }
      for (const world of left)
        if (
          found.length < most &&
          (this.#nextDue[world] as number) <= now &&
          !this.isAlive(this.#owner[world] as number)
        )
          found.push(world);
    }
    for (const world of found) this.#setNextDue(world, now + VALID_MS);
    return found;
  }
}
