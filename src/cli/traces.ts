// Traces of `start`, where the environment names a collector as OpenTelemetry's own variables do.
import type { Watchers } from "../sandbox.ts";
import type { Environment } from "./options.ts";

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
const HOW =
  "npm install @opentelemetry/api @opentelemetry/sdk-trace-node @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http";

/** Undefined where no collector is named. A missing package is a warning: the sandbox works without traces. */
export async function startTraces(
  environment: Environment,
  warn: (sentence: string) => void,
): Promise<Watchers["traces"]> {
  const named = ENDPOINTS.find((name) => environment[name]);
  if (named === undefined || environment.OTEL_SDK_DISABLED === "true") return undefined;
  const { openTraces } = await import("../sandbox.ts");
  const traces = await openTraces();
  if (!traces)
    warn(`${named} asks for traces, which need packages that are not installed here: ${HOW}. It goes on without them.`);
  return traces;
}
