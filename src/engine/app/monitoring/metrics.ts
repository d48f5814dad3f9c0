// Registers the metrics of one sandbox with prom-client. Dashboards and alerts depend on their names.
import { monitorEventLoopDelay } from "node:perf_hooks";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import heapSizeAndUsed from "prom-client/lib/metrics/heapSizeAndUsed.js";
import osMemoryHeap from "prom-client/lib/metrics/osMemoryHeap.js";
import processStartTime from "prom-client/lib/metrics/processStartTime.js";
import Registry from "prom-client/lib/registry.js";

export { Registry as MetricsRegistry };

export interface Sample {
  value: number;
  labels?: Readonly<Record<string, string>>;
}

interface MetricReading {
  type: "counter" | "gauge";
  name: string;
  help: string;
  labelNames?: readonly string[];
  read(): readonly Sample[];
}

/** Registers a metric whose samples are read when the metrics are requested. */
export function registerReading(registry: Registry, { type, name, help, labelNames = [], read }: MetricReading) {
  const Metric = type === "counter" ? Counter : Gauge;
  new Metric({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels = {}, value } of read()) this.inc(labels, value);
    },
  });
}

const COUNTERS = {
  attempts: ["sandbox_webhook_attempts_total", "Attempts of webhook deliveries, by outcome.", "outcome"],
  warnings: ["sandbox_warnings_total", "Warnings to the person who runs the sandbox."],
  forwarded: ["sandbox_forwarded_requests_total", "Requests for worlds of other nodes, by outcome.", "outcome"],
  misdirected: ["sandbox_misdirected_requests_total", "Forwarded requests for worlds that are not here (421)."],
  opened: ["sandbox_worlds_opened_total", "Worlds opened here, by reason.", "for"],
  evicted: ["sandbox_worlds_evicted_total", "Worlds closed here because more were open than the limit."],
} satisfies Record<string, readonly [name: string, help: string, label?: string]>;

export type CounterKey = keyof typeof COUNTERS;

/** Returns a function that adds one to a counter; `label` is the value of the counter's label. */
export function registerCounters(registry: Registry): (key: CounterKey, label?: string) => void {
  const counters = new Map<string, Counter>();
  for (const [key, [name, help, ...labelNames]] of Object.entries(COUNTERS))
    counters.set(key, new Counter({ name, help, labelNames, registers: [registry] }));
  return (key, value = "") => {
    const [, , label] = COUNTERS[key];
    counters.get(key)?.inc(label === undefined ? {} : { [label]: value });
  };
}

/** Seconds. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `operation`: undefined for pages, documents and unknown paths. `status`: null if a fault broke the connection. */
export type CountRequest = (operation: string | undefined, status: number | null, ms: number) => void;

export function registerRequests(registry: Registry): CountRequest {
  const requests = new Counter({
    name: "sandbox_requests_total",
    help: "Requests answered by this process, by operation and class of status.",
    labelNames: ["operation", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "sandbox_request_duration_seconds",
    help: "Time from the last byte of a request to its response.",
    labelNames: ["operation"],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  return (operation = "none", status, ms) => {
    requests.inc({ operation, status: status === null ? "broken" : `${Math.floor(status / 100)}xx` });
    durations.observe({ operation }, ms / 1000);
  };
}

const LAG_RESOLUTION_MS = 20;

function registerEventLoopLag(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delay.enable();
  registerReading(registry, {
    type: "gauge",
    name: "nodejs_eventloop_lag_seconds",
    help: "Delay of the event loop since the metrics were last read.",
    labelNames: ["quantile"],
    read() {
      const samples = [50, 90, 99, 100].map((percentile) => ({
        labels: { quantile: String(percentile / 100) },
        // The measured delay includes the interval itself.
        value: Math.max(0, delay.percentile(percentile) / 1e9 - LAG_RESOLUTION_MS / 1000),
      }));
      delay.reset();
      return samples;
    },
  });
}

/** The metric of prom-client would load @opentelemetry/api, which is optional here. */
function registerProcessorTime(registry: Registry): void {
  const name = "process_cpu_seconds_total";
  const help = "Processor time, of the user and the system.";
  const toSeconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;
  registerReading(registry, { type: "counter", name, help, read: () => [{ value: toSeconds(process.cpuUsage()) }] });
}

const PROCESS_METRICS = [registerProcessorTime, processStartTime, osMemoryHeap, heapSizeAndUsed, registerEventLoopLag];

/**
 * Returns the metrics as text. Those of the process are measured from the first reading on, because measuring wakes it
 * many times a second.
 */
export function readMetrics(registry: Registry): Promise<string> {
  if (!registry.getSingleMetric("process_cpu_seconds_total"))
    for (const register of PROCESS_METRICS) register(registry);
  return registry.metrics();
}
