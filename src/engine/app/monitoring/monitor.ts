// Provides monitoring to the person who operates a sandbox: metrics, traces, and a log for operators.
import { type CounterKey, type CountRequest, MetricsRegistry, registerCounters, registerRequests } from "./metrics.ts";

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

// Modules that have spans depend only on these types: the span of a request, with the spans of what it waited for and
// caused.

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface TraceSpan {
  /** The value of the header `traceparent` of W3C Trace Context. */
  readonly traceparent: string;
  /** Begins a child span. `client`: for a request that leaves this process. */
  child(name: string, attributes?: Attributes, kind?: "client"): TraceSpan;
  /** Wraps a promise in a child span, which fails if the promise rejects. */
  wrap<T>(name: string, work: Promise<T>): Promise<T>;
  name(name: string): void;
  end(attributes?: Attributes, failure?: string): void;
}

export interface Traces {
  /** Begins the span of a received request, in the trace that its header names. */
  begin(name: string, traceparent: string | undefined): TraceSpan;
  /** Remembers the spans of the latest requests by their ids, so that later work belongs to the same trace. */
  remember(id: string, span: TraceSpan): void;
  /** Begins the span of work that a request caused. A cause that is not remembered begins a new trace. */
  beginCaused(id: string | undefined, name: string, attributes: Attributes): TraceSpan;
  /** Sends the remaining spans, within two seconds. */
  close(): Promise<void>;
}
