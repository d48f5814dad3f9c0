// Which worlds are part of the run of which world. A program that is judged may make worlds for its tests: what happens there counts
// for the world of the run, and in a run that has begun its faults, acts and assumptions hold there too.

/** What each world of a run begins with. */
export interface Run {
  /** The world that the run began in. */
  readonly world: string;
  readonly acts: readonly { act: string; input: unknown }[];
  readonly assumptions: Readonly<Record<string, string>>;
}

export interface Runs {
  begin(run: Run): void;
  join(world: string, head: string): void;
  /** The world whose run this one is part of, whether it has begun or not. */
  headOf(world: string): string | undefined;
  /** The run that has begun and that this world is part of. */
  runOf(world: string): Run | undefined;
  /** The run whose acts and assumptions this world has not got yet. */
  pendingIn(world: string): Run | undefined;
  /** The world has got them. */
  settle(world: string): void;
  /** The worlds that are part of the run of this world. */
  membersOf(head: string): string[];
  /** The world is gone, and its run with it. */
  forget(world: string): void;
}

export function createRuns(): Runs {
  const begun = new Map<string, Run>();
  const heads = new Map<string, string>();
  const pending = new Set<string>();
  const runOf = (world: string): Run | undefined => begun.get(heads.get(world) ?? "");
  return {
    begin: (run) => void begun.set(run.world, run),
    join(world, head) {
      heads.set(world, head);
      if (begun.has(head)) pending.add(world);
    },
    headOf: (world) => heads.get(world),
    runOf,
    pendingIn: (world) => (pending.has(world) ? runOf(world) : undefined),
    settle: (world) => void pending.delete(world),
    membersOf: (head) => [...heads].flatMap(([world, of]) => (of === head ? [world] : [])),
    forget(world) {
      begun.delete(world);
      heads.delete(world);
      pending.delete(world);
    },
  };
}
