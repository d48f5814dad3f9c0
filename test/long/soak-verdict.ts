// Whether what is held still grows: a straight line through the second half of a soak, how much it rises, and how sure that is. The
// same for a minute (a dozen samples) and for hours (thousands of them).

export interface Sample {
  minute: number;
  /** Of the heap and beside it, without compiled code. */
  held: number;
  code: number;
  rss: number;
  handles: number;
  /** Without sockets. */
  files: number;
  sockets: number;
}

export interface Verdict {
  /** In MB, from the first sample of the half to the last, with one standard error. */
  grown: number;
  unsure: number;
  perHour: number;
  /** What is wrong, in words; nothing when all is well. */
  wrong: string[];
}

const MB = 1e6;
/** So much may come from what a machine does besides: a table that doubles once, what belongs to compiled code. */
const ALLOWED_MB = 1;
/** Beyond it the samples scatter so much that a leak could hide among them. */
const MOST_UNSURE_MB = 2;
const MOST_GROUPS = 30;
/** A connection or a timer more may be open at the moment of a measure. */
const ALLOWED_HANDLES = 3;
/**
 * What is no growth up to so many: pooled connections, 20 of the load, and of each of two receivers 10 for first attempts and 5 for
 * retries. How soon there are so many depends on the machine.
 */
const POOLED = { handles: 0, files: 0, sockets: 50 };

export const halves = (samples: readonly Sample[]): [first: Sample[], second: Sample[]] => [
  samples.slice(0, samples.length / 2),
  samples.slice(samples.length / 2),
];

type Point = readonly [minute: number, mb: number];
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Neighbours resemble each other, which would make many samples look surer than they are: they count as one point. */
function grouped(samples: readonly Sample[]): Point[] {
  const size = Math.ceil(samples.length / MOST_GROUPS);
  const groups = Array.from({ length: Math.floor(samples.length / size) }, (_, at) =>
    samples.slice(at * size, (at + 1) * size),
  );
  return groups.map((group) => [mean(group.map(({ minute }) => minute)), mean(group.map(({ held }) => held / MB))]);
}

function line(points: readonly Point[]): { slope: number; error: number } {
  const [x, y] = [mean(points.map(([minute]) => minute)), mean(points.map(([, mb]) => mb))];
  const spread = points.reduce((sum, [minute]) => sum + (minute - x) ** 2, 0);
  const slope = points.reduce((sum, [minute, mb]) => sum + (minute - x) * (mb - y), 0) / spread;
  const rest = points.reduce((sum, [minute, mb]) => sum + (mb - y - slope * (minute - x)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (points.length - 2) / spread) };
}

export function verdictOn(samples: readonly Sample[]): Verdict {
  const [first, second] = halves(samples);
  const points = grouped(second);
  if (points.length < 4) return { grown: 0, unsure: 0, perHour: 0, wrong: [`${samples.length} samples are too few`] };
  const span = (second.at(-1)?.minute ?? 0) - (second[0]?.minute ?? 0);
  const { slope, error } = line(points);
  const [grown, unsure] = [slope * span, error * span];
  const wrong: string[] = [];
  if (grown > Math.max(3 * unsure, ALLOWED_MB)) wrong.push(`what is held grew by ${grown.toFixed(2)} MB`);
  if (unsure > MOST_UNSURE_MB) wrong.push(`a growth of ${unsure.toFixed(2)} MB could hide among the samples`);
  for (const of of Object.keys(POOLED) as (keyof typeof POOLED)[]) {
    const [before, after] = [first, second].map((half) => Math.max(...half.map((sample) => sample[of]))) as [
      number,
      number,
    ];
    if (after > Math.max(before, POOLED[of]) + ALLOWED_HANDLES) wrong.push(`${of} went from ${before} to ${after}`);
  }
  return { grown, unsure, perHour: slope * 60, wrong };
}
