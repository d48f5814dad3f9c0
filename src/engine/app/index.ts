// The entry point of the use cases for the composition root, hosted and the interfaces.
export type { Application, RequestsPort, TimePort, WorldsPort } from "./application.ts";
export { explainInvalidAssumption, listDefaultAssumptions } from "./assumptions.ts";
export type * from "./client-ports.ts";
export { type MetricsRegistry, registerReading } from "./monitoring/metrics.ts";
export {
  type Attributes,
  createMonitor,
  type OperatorLogEntry,
  type TraceSpan,
  type Traces,
  type Watchers,
} from "./monitoring/monitor.ts";
