// Requests take turns: one turn of the event loop begins requests for a slice of time, and the rest wait for the next turn. Node accepts
// one new connection a turn, so a turn that serves a whole crowd would keep new connections waiting for minutes.

/** Short, so that 500 clients that come at once are let in within a second; a turn costs some ten microseconds. */
const SLICE_MS = 2;

/** Begins requests in the order of their arrival; the first ones of a turn at once. */
function makeFairScheduler(now: () => number = () => performance.now()): (begin: () => void) => void {
  const waiting: (() => void)[] = [];
  let began: number | undefined;
  const isOver = () => began !== undefined && now() - began >= SLICE_MS;

  function startTurn(): void {
    began = now();
    setImmediate(() => {
      began = undefined;
      if (waiting.length === 0) return;
      startTurn();
      next();
    });
  }

  function next(): void {
    waiting.shift()?.();
    // Behind everything that the request does before it has to wait for something.
    queueMicrotask(() => process.nextTick(() => waiting.length > 0 && !isOver() && next()));
  }

  return (begin) => {
    if (began === undefined) startTurn();
    if (waiting.length === 0 && !isOver()) begin();
    else waiting.push(begin);
  };
}

/** Of the process, which has one event loop. */
export const scheduleFairly = makeFairScheduler();
