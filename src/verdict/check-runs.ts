// A check with the runs of its drills, and the judgement that combines them.
import type { Check, DrillCheck, Judgement, VerdictOutcome } from "./check.ts";
import type { Observed } from "./observed.ts";
import type { Task } from "./shared-run.ts";

export interface JudgedCheck {
  check: Check;
  judgement: Judgement;
  /** The runs as evidence, with the decisive run first. */
  runs: readonly Observed[];
  took_ms: number;
}

export interface DrillRun {
  observed: Observed;
  /** Undefined if the drill must be repeated in a run of its own. */
  judgement: Judgement | undefined;
}

/** A check with the runs of its drills so far. */
export class CheckRuns {
  readonly tasks: readonly Task[];
  readonly #seen = new Map<Task, DrillRun>();
  #took_ms = 0;

  constructor(
    readonly check: DrillCheck,
    readonly control: Observed,
  ) {
    this.tasks = check.drills(control).map((drill) => ({ check, drill }));
  }

  /** All drills are run even after a failure, so that each variant is reported. */
  get isDone(): boolean {
    return this.#seen.size === this.tasks.length;
  }

  get failedTasks(): Task[] {
    return this.tasks.filter((task) => this.#seen.get(task)?.judgement?.outcome === "fail");
  }

  /** Replaces an earlier run of the same drill. */
  keep(task: Task, seen: DrillRun): this {
    this.#seen.set(task, seen);
    this.#took_ms += seen.observed.took_ms;
    return this;
  }

  get result(): JudgedCheck {
    const { check, control } = this;
    const seen = this.tasks.flatMap((task) => this.#seen.get(task) ?? []);
    const runs = seen.map(({ observed }) => observed);
    const worst = findWorst(seen);
    return {
      check,
      // Some checks compare their runs with each other.
      judgement: check.judgeAll?.(runs, control) ?? combineJudgements(worst),
      runs: [...worst.map(({ observed }) => observed), ...runs],
      took_ms: this.#took_ms,
    };
  }
}

/** A check passes if one drill passes and the others were not exercised. */
const WORST_FIRST: readonly VerdictOutcome[] = ["fail", "warn", "undecided", "pass", "not-exercised"];

function findWorst(seen: readonly DrillRun[]): readonly DrillRun[] {
  const byOutcome = WORST_FIRST.map((outcome) => seen.filter(({ judgement }) => judgement?.outcome === outcome));
  return byOutcome.find(({ length }) => length > 0) ?? [];
}

/**
 * Combines drills with the same outcome: all failures or warnings are reported, but only the first of the other
 * outcomes.
 */
function combineJudgements(alike: readonly DrillRun[]): Judgement {
  const judgements = alike.flatMap(({ judgement }) => judgement ?? []);
  const [first = { outcome: "not-exercised", says: "the program has nothing to which the drill applies" } as const] =
    judgements;
  if (first.outcome !== "fail" && first.outcome !== "warn") return first;
  const says = [...new Set(judgements.map((each) => each.says))].join("; ");
  return { ...first, says, evidence: judgements.flatMap(({ evidence = [] }) => evidence) };
}
