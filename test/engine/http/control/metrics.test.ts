// What `GET /_sandbox/metrics` says, read as Prometheus reads it, and who may read it.
import { expect, it } from "vitest";
import { createGuard } from "../../../../src/engine/http/control/guard.ts";
import type { Routed } from "../../../../src/engine/http/exchange.ts";
import { shareSandbox } from "../../../sandbox.ts";

const sandbox = shareSandbox({ fixture: "empty" });

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-z_]\w*="(?:[^"\\]|\\.)*",?)+)\})? (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/;

/** Sample → value, after a check of the form of all of it. */
async function read(): Promise<{ samples: Map<string, number>; types: Map<string, string> }> {
  const answer = await fetch(`${sandbox.url}/_sandbox/metrics`);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const [samples, types] = [new Map<string, number>(), new Map<string, string>()];
  const text = await answer.text();
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.trimEnd().split("\n")) {
    const [, name = "", type = ""] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (name) types.set(name, type);
    if (line === "" || line.startsWith("# ")) continue;
    expect(line).toMatch(LINE);
    const [, metric = "", labels = "", value = ""] = LINE.exec(line) ?? [];
    const family = types.get(metric) ? metric : metric.replace(/_(bucket|sum|count)$/, "");
    expect([line, types.has(family)]).toEqual([line, true]);
    samples.set(labels ? `${metric}{${labels}}` : metric, Number(value));
  }
  return { samples, types };
}

it("Requests are counted by operation and status class, with their duration", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  await world.call("listBookings");
  await world.call("listBookings");
  await fetch(`${sandbox.url}/v1/bookings`);
  const { samples, types } = await read();
  expect(samples.get('sandbox_requests_total{operation="listBookings",status="2xx"}')).toBe(2);
  expect(samples.get('sandbox_requests_total{operation="listBookings",status="4xx"}')).toBe(1);
  expect(types.get("sandbox_request_duration_seconds")).toBe("histogram");
  const buckets = [...samples].filter(
    ([name]) => name.startsWith("sandbox_request_duration_seconds_bucket{") && name.includes('="listBookings"'),
  );
  const counts = buckets.map(([, count]) => count);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(buckets.at(-1)?.[0]).toContain('le="+Inf"');
  expect(counts.at(-1)).toBe(3);
  expect(samples.get('sandbox_request_duration_seconds_count{operation="listBookings"}')).toBe(3);
  expect(samples.get("sandbox_worlds")).toBe(2);
});

it("The event loop is measured from the first reading on", async () => {
  await read();
  const { samples } = await read();
  expect(samples.get('nodejs_eventloop_lag_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
  expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
});

/** Not over loopback, where no token is needed. */
it("The metrics token allows reading metrics, and nothing else", async () => {
  const application = {
    ...sandbox.running.application,
    settings: { ...sandbox.running.application.settings, metricsToken: "scraper" },
  };
  const ask = (id: string, token: string) => () =>
    createGuard(undefined)(
      {
        headers: { host: "sandbox.example", authorization: `Bearer ${token}` },
        localAddress: "192.0.2.7",
        route: { id },
      } as unknown as Routed,
      application,
    );
  expect(ask("getMetrics", "scraper")).not.toThrow();
  expect(ask("getMetrics", application.controlToken)).not.toThrow();
  expect(ask("getMetrics", "other")).toThrow("needs the control token");
  expect(ask("describeSandbox", "scraper")).toThrow("needs the control token");
});
