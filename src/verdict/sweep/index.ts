// Finds the assumptions that a program depends on. It runs unchanged, then with every other value, and if that fails
// with fewer values until the decisive ones are found.
import { unwrap } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { minimize } from "../../stories/index.ts";
import { listNewLines, type Observed } from "../observed.ts";
import { hasFixedPort, type NoVerdict, runControls, toNoVerdict } from "../program.ts";
import { type CheckReport, createReport, createResult } from "../report/check-report.ts";
import { runOnce } from "../run.ts";
import { type ProgramEnd, prepareRuns, type RunEnvironment, type RunSettings } from "../worlds.ts";

export interface Flip {
  id: string;
  default: string;
  value: string;
  meaning: string;
  /** The operations that the value changes, if the specification lists them. */
  operations: readonly string[] | undefined;
}

interface Dependence {
  /** A value, or several that make the program fail only together. */
  flips: readonly Flip[];
  ended: string;
  /** Lines of the program's output that report a failure. */
  output: readonly string[];
}

export interface Sweep {
  depends_on: readonly Dependence[];
  /** Values that make no difference. */
  indifferent: readonly Flip[];
  /** Values that the program never reaches. */
  untouched: readonly Flip[];
  runs: number;
  no_verdict: NoVerdict | null;
}

interface SweepOptions extends RunSettings {
  flips: readonly Flip[];
  jobs: number;
  report?(says: string): void;
}

const NONE = { depends_on: [], indifferent: [], untouched: [], runs: 1 };

/** Finds the assumptions that a program depends on. Never rejects because of the program: `no_verdict` gives the reason. */
export const sweep = (options: SweepOptions): Promise<Sweep> =>
  runSweep(options).catch((reason) => ({ ...NONE, no_verdict: toNoVerdict(reason) }));

async function runSweep({ flips, jobs, report = () => {}, ...options }: SweepOptions): Promise<Sweep> {
  const { environment } = await prepareRuns(options);
  const controls = await runControls(environment, (number) => report(`with all default values, run ${number} of 2`));
  if ("code" in controls) return { ...NONE, no_verdict: controls };
  const { first, second } = controls;
  const called = new Set(first.requests.map(({ operation }) => operation));
  // A value without listed operations may affect any operation.
  const isTouched = ({ operations }: Flip) => !operations || operations.some((each) => called.has(each));
  const touched = flips.filter(isTouched);
  let runs = 2;
  const runWith = async (some: readonly Flip[]) => {
    runs++;
    report(some.length === 1 ? `${some[0]?.id}=${some[0]?.value}` : `${some.length} other values at once`);
    return (await runOnce(applyFlips(controls.environment, some), { name: "sweep", control: first })).ended;
  };
  const parallel = hasFixedPort(first, second, options.webhookUrl) ? 1 : Math.max(1, jobs);
  const depends_on: Dependence[] = [];
  for (const round of splitRounds(touched))
    for (const { flips: decisive, ended } of await findDecisive(round, { runWith, parallel }))
      depends_on.push({ flips: decisive, ended: describeEnd(ended), output: findFailureLines(ended, first) });
  const decisive = new Set(depends_on.flatMap((each) => each.flips));
  return {
    depends_on,
    indifferent: touched.filter((flip) => !decisive.has(flip)),
    untouched: flips.filter((flip) => !isTouched(flip)),
    runs,
    no_verdict: null,
  };
}

interface SweepRuns {
  runWith(flips: readonly Flip[]): Promise<ProgramEnd>;
  /** The number of parallel runs. */
  parallel: number;
}

/** Finds the smallest sets of values that make the program fail, one after another, each with the end of its run. */
export async function findDecisive(
  flips: readonly Flip[],
  { runWith, parallel }: SweepRuns,
): Promise<{ flips: readonly Flip[]; ended: ProgramEnd }[]> {
  const found: { flips: readonly Flip[]; ended: ProgramEnd }[] = [];
  const failed = new Map<readonly Flip[], ProgramEnd>();
  const test = async (some: readonly Flip[]) => {
    const ended = some.length > 0 ? await runWith(some) : undefined;
    if (!ended || ended.stopped === "served" || ended.code === 0) return undefined;
    failed.set(some, ended);
    return some;
  };
  for (let rest = flips; await test(rest); ) {
    const decisive = await minimize(rest, { test, parallel, isOver: () => false });
    found.push({ flips: decisive, ended: failed.get(decisive) as ProgramEnd });
    rest = rest.filter((flip) => !decisive.includes(flip));
  }
  return found;
}

const describeEnd = ({ stopped, code }: ProgramEnd): string =>
  stopped === "too-long" ? "it did not end in time" : `it ended with exit code ${code}`;

/** The marks of common test runners, and lines with an expectation. */
const FAILURE = /^(not ok|FAIL|[✖✗×●]|\d+\)) |[Ee]rror: (?![|>])|\b[Ee]xpected\b/;
const MAX_LINES = 4;

function findFailureLines({ output }: ProgramEnd, control: Pick<Observed, "ended">): string[] {
  const lines = listNewLines(output, control).filter((line) => FAILURE.test(line));
  return [...new Set(lines)].slice(0, MAX_LINES).map((line) => line.slice(0, 160));
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

/** Each value that the program depends on fails; the other values are only counted. */
export function reportSweep(found: Sweep, command: readonly string[]): CheckReport {
  const { depends_on, indifferent, untouched, runs, no_verdict } = found;
  const none = depends_on.length === 0 ? "The program depends on no assumption. " : "";
  const others = `${count(indifferent.length, "other value makes", "other values make")} no difference`;
  return createReport({
    name: "sandbox check assumptions",
    command,
    results: depends_on.map(({ flips, ended, output }) => {
      const names = flips.map(({ id, default: byDefault }) => `${id} (${byDefault})`).join(" together with ");
      const options = flips.map(({ id, value }) => `--assume ${id}=${value}`).join(" ");
      return createResult({
        id: flips.map(({ id, value }) => `${id}=${value}`).join(" "),
        title: `depends on ${names}`,
        outcome: "fail",
        says: `depends on ${names}: ${ended}`,
        evidence: [
          ...flips.map(({ value, meaning }) => ({ id: value, says: meaning })),
          ...output.map((line) => ({ id: "output", says: line })),
        ],
        again: `sandbox exec ${options} -- ${toCommand(command)}`,
      });
    }),
    notes: no_verdict ? [] : [`${none}${others}, ${untouched.length} are never reached; ${count(runs, "run")}.`],
    no_verdict,
    document: found,
  });
}
