// Provides monitoring to the person who operates a sandbox: metrics, traces, and a log for operators.
import { type CounterKey, type CountRequest, MetricsRegistry, registerCounters, registerRequests } from "./metrics.ts";
import type { Traces } from "./traces.ts";

export type { TraceSpan } from "./traces.ts";

/** An entry of the log for operators. It contains no secrets, and no path with a query. */
export interface OperatorLogEntry {
  level: "info" | "warning" | "error";
  event: string;
  readonly [field: string]: string | number | boolean | null | undefined;
}

/** Receivers of the operator's log and of traces. Entries and spans are only created for the present ones. */
export interface Watchers {
  tell?: ((happening: OperatorLogEntry) => void) | undefined;
  traces?: Traces | undefined;
}

/** The interface of monitoring for the rest of the engine. */
export interface Monitor extends Watchers {
  /** Other modules register their own metrics here. */
  readonly metrics: MetricsRegistry;
  countRequest: CountRequest;
  count(key: CounterKey, label?: string): void;
}

export function createMonitor(watchers: Watchers): Monitor {
  const metrics = new MetricsRegistry();
  const countRequest = registerRequests(metrics);
  const count = registerCounters(metrics);
  return { ...watchers, metrics, countRequest, count };
}
