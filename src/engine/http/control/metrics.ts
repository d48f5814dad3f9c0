// Serves the metrics of all worlds of this process in the text format of Prometheus (version 0.0.4).

import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { MetricsRegistry, registerReading } from "../../app/monitoring/metrics.ts";
import { countCollections } from "./describe.ts";
import { defineHandlers } from "./handler.ts";

type MetricsPorts = WorldsPort & RequestsPort & HistoryPort;

export const metrics = defineHandlers<MetricsPorts>()({
  async getMetrics({ application }) {
    const worlds = new MetricsRegistry();
    registerWorlds(worlds, application);
    const texts = await Promise.all([worlds.metrics(), application.monitor.metrics.metrics()]);
    return { status: 200, headers: { "content-type": worlds.contentType }, body: texts.join("") };
  },
});

/** Registers metrics of each world, except on nodes, where thousands of worlds would have millions of series. */
function registerWorlds(registry: MetricsRegistry, { worlds, log, settings }: MetricsPorts): void {
  const all = worlds.all();
  const gauge = { type: "gauge" } as const;
  const help = "Worlds in the memory of this process.";
  registerReading(registry, { ...gauge, name: "sandbox_worlds", help, read: () => [{ value: all.length }] });
  if (settings.database !== undefined) return;
  registerReading(registry, {
    ...gauge,
    name: "sandbox_records",
    help: "Records in a world, by collection.",
    labelNames: ["world", "collection"],
    read: () =>
      all.flatMap((world) =>
        Object.entries(countCollections(world)).map(([collection, value]) => ({
          value,
          labels: { world: world.id, collection },
        })),
      ),
  });
  registerReading(registry, {
    ...gauge,
    name: "sandbox_journal_requests",
    help: "Requests in the request log.",
    labelNames: ["world"],
    read() {
      const requests = log.count("request");
      return all.map(({ id }) => ({ value: requests.get(id) ?? 0, labels: { world: id } }));
    },
  });
}
