// What the process takes of its machine. The delay of the event loop is measured from the first reading on: measuring wakes the process
// fifty times a second, which one that nobody watches need not pay.
import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { counter, type Family, gauge } from "./family.ts";

const EVERY_MS = 20;
const PARTS = [0.5, 0.9, 0.99];

export function processFigures(): () => Family[] {
  let delay: IntervalHistogram | undefined;
  return () => {
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
    if (!delay) {
      delay = monitorEventLoopDelay({ resolution: EVERY_MS });
      delay.enable();
    }
    delay.reset();
    return families;
  };
}

/** Since the reading before. */
function delayFamily(delay: IntervalHistogram): Family {
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
