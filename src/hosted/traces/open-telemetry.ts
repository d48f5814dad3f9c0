// Traces by the OpenTelemetry SDK, sent as OTLP over HTTP. Its variables (OTEL_EXPORTER_OTLP_*, OTEL_SERVICE_NAME,
// OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER) mean what OpenTelemetry says. This package does not contain the SDK:
// users of traces install it, and the sandbox loads it only then.
import { setTimeout as pause } from "node:timers/promises";
import type { Span as ApiSpan, Context, Tracer } from "@opentelemetry/api";
import type { Attributes, TraceSpan, Traces } from "../../engine/app/index.ts";

type Api = typeof import("@opentelemetry/api");

/** Contexts of requests, for the webhooks that they cause later. */
const MOST_REMEMBERED = 10_000;
/** A collector that does not respond must not delay the end of the process. */
const CLOSE_MS = 2000;

/** Returns undefined if a package is missing. */
export async function openTraces(version: string): Promise<Traces | undefined> {
  const [api, sdk, resources, exporter] = await loadPackages();
  if (!api || !sdk || !resources || !exporter) return undefined;
  const resource = resources
    .resourceFromAttributes({ "service.name": "experience-sandbox", "service.version": version })
    // The variables win over these defaults.
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new sdk.NodeTracerProvider({
    resource,
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  });
  // Only the reader and writer of `traceparent` is global, because every span is passed explicitly.
  provider.register({ contextManager: null });
  return createTraces(api, provider.getTracer("experience-sandbox", version), () => provider.shutdown());
}

async function loadPackages() {
  try {
    return await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace-node"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/exporter-trace-otlp-http"),
    ]);
  } catch (reason) {
    const { code } = reason as NodeJS.ErrnoException;
    // Any other error means that a package is installed and broken, which the operator has to know.
    if (code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND") return [];
    throw reason;
  }
}

function createTraces(api: Api, tracer: Tracer, shutDown: () => Promise<void>): Traces {
  const remembered = new Map<string, Context>();
  const { ROOT_CONTEXT, SpanKind, propagation, trace } = api;
  // The parent is always passed, because there is no current span.
  const open = (
    name: string,
    within: Context,
    kind: number,
    attributes: Attributes = {},
  ): TraceSpan & { of: ApiSpan } => wrapSpan(tracer.startSpan(name, { kind, attributes }, within));
  const wrapSpan = (of: ApiSpan): TraceSpan & { of: ApiSpan } => ({
    of,
    get traceparent() {
      const carrier: { traceparent?: string } = {};
      propagation.inject(trace.setSpan(ROOT_CONTEXT, of), carrier);
      return carrier.traceparent ?? "";
    },
    child: (name, attributes, kind) =>
      open(name, trace.setSpan(ROOT_CONTEXT, of), kind ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes),
    wrap: (name, work) => endAfter(wrapSpan(of).child(name), work),
    name: (name) => void of.updateName(name),
    end(attributes = {}, failure) {
      of.setAttributes(attributes);
      if (failure !== undefined) of.setStatus({ code: api.SpanStatusCode.ERROR, message: failure });
      of.end();
    },
  });
  return {
    begin: (name, traceparent) =>
      open(name, propagation.extract(ROOT_CONTEXT, traceparent ? { traceparent } : {}), SpanKind.SERVER),
    remember(id, span) {
      // A map keeps its order, so the first key is the oldest.
      const [oldest] = remembered.size < MOST_REMEMBERED ? [] : remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
      remembered.set(id, trace.setSpan(ROOT_CONTEXT, (span as ReturnType<typeof wrapSpan>).of));
    },
    beginCaused: (id = "", name, attributes) =>
      open(name, remembered.get(id) ?? ROOT_CONTEXT, SpanKind.CLIENT, attributes),
    async close() {
      const timeout = pause(CLOSE_MS, undefined, { ref: false });
      await Promise.race([shutDown().catch(() => undefined), timeout]);
    },
  };
}

async function endAfter<T>(span: TraceSpan, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    span.end();
    return result;
  } catch (reason) {
    span.end({}, reason instanceof Error ? reason.message : String(reason));
    throw reason;
  }
}
