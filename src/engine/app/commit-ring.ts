// The latest commits of one world: a ring, bounded in number and bytes, that knows the earliest moment it can tell of.
import type { Schemas } from "../../contract/schemas.ts";
import { type Commit, Remembered } from "./commit-record.ts";

/** A moment of a world: right after something, in its world's time and in real time. */
export type Point = Schemas["Point"];

export type RetainedCommits = Schemas["Kept"];

/** `seq`: of its commit; `to`: of the moment that it went back to. */
export interface RewindMade {
  seq: number;
  to: number;
}

const NONE = new Remembered({ seq: 0, at: "", wall: 0 }, { kind: "world", id: "" }, [], []);

/** Dropped ones are shifted out in strides, so that the cost is spread over many commits. */
const STRIDE = 500;

export class CommitRing {
  #commits: Remembered[] = [];
  /** Commits before this place in the list are dropped. */
  #first = 0;
  #bytes = 0;
  #dropped = 0;
  #from: Point;
  /** By name of the snapshot: the last commit before it was saved. */
  readonly saved = new Map<string, Point>();
  /** Oldest first, of those that are kept. */
  readonly rewinds: RewindMade[] = [];
  readonly #began: RetainedCommits["began"];
  readonly #most: { commits: number; bytes: number };

  constructor(began: RetainedCommits["began"], most: { commits: number; bytes: number }) {
    this.#began = began;
    const { seq, at, wall_at } = began;
    this.#from = { seq, at, wall_at };
    this.#most = most;
  }

  /** Drops the oldest until both bounds hold again; a commit that is too large alone is not kept either. */
  add(commit: Remembered): void {
    this.#commits.push(commit);
    this.#bytes += commit.bytes;
    while (this.#size > this.#most.commits || (this.#bytes > this.#most.bytes && this.#size > 0)) this.#drop();
    if (this.#first < STRIDE) return;
    this.#commits.splice(0, this.#first);
    this.#first = 0;
  }

  get #size(): number {
    return this.#commits.length - this.#first;
  }

  #drop(): void {
    const dropped = this.#commits[this.#first] as Remembered;
    // Let go at once, though the list shrinks later.
    this.#commits[this.#first++] = NONE;
    this.#bytes -= dropped.bytes;
    this.#dropped++;
    if (this.rewinds[0]?.seq === dropped.seq) this.rewinds.shift();
    this.#from = dropped;
  }

  /** The latest moment; where no commit is kept, the one that the history begins with. */
  get last(): Point {
    return this.#size > 0 ? (this.#commits.at(-1) as Remembered) : this.from;
  }

  get from(): Point {
    const { seq, at, wall_at } = this.#from;
    return { seq, at, wall_at };
  }

  get commits(): readonly Commit[] {
    return this.#commits.slice(this.#first);
  }

  get retained(): RetainedCommits {
    const [commits, bytes, dropped] = [this.#size, this.#bytes, this.#dropped];
    return { commits, bytes, from: this.from, began: this.#began, dropped };
  }
}
