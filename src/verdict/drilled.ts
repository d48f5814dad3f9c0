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
  readonly #seen = new Map<Task, SeenDrill>();
  #took_ms = 0;

  constructor(
    readonly check: DrillCheck,
    readonly control: Observed,
  ) {
    this.tasks = check.drills(control).map((drill) => ({ check, drill }));
  }

  /** All are run, also where one fails: each variant that a program takes wrongly is reported. */
  get isDone(): boolean {
    return this.#seen.size === this.tasks.length;
  }

  get failed(): Task[] {
    return this.tasks.filter((task) => this.#seen.get(task)?.judgement?.outcome === "fail");
  }

  /** In the place of an earlier run of the same. */
  keep(task: Task, seen: SeenDrill): this {
    this.#seen.set(task, seen);
    this.#took_ms += seen.observed.took_ms;
    return this;
  }

  get judged(): Judged {
    const { check, control } = this;
    const seen = this.tasks.flatMap((task) => this.#seen.get(task) ?? []);
    const runs = seen.map(({ observed }) => observed);
    const worst = worstOf(seen);
    return {
      check,
      // Some checks compare their runs with one another.
      judgement: check.judgeAll?.(runs, control) ?? inOne(worst),
      runs: [...worst.map(({ observed }) => observed), ...runs],
      took_ms: this.#took_ms,
    };
  }
}

/** A pass of one drill and nothing of another is a pass: silence does not outweigh it. */
const WORST_FIRST: readonly VerdictOutcome[] = ["fail", "warn", "undecided", "pass", "not-exercised"];

function worstOf(seen: readonly SeenDrill[]): readonly SeenDrill[] {
  const byOutcome = WORST_FIRST.map((outcome) => seen.filter(({ judgement }) => judgement?.outcome === outcome));
  return byOutcome.find(({ length }) => length > 0) ?? [];
}

/** Of drills with the same outcome: what speaks against the program of all of them, else of the first, since one pass is like another. */
function inOne(alike: readonly SeenDrill[]): Judgement {
  const judgements = alike.flatMap(({ judgement }) => judgement ?? []);
  const [first = { outcome: "not-exercised", says: "nothing in the program to try it on" } as const] = judgements;
  if (first.outcome !== "fail" && first.outcome !== "warn") return first;
  const says = [...new Set(judgements.map((each) => each.says))].join("; ");
  return { ...first, says, evidence: judgements.flatMap(({ evidence = [] }) => evidence) };
}
