// Schedules requests in turns: each turn of the event loop begins requests for a slice of time, and the others wait for
// the next turn. Node accepts one new connection per turn, so long turns would delay new connections for minutes.

/** The slice is short, so that 500 simultaneous clients can connect within a second. A turn costs about ten microseconds. */
const SLICE_MS = 2;

// The scheduler belongs to the process, which has one event loop.
const waiting: (() => void)[] = [];
let began: number | undefined;
const isOver = () => began !== undefined && performance.now() - began >= SLICE_MS;

/** Begins requests in the order of their arrival, the first ones of a turn immediately. */
export function scheduleFairly(begin: () => void): void {
  if (began === undefined) startTurn();
  if (waiting.length === 0 && !isOver()) begin();
  else waiting.push(begin);
}

function startTurn(): void {
  began = performance.now();
  setImmediate(() => {
    began = undefined;
    if (waiting.length === 0) return;
    startTurn();
    beginNext();
  });
}

function beginNext(): void {
  waiting.shift()?.();
  // The next request begins after all work of this one up to its first wait.
  queueMicrotask(() => process.nextTick(() => waiting.length > 0 && !isOver() && beginNext()));
}
