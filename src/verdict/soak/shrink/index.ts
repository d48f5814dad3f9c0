// Finds the fewest steps of a soak that still cause the same difference, and records the soak with them as a scenario.
import { formatRecording, minimize } from "../../../stories/index.ts";
import { type Recorder, startRecording } from "../../../stories/recording/index.ts";
import type { RunContext } from "../../worlds.ts";
import type { FoundDifference } from "../explain-difference.ts";
import { type Soak, type SoakOptions, soak } from "../index.ts";

interface Shrunk {
  /** The number of steps before and after. */
  from: number;
  to: number;
  soaks: number;
  /** The time was over before every step had been tried. */
  unfinished: boolean;
  difference: FoundDifference;
  /** The soak with the remaining steps. */
  soak: Soak;
  /** The scenario of the soak with the remaining steps. */
  text: string;
}

/** A soak mostly waits, so two can run in parallel. */
const MAX_PARALLEL_SOAKS = 2;

interface Trials {
  isOver(): boolean;
  report?(progress: { steps: number; soaks: number }): void;
}

/** Returns undefined if the difference does not occur again. */
export async function shrinkSoak(first: Soak, options: SoakOptions, trials: Trials): Promise<Shrunk | undefined> {
  // Records that the plan created come first, because their ids are the same in every soak.
  const [difference] = [...first.differences].sort((a, b) => Number(hasWorldId(a)) - Number(hasWorldId(b)));
  if (!difference) return undefined;
  let soaks = 0;
  let best: { found: Soak; recorder: Promise<Recorder> | undefined } | undefined;
  const test = async (steps: readonly number[]): Promise<readonly number[] | undefined> => {
    soaks++;
    let recorder: Promise<Recorder> | undefined;
    const onDifference = async ({ connection, world }: RunContext) => {
      const { url, control_token: controlToken } = connection;
      recorder = startRecording({ url, controlToken }, world, { since: "start" });
      // The error is thrown below, if this is the shortest soak.
      await recorder.catch(() => undefined);
    };
    const found = await soak({ ...options, steps, isOver: trials.isOver, onDifference });
    if (!found.differences.some((each) => isAlike(each, difference))) return undefined;
    if (best === undefined || steps.length <= best.found.steps.length) best = { found, recorder };
    trials.report?.({ steps: steps.length, soaks });
    return steps;
  };
  // A receiver with a fixed port can't run twice at the same time.
  const parallel = options.webhookUrl?.includes("{port}") === false ? 1 : MAX_PARALLEL_SOAKS;
  // The first attempt may succeed by chance, so the soak is repeated once.
  const repeated = (await test(first.steps)) ?? (await test(first.steps));
  const smallest = repeated && (await minimize(first.steps, { test, parallel, isOver: trials.isOver }));
  if (!smallest || !best) return undefined;
  const { found, recorder } = best as { found: Soak; recorder: Promise<Recorder> };
  const nearest = found.differences.find((each) => isAlike(each, difference)) ?? difference;
  const { scenario, leftOut } = (await recorder).finish(nearest.says);
  return {
    unfinished: trials.isOver(),
    from: first.steps.length,
    to: smallest.length,
    soaks,
    difference: nearest,
    soak: found,
    text: formatRecording({ scenario, leftOut: [`Shown by: ${found.again}`, ...leftOut] }),
  };
}

/** The world generates the ids of records that the program creates, so they differ between soaks. */
const hasWorldId = ({ id }: FoundDifference): boolean => /^[0-9a-f]{32}$/.test(id);

const isAlike = (a: FoundDifference, b: FoundDifference): boolean =>
  a.kind === b.kind && a.of === b.of && a.member === b.member && (a.id === b.id || (hasWorldId(a) && hasWorldId(b)));
