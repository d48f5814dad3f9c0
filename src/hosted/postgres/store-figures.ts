// The figures that a node counts of its store, as metrics.

import { type MetricsRegistry, registerReading } from "../../engine/app/index.ts";
import type { SharedStore } from "./shared-store.ts";

type StoreFigures = ReturnType<SharedStore["readFigures"]>;

type FigureRow = readonly [figure: keyof StoreFigures, type: "counter" | "gauge", name: string, help: string];

const FIGURES: readonly FigureRow[] = [
  ["worlds", "gauge", "sandbox_owned_worlds", "Worlds that this node owns."],
  ["taken", "counter", "sandbox_worlds_taken_total", "Worlds that this node became the owner of."],
  ["released", "counter", "sandbox_worlds_released_total", "Worlds that this node gave back."],
  ["lost", "counter", "sandbox_worlds_lost_total", "Worlds that this node lost to a failure."],
  ["commits", "counter", "sandbox_commits_total", "Changes of worlds that were written to the database."],
  ["batches", "counter", "sandbox_commit_batches_total", "Transactions that wrote changes."],
  ["records", "counter", "sandbox_commit_records_total", "Records in them: changes, new worlds, snapshots."],
  ["queued", "gauge", "sandbox_commit_queue_records", "Records that wait for the database."],
  ["leaseMarginSeconds", "gauge", "sandbox_lease_margin_seconds", "How long it may answer without the database."],
];

export function registerStoreMetrics(registry: MetricsRegistry, readFigures: () => StoreFigures): void {
  for (const [figure, type, name, help] of FIGURES)
    registerReading(registry, { type, name, help, read: () => [{ value: readFigures()[figure] }] });
}
