// Which open questions a program depends on: it runs as it is, then with every other answer at once, and where it then fails the
// answers are halved until the ones that matter are found.
import { unwrap } from "../../client/control.ts";
import { sharesPort, type VerdictOptions } from "../index.ts";
import { prepare } from "../prepare.ts";
import { type NoVerdict, noVerdictOn, whyNotJudged, whyNotSteady } from "../program.ts";
import { runOnce } from "../run.ts";
import type { RunEnvironment } from "../run-environment.ts";
import { type Dependence, type Flip, Search } from "./search.ts";

export type { Flip } from "./search.ts";

export interface Sweep {
  depends_on: readonly Dependence[];
  /** Whose answer makes no difference. */
  indifferent: readonly Flip[];
  /** Those that the program never comes near. */
  untouched: readonly Flip[];
  runs: number;
  no_verdict: NoVerdict | null;
}

type Sweeping = Pick<
  VerdictOptions,
  "server" | "start" | "seed" | "fixture" | "webhookEvents" | "launch" | "webhookUrl" | "limitMs"
> & {
  flips: readonly Flip[];
  jobs: number;
  report?(says: string): void;
};

const NONE = { depends_on: [], indifferent: [], untouched: [], runs: 1 };

export const sweep = (sweeping: Sweeping): Promise<Sweep> =>
  sweepThrough(sweeping).catch((reason) => ({ ...NONE, no_verdict: noVerdictOn(reason) }));

async function sweepThrough({ flips, jobs, report = () => {}, ...options }: Sweeping): Promise<Sweep> {
  const { environment } = await prepare(options);
  report("the program as it is");
  const first = await runOnce(environment, { name: "control" });
  const unfit = whyNotJudged(first);
  if (unfit) return { ...NONE, no_verdict: unfit };
  const settled = { ...environment, serves: first.ended.stopped === "served" };
  report("once more, to see whether it does the same");
  const second = await runOnce(settled, { name: "control", control: first });
  const unsteady = whyNotSteady(first, second);
  if (unsteady) return { ...NONE, runs: 2, no_verdict: unsteady };
  const called = new Set(first.requests.map(({ operation }) => operation));
  // An answer without operations in the register may matter anywhere.
  const isTouched = ({ operations }: Flip) => !operations || operations.some((each) => called.has(each));
  const touched = flips.filter(isTouched);
  const width = sharesPort(first, second, options.webhookUrl) ? 1 : Math.max(1, jobs);
  const runWith = (flips: readonly Flip[]) => runOnce(flipped(settled, flips), { name: "sweep", control: first });
  const search = new Search(runWith, width, report);
  for (const round of rounds(touched)) await search.among(round);
  const guilty = new Set(search.found.flatMap((each) => each.flips));
  return {
    depends_on: search.found,
    indifferent: touched.filter((flip) => !guilty.has(flip)),
    untouched: flips.filter((flip) => !isTouched(flip)),
    runs: 2 + search.runs,
    no_verdict: null,
  };
}

function flipped(environment: RunEnvironment, flips: readonly Flip[]): RunEnvironment {
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

/** A question has one answer at a time. */
function rounds(flips: readonly Flip[]): Flip[][] {
  const found: Flip[][] = [];
  for (const flip of flips) {
    const free = found.find((round) => round.every(({ id }) => id !== flip.id));
    if (free) free.push(flip);
    else found.push([flip]);
  }
  return found;
}
