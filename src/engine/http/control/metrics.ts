// The metrics in the text format of Prometheus (version 0.0.4), over all worlds of this process.

import type { Family, HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { countsOf } from "./describe.ts";
import { handlersWith } from "./handler.ts";

export const metrics = handlersWith<WorldsPort & RequestsPort & HistoryPort>()({
  getMetrics({ application }) {
    const families = [...worldFigures(application), ...application.monitor.families()];
    return {
      status: 200,
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      body: families.map(textOf).join(""),
    };
  },
});

/** Of each world where there are few; many nodes with thousands of worlds would make millions of series. */
function worldFigures({ worlds, log, settings }: WorldsPort & RequestsPort & HistoryPort): Family[] {
  const all = worlds.all();
  const number: Family = {
    ...{ name: "sandbox_worlds", type: "gauge", help: "Worlds in the memory of this process." },
    samples: [{ value: all.length }],
  };
  if (settings.database !== undefined) return [number];
  const requests = log.count("request");
  return [
    number,
    {
      ...{ name: "sandbox_records", type: "gauge", help: "Records in a world, by collection." },
      samples: all.flatMap((world) =>
        Object.entries(countsOf(world)).map(([collection, value]) => ({
          value,
          labels: { world: world.id, collection },
        })),
      ),
    },
    {
      ...{ name: "sandbox_journal_requests", type: "gauge", help: "Requests held in the request log." },
      samples: all.map(({ id }) => ({ value: requests.get(id) ?? 0, labels: { world: id } })),
    },
  ];
}

function textOf({ name, type, help, samples }: Family): string {
  const rows = samples.map(({ value, labels = {}, suffix = "" }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${rows.join("")}`;
}

/** As the format demands for the value of a label. */
const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
