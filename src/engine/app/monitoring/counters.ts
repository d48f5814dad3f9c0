// What is counted one by one while the process runs, with the name that each has among the metrics.
import type { Family } from "./family.ts";

interface Counter {
  name: string;
  help: string;
  /** What the counts are told apart by. */
  label?: string;
}

/** Names are an interface: dashboards and alerts use them. */
const TABLE = {
  attempts: {
    name: "sandbox_webhook_attempts_total",
    help: "Attempts of webhook deliveries, by outcome.",
    label: "outcome",
  },
  warnings: { name: "sandbox_warnings_total", help: "Warnings to the person who runs the sandbox." },
  forwarded: {
    name: "sandbox_forwarded_requests_total",
    help: "Requests for worlds of other nodes, by what became of them.",
    label: "outcome",
  },
  misdirected: {
    name: "sandbox_misdirected_requests_total",
    help: "Requests that another node forwarded for a world that is not here (421).",
  },
  opened: {
    name: "sandbox_worlds_opened_total",
    help: "Worlds opened here, by what they were opened for.",
    label: "for",
  },
  evicted: {
    name: "sandbox_worlds_evicted_total",
    help: "Worlds closed here because they were idle, or one too many.",
  },
} satisfies Record<string, Counter>;

export type Counted = keyof typeof TABLE;

export class MetricCounters {
  readonly #counts = new Map<Counted, Map<string, number>>();

  add(what: Counted, label = ""): void {
    const counts = this.#counts.get(what) ?? new Map<string, number>();
    counts.set(label, (counts.get(label) ?? 0) + 1);
    this.#counts.set(what, counts);
  }

  /** Those that were counted. */
  families(): Family[] {
    return [...this.#counts].map(([what, counts]) => {
      const { name, help, label }: Counter = TABLE[what];
      const samples = [...counts].map(([text, value]) => ({ value, ...(label ? { labels: { [label]: text } } : {}) }));
      return { name, help, type: "counter", samples };
    });
  }
}
