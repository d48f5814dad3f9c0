// What the person who operates a sandbox watches: figures, and what happens, one record each. Nothing here is about one world's users.
import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { type Counted, MetricCounters } from "./counters.ts";
import { counter, type Family, gauge } from "./family.ts";
import { RequestFigures } from "./request-figures.ts";
import type { Traces } from "./traces.ts";

export type { Family } from "./family.ts";
export type { TraceSpan } from "./traces.ts";

/** A record of the log for operators. No secrets, and no path with a query. */
export interface Happening {
  level: "info" | "warning" | "error";
  event: string;
  readonly [field: string]: string | number | boolean | null | undefined;
}

/** Who watches: where something is left out, nothing is made for it. */
export interface Watchers {
  tell?: ((happening: Happening) => void) | undefined;
  traces?: Traces | undefined;
}

/** What the rest of the engine sees of monitoring. */
export interface Monitor extends Watchers {
  readonly requests: Pick<RequestFigures, "add">;
  count(what: Counted, label?: string): void;
  /** Whoever has figures of its own is asked for them when the metrics are read. */
  readFrom(source: () => readonly Family[]): void;
  families(): Family[];
}

export function makeMonitor(watchers: Watchers): Monitor {
  const requests = new RequestFigures();
  const counters = new MetricCounters();
  const sources = [() => requests.families(), () => counters.families(), processFigures()];
  return {
    ...watchers,
    requests,
    count: (what, label) => counters.add(what, label),
    readFrom: (source) => void sources.push(() => [...source()]),
    families: () => sources.flatMap((source) => source()),
  };
}

// What the process takes of its machine. The delay of the event loop is measured from the first reading on: measuring wakes the process
// fifty times a second, which one that nobody watches need not pay.

const EVERY_MS = 20;
/** Quantiles. */
const PARTS = [0.5, 0.9, 0.99];

function processFigures(): () => Family[] {
  let delay: IntervalHistogram | undefined;
  return () => {
    // Microseconds.
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, heapTotal } = process.memoryUsage();
    const families = [
      counter("process_cpu_seconds_total", "Processor time, of the user and the system.", (user + system) / 1e6),
      gauge("process_resident_memory_bytes", "Resident memory.", rss),
      gauge("process_start_time_seconds", "When the process started.", performance.timeOrigin / 1000),
      gauge("nodejs_heap_size_used_bytes", "Heap in use.", heapUsed),
      gauge("nodejs_heap_size_total_bytes", "Heap.", heapTotal),
      ...(delay ? [delayFamily(delay)] : []),
    ];
    // The first reading has no delay: nothing was measured before it.
    if (!delay) {
      delay = monitorEventLoopDelay({ resolution: EVERY_MS });
      delay.enable();
    }
    // Each reading tells of the time since the one before.
    delay.reset();
    return families;
  };
}

/** Since the reading before. */
function delayFamily(delay: IntervalHistogram): Family {
  // The measure includes the interval itself.
  const over = (nanoseconds: number) => Math.max(0, (nanoseconds || 0) / 1e9 - EVERY_MS / 1000);
  return {
    ...{ name: "nodejs_eventloop_lag_seconds", type: "gauge" },
    help: "How late the event loop was, since the metrics were read before.",
    samples: [
      ...PARTS.map((part) => ({ labels: { quantile: String(part) }, value: over(delay.percentile(part * 100)) })),
      { labels: { quantile: "1" }, value: over(delay.max) },
    ],
  };
}
