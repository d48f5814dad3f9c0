// The entry point of the use cases: what the composition root, hosted and the interfaces take of them.
export type { Application, RequestsPort, TimePort, WorldsPort } from "./application.ts";
export type { Lint, LoggedTraffic } from "./lint.ts";
export type { McpAnswer, McpMessage, McpSessions } from "./mcp-sessions.ts";
export { type MetricsRegistry, registerReading } from "./monitoring/metrics.ts";
export { createMonitor, type Happening, type Watchers } from "./monitoring/monitor.ts";
export type { Attributes, TraceSpan, Traces } from "./monitoring/traces.ts";
export type { NoRecording, RecordScenario } from "./recordings.ts";
export { shippedAssumptions, whyNotAssume } from "./register.ts";
export type { ListedWorld, WorldDirectory } from "./world-directory.ts";
