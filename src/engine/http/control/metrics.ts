// The metrics in the text format of Prometheus (version 0.0.4), over all worlds of this process.

import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { createRegistry, type MetricsRegistry, registerReading } from "../../app/monitoring/metrics.ts";
import { countsOf } from "./describe.ts";
import { handlersWith } from "./handler.ts";

type MetricsPorts = WorldsPort & RequestsPort & HistoryPort;

export const metrics = handlersWith<MetricsPorts>()({
  async getMetrics({ application }) {
    const worlds = createRegistry();
    registerWorlds(worlds, application);
    const texts = await Promise.all([worlds.metrics(), application.monitor.metrics.metrics()]);
    return { status: 200, headers: { "content-type": worlds.contentType }, body: texts.join("") };
  },
});

/** Of each world where there are few; many nodes with thousands of worlds would make millions of series. */
function registerWorlds(registry: MetricsRegistry, { worlds, log, settings }: MetricsPorts): void {
  const all = worlds.all();
  registerReading(registry, {
    type: "gauge",
    name: "sandbox_worlds",
    help: "Worlds in the memory of this process.",
    read: () => [{ value: all.length }],
  });
  if (settings.database !== undefined) return;
  registerReading(registry, {
    type: "gauge",
    name: "sandbox_records",
    help: "Records in a world, by collection.",
    labelNames: ["world", "collection"],
    read: () =>
      all.flatMap((world) =>
        Object.entries(countsOf(world)).map(([collection, value]) => ({
          value,
          labels: { world: world.id, collection },
        })),
      ),
  });
  registerReading(registry, {
    type: "gauge",
    name: "sandbox_journal_requests",
    help: "Requests held in the request log.",
    labelNames: ["world"],
    read() {
      const requests = log.count("request");
      return all.map(({ id }) => ({ value: requests.get(id) ?? 0, labels: { world: id } }));
    },
  });
}
