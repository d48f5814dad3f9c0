// The metrics in the text format of Prometheus (version 0.0.4), over all worlds of this process.

import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { MetricsRegistry, registerReading } from "../../app/monitoring/metrics.ts";
import { countCollections } from "./describe.ts";
import { handlersWith } from "./handler.ts";

type MetricsPorts = WorldsPort & RequestsPort & HistoryPort;

export const metrics = handlersWith<MetricsPorts>()({
  async getMetrics({ application }) {
    const worlds = new MetricsRegistry();
    registerWorlds(worlds, application);
    const texts = await Promise.all([worlds.metrics(), application.monitor.metrics.metrics()]);
    return { status: 200, headers: { "content-type": worlds.contentType }, body: texts.join("") };
  },
});

/** Nodes with thousands of worlds would have millions of series, so worlds have no metrics of their own there. */
function registerWorlds(registry: MetricsRegistry, { worlds, log, settings }: MetricsPorts): void {
  const all = worlds.all();
  const gauge = { type: "gauge" } as const;
  const worldsHelp = "Worlds in the memory of this process.";
  registerReading(registry, {
    ...gauge,
    name: "sandbox_worlds",
    help: worldsHelp,
    read: () => [{ value: all.length }],
  });
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
    help: "Requests held in the request log.",
    labelNames: ["world"],
    read() {
      const requests = log.count("request");
      return all.map(({ id }) => ({ value: requests.get(id) ?? 0, labels: { world: id } }));
    },
  });
}
