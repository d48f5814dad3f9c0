// A check with the runs of its drills, and what they say together.
import type { Check, DrillCheck, Judgement, VerdictOutcome } from "./check.ts";
import type { Observed } from "./observed.ts";
import type { Task } from "./shared-run.ts";

export interface Judged {
  check: Check;
  judgement: Judgement;
  /** What it was judged by; the run that decided it comes first. */
  runs: readonly Observed[];
  took_ms: number;
}

export interface SeenDrill {
  observed: Observed;
  /** Undefined where it must be run alone. */
  judgement: Judgement | undefined;
}

/** A check with its drills, as far as they have been run. */
export class Drilled {
  readonly tasks: readonly Task[];
  failed: Task | undefined;
  readonly #seen = new Map<Task, SeenDrill>();

  constructor(
    readonly check: DrillCheck,
    readonly control: Observed,
  ) {
    this.tasks = check.drills(control).map((drill) => ({ check, drill }));
  }

  /** One that fails is enough. So the drills after it are not run. */
  get isDone(): boolean {
    return this.failed !== undefined || this.#seen.size === this.tasks.length;
  }

  keep(task: Task, seen: SeenDrill): this {
    this.#seen.set(task, seen);
    if (seen.judgement?.outcome === "fail") this.failed = task;
    return this;
  }

  get judged(): Judged {
    const { check, control } = this;
    const seen = this.tasks.flatMap((task) => this.#seen.get(task) ?? []);
    const runs = seen.map(({ observed }) => observed);
    // Some checks compare their runs with one another.
    const together = check.judgeAll?.(runs, control);
    const judgement = together ?? worstOf(seen.flatMap(({ judgement }) => judgement ?? []));
    const decisive = seen.filter((each) => each.judgement === judgement).map(({ observed }) => observed);
    return {
      check,
      judgement,
      runs: [...decisive, ...runs],
      took_ms: runs.reduce((sum, { took_ms }) => sum + took_ms, 0),
    };
  }
}

/** A pass of one drill and nothing of another is a pass: silence does not outweigh it. */
const WORST_FIRST: readonly VerdictOutcome[] = ["fail", "warn", "undecided", "pass", "not-exercised"];

function worstOf(judgements: readonly Judgement[]): Judgement {
  const found = WORST_FIRST.flatMap((outcome) => judgements.find((each) => each.outcome === outcome) ?? []);
  return found[0] ?? { outcome: "not-exercised", says: "nothing in the program to try it on" };
}
