// The entry point of tracing, which is loaded when an endpoint is configured.
export { openTraces } from "./open-telemetry.ts";
