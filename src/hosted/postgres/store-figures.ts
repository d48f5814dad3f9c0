// What a store that several nodes use counts, as metrics: each figure with its name, and what it says.

import { type MetricsRegistry, registerReading } from "../../engine/app/index.ts";
import type { StoreFigures } from "./shared-worlds.ts";

type FigureRow = readonly [
  figure: keyof StoreFigures,
  type: "counter" | "gauge",
  name: string,
  help: string,
  // The unit of the metric in that of the figure.
  by?: number,
];

const TABLE: readonly FigureRow[] = [
  ["worlds", "gauge", "sandbox_owned_worlds", "Worlds that this node owns."],
  ["taken", "counter", "sandbox_worlds_taken_total", "Worlds that this node became the owner of."],
  ["released", "counter", "sandbox_worlds_released_total", "Worlds that this node gave back."],
  ["lost", "counter", "sandbox_worlds_lost_total", "Worlds that this node lost to a failure."],
  ["commits", "counter", "sandbox_commits_total", "Changes of worlds that were written to the database."],
  ["batches", "counter", "sandbox_commit_batches_total", "Transactions that wrote them, each what came meanwhile."],
  ["records", "counter", "sandbox_commit_records_total", "Records in them: changes, new worlds, snapshots."],
  ["queued", "gauge", "sandbox_commit_queue_records", "Records that wait for the database."],
  [
    "leaseMarginMs",
    "gauge",
    "sandbox_lease_margin_seconds",
    "How long it may answer without hearing of the database.",
    0.001,
  ],
];

export function registerStoreMetrics(registry: MetricsRegistry, readFigures: () => StoreFigures): void {
  for (const [figure, type, name, help, by = 1] of TABLE)
    registerReading(registry, { type, name, help, read: () => [{ value: readFigures()[figure] * by }] });
}
