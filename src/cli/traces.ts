// Starts the traces of `sandbox start` if an environment variable of OpenTelemetry names a collector.
import type { Watchers } from "../sandbox.ts";
import type { Environment } from "./options.ts";

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
const INSTALL =
  "npm install @opentelemetry/api @opentelemetry/sdk-trace-node @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http";

/** Returns undefined without a collector. A missing package is only a warning, because the sandbox works without traces. */
export async function startTraces(
  environment: Environment,
  warn: (sentence: string) => void,
): Promise<Watchers["traces"]> {
  const named = ENDPOINTS.find((name) => environment[name]);
  if (named === undefined || environment.OTEL_SDK_DISABLED === "true") return undefined;
  const { openTraces } = await import("../sandbox.ts");
  const traces = await openTraces();
  if (!traces) warn(`${named} is set, but packages for it are missing: ${INSTALL}. The sandbox starts without traces.`);
  return traces;
}
