// Whether a history is linearizable: whether every operation can have taken effect at one instant between its request and its answer. This
// is the search of Wing and Gong with the memory of Lowe: the same operations that lead to the same state are gone on from once.

export interface Operation<I, O> {
  input: I;
  /** Undefined: unknown, so it has taken effect at any time after the request, or never. */
  output?: O;
  from: number;
  /** Infinity when there was no answer. */
  until: number;
}

export interface Model<S, I, O> {
  initial: S;
  /** The state after it; undefined when it is not answered so in this state. */
  next(state: S, input: I, output: O | undefined): S | undefined;
  /** The same for the same states. */
  key(state: S): string;
}

export interface Verdict<I, O> {
  isLinearizable: boolean;
  /** How many operations the longest order has that was found. */
  longest: number;
  /** Those that would have to come next there, none of which can. */
  stuck: Operation<I, O>[];
}

/** A step of the search: what is done, as all up to a place and some after it, the state then, and what may be next. */
interface Step<S> {
  upTo: number;
  after: ReadonlySet<number>;
  state: S;
  next: number[];
}

export function check<S, I, O>(history: readonly Operation<I, O>[], model: Model<S, I, O>): Verdict<I, O> {
  const operations = [...history].sort((a, b) => a.from - b.from);
  const known = new Set<string>();
  const steps: Step<S>[] = [
    { upTo: 0, after: new Set(), state: model.initial, next: mayBeNext(operations, 0, new Set()) },
  ];
  let [longest, stuck] = [-1, [] as number[]];
  for (let step = steps.at(-1); step; step = steps.at(-1)) {
    if (isComplete(operations, step)) return { isLinearizable: true, longest: operations.length, stuck: [] };
    if (step.upTo + step.after.size > longest) [longest, stuck] = [step.upTo + step.after.size, [...step.next]];
    const chosen = step.next.shift();
    if (chosen === undefined) {
      steps.pop();
      continue;
    }
    const { input, output } = operations[chosen] as Operation<I, O>;
    const state = model.next(step.state, input, output);
    if (state === undefined) continue;
    const done = added(step, chosen);
    const key = `${done.upTo} ${[...done.after].sort((a, b) => a - b)} ${model.key(state)}`;
    if (known.has(key)) continue;
    known.add(key);
    steps.push({ ...done, state, next: mayBeNext(operations, done.upTo, done.after) });
  }
  return { isLinearizable: false, longest, stuck: stuck.map((index) => operations[index] as Operation<I, O>) };
}

/** Those that were requested before any other that is not done was answered. */
function mayBeNext(
  operations: readonly Operation<unknown, unknown>[],
  upTo: number,
  after: ReadonlySet<number>,
): number[] {
  const found: number[] = [];
  let answered = Number.POSITIVE_INFINITY;
  for (let index = upTo; index < operations.length; index++) {
    const { from, until } = operations[index] as Operation<unknown, unknown>;
    if (from > answered) break;
    if (after.has(index)) continue;
    found.push(index);
    answered = Math.min(answered, until);
  }
  // What was answered first was probably first; what never was is tried last.
  const end = (index: number) => (operations[index] as Operation<unknown, unknown>).until;
  return found.sort((a, b) => (end(a) === end(b) ? a - b : end(a) - end(b)));
}

function added({ upTo, after }: Pick<Step<unknown>, "upTo" | "after">, index: number) {
  const more = new Set(after).add(index);
  let end = upTo;
  while (more.delete(end)) end++;
  return { upTo: end, after: more };
}

const isComplete = (operations: readonly Operation<unknown, unknown>[], { upTo, after }: Step<unknown>): boolean =>
  operations.every(({ until }, index) => index < upTo || after.has(index) || until === Number.POSITIVE_INFINITY);
