// A refusal in two lines, for a report that shows many things: what stood against the request, and what would work.
import type { components } from "../../contract/generated/control.ts";

type Refusal = components["schemas"]["WhyRefusal"];

export function reasonLines({ checks, smallest }: Refusal): string[] {
  const failed = checks.find(({ passed }) => passed === false);
  const set = Object.entries(smallest?.set ?? {}).map(([path, value]) => `${path} = ${JSON.stringify(value)}`);
  return [
    ...(failed ? [`${failed.name} looked at: ${failed.looked_at}`] : []),
    ...(smallest ? [`${smallest.tried ? "this works" : "what to do"}: ${[smallest.text, ...set].join(" ")}`] : []),
  ];
}
