// Which worlds are part of the run of which world. A program that is judged may make worlds for its tests: what happens there counts
// for the world of the run, and in a run that has begun its faults, acts and assumptions hold there too.

/** What each world of a run begins with. */
export interface Run {
  /** The world that the run began in. */
  readonly world: string;
  readonly acts: readonly { act: string; input: unknown }[];
  readonly assumptions: Readonly<Record<string, string>>;
}

export class Runs {
  readonly #begun = new Map<string, Run>();
  /** World → the world that its run began in. */
  readonly #heads = new Map<string, string>();
  readonly #pending = new Set<string>();

  begin(run: Run): void {
    this.#begun.set(run.world, run);
  }

  join(world: string, head: string): void {
    this.#heads.set(world, head);
    if (this.#begun.has(head)) this.#pending.add(world);
  }

  /** The world whose run this one is part of, also where the run has not begun. */
  headOf(world: string): string | undefined {
    return this.#heads.get(world);
  }

  /** The run that has begun and that this world is part of. */
  runOf(world: string): Run | undefined {
    return this.#begun.get(this.#heads.get(world) ?? "");
  }

  /** The run whose acts and assumptions this world does not have yet; from now on it has them. */
  takePending(world: string): Run | undefined {
    return this.#pending.delete(world) ? this.runOf(world) : undefined;
  }

  /** The worlds that are part of the run of this world. */
  membersOf(head: string): string[] {
    return [...this.#heads].flatMap(([world, of]) => (of === head ? [world] : []));
  }

  /** The world is gone, and its run with it. */
  forget(world: string): void {
    this.#begun.delete(world);
    this.#heads.delete(world);
    this.#pending.delete(world);
  }
}
