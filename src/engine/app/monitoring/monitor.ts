// What the person who operates a sandbox watches: metrics, traces, and a record of each thing that happens.
import {
  type CounterKey,
  type CountRequest,
  createRegistry,
  type MetricsRegistry,
  registerCounters,
  registerProcess,
  registerRequests,
} from "./metrics.ts";
import type { Traces } from "./traces.ts";

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
  /** Parts with figures of their own register them here. */
  readonly metrics: MetricsRegistry;
  countRequest: CountRequest;
  count(key: CounterKey, label?: string): void;
}

export function createMonitor(watchers: Watchers): Monitor {
  const metrics = createRegistry();
  const countRequest = registerRequests(metrics);
  const count = registerCounters(metrics);
  registerProcess(metrics);
  return { ...watchers, metrics, countRequest, count };
}
