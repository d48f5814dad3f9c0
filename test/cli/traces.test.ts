// Traces of `start`, sent to a collector: the span of a request with what it waited for and the webhook that it caused, in the trace that the
// caller began. Without the packages for it, one sentence says how to get them.
import { cpSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { getPackageRoot } from "../../src/platform/package-folder.ts";
import { ask } from "../ask.ts";
import { startLocalServer } from "../local-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { run, startProgram, startSandboxCommand } from "./run-sandbox.ts";

interface SpanSent {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

/** Keeps what it is sent. */
async function receiver() {
  const received: { path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const { url, close } = await startLocalServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    received.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  onTestFinished(close);
  return { came: received, url };
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const TRACE_PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const MESSAGE = { kind: "v1.booking.created" };

it("A request, its commit and its webhook are spans of the caller's trace", async () => {
  const [collector, hooks] = [await receiver(), await receiver()];
  const file = join(makeTempFolder(), "world.json");
  const server = startSandboxCommand(
    ["start", "--data", file, "--durability", "fsync", "--port", "0", "--json", "--webhook-url", hooks.url],
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_SERVICE_NAME: "booking-sandbox" },
  );
  const { control_url } = JSON.parse(await server.shows("}\n"));
  const answer = await ask("post", `${control_url}/trigger`, { traceparent: TRACE_PARENT }, MESSAGE);
  expect(answer.status).toBe(200);
  await vi.waitFor(() => expect(hooks.came.length).toBe(1), 20_000);
  await server.stop();

  expect(new Set(collector.came.map(({ path }) => path))).toEqual(new Set(["/v1/traces"]));
  const sent = collector.came.flatMap(({ body }) => JSON.parse(body).resourceSpans);
  expect(JSON.stringify(sent[0].resource)).toContain("booking-sandbox");
  const spans: SpanSent[] = sent.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap((each: { spans: SpanSent[] }) => each.spans),
  );
  const named = (name: string) => spans.find((span) => span.name === name) as SpanSent;
  const [request, commit, webhook] = ["triggerKind", "commit", "webhook v1.booking.created"].map(named) as SpanSent[];
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: "b7ad6b7169203331" });
  expect(commit).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId });
  expect(webhook).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId });
  const attributes = Object.fromEntries(
    request?.attributes.map(({ key, value }) => [key, Object.values(value)[0]]) ?? [],
  );
  expect(attributes).toMatchObject({
    "sandbox.operation": "triggerKind",
    "sandbox.request_id": answer.headers["sandbox-request-id"],
    "http.response.status_code": 200,
  });
  expect(hooks.came[0]?.headers.traceparent).toBe(`00-${TRACE}-${webhook?.spanId}-01`);
});

it("A webhook has no trace header without a collector", async () => {
  const hooks = await receiver();
  const server = startSandboxCommand(["start", "--memory", "--port", "0", "--json", "--webhook-url", hooks.url]);
  const { control_url } = JSON.parse(await server.shows("}\n"));
  await ask("post", `${control_url}/trigger`, { traceparent: TRACE_PARENT }, MESSAGE);
  await vi.waitFor(() => expect(hooks.came.length).toBe(1), 20_000);
  expect(hooks.came[0]?.headers).not.toHaveProperty("traceparent");
  await server.stop();
});

it("Missing packages are reported in one sentence with the install command", async () => {
  const alone = makeTempFolder();
  for (const part of ["bin", "dist", "spec", "fixtures", "package.json"])
    cpSync(join(getPackageRoot(), part), join(alone, part), { recursive: true });
  const server = startProgram(
    process.execPath,
    [join(alone, "bin/sandbox.js"), "start", "--memory", "--port", "0", "--json"],
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" },
  );
  await server.shows("}\n");
  const { code, stderr } = await server.stop();
  expect([code, stderr]).toEqual([0, expect.stringContaining("npm install @opentelemetry/api ")]);
  expect((await run(["--version"], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).stderr).toBe("");
});
