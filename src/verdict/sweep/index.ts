// Finds the assumptions that a program depends on. It runs unchanged, then with every other value, and if that fails
// with halves of the values until the decisive ones are found.
import { unwrap } from "../../client/control.ts";
import { hasFixedPort, type VerdictOptions } from "../index.ts";
import { prepareRuns } from "../prepare.ts";
import { checkControlRun, checkSteadiness, type NoVerdict, toNoVerdict } from "../program.ts";
import { runOnce } from "../run.ts";
import type { RunEnvironment } from "../run-environment.ts";
import { type Dependence, type Flip, Search } from "./search.ts";

export type { Flip } from "./search.ts";

export interface Sweep {
  depends_on: readonly Dependence[];
  /** Values that make no difference. */
  indifferent: readonly Flip[];
  /** Values that the program never reaches. */
  untouched: readonly Flip[];
  runs: number;
  no_verdict: NoVerdict | null;
}

type SweepOptions = Pick<
  VerdictOptions,
  "server" | "start" | "seed" | "fixture" | "webhookEvents" | "launch" | "webhookUrl" | "limitMs"
> & {
  flips: readonly Flip[];
  jobs: number;
  report?(says: string): void;
};

const NONE = { depends_on: [], indifferent: [], untouched: [], runs: 1 };

/** Finds the assumptions that a program depends on. Never rejects because of the program: `no_verdict` gives the reason. */
export const sweep = (options: SweepOptions): Promise<Sweep> =>
  runSweep(options).catch((reason) => ({ ...NONE, no_verdict: toNoVerdict(reason) }));

async function runSweep({ flips, jobs, report = () => {}, ...options }: SweepOptions): Promise<Sweep> {
  const { environment } = await prepareRuns(options);
  report("with all default values");
  const first = await runOnce(environment, { name: "control" });
  const unfit = checkControlRun(first);
  if (unfit) return { ...NONE, no_verdict: unfit };
  const serving = { ...environment, serves: first.ended.stopped === "served" };
  report("with all default values, to compare two runs");
  const second = await runOnce(serving, { name: "control", control: first });
  const unsteady = checkSteadiness(first, second);
  if (unsteady) return { ...NONE, runs: 2, no_verdict: unsteady };
  const called = new Set(first.requests.map(({ operation }) => operation));
  // A value without listed operations may affect any operation.
  const isTouched = ({ operations }: Flip) => !operations || operations.some((each) => called.has(each));
  const touched = flips.filter(isTouched);
  const width = hasFixedPort(first, second, options.webhookUrl) ? 1 : Math.max(1, jobs);
  const runWith = (flips: readonly Flip[]) => runOnce(applyFlips(serving, flips), { name: "sweep", control: first });
  const search = new Search(runWith, width, report);
  for (const round of splitRounds(touched)) await search.searchAmong(round);
  const decisive = new Set(search.found.flatMap((each) => each.flips));
  return {
    depends_on: search.found,
    indifferent: touched.filter((flip) => !decisive.has(flip)),
    untouched: flips.filter((flip) => !isTouched(flip)),
    runs: 2 + search.runs,
    no_verdict: null,
  };
}

function applyFlips(environment: RunEnvironment, flips: readonly Flip[]): RunEnvironment {
  const body = Object.fromEntries(flips.map(({ id, value }) => [id, value]));
  return {
    ...environment,
    async open(options) {
      const context = await environment.open(options);
      await unwrap(context.control.PUT("/_sandbox/assumptions", { body }));
      return context;
    },
  };
}

/** An assumption has one value at a time, so each round has at most one value of it. */
function splitRounds(flips: readonly Flip[]): Flip[][] {
  const found: Flip[][] = [];
  for (const flip of flips) {
    const free = found.find((round) => round.every(({ id }) => id !== flip.id));
    if (free) free.push(flip);
    else found.push([flip]);
  }
  return found;
}
