// The faults that hit a request, as a step that arms them before it: each hits the next request once, whoever sends it.
import type { JsonObject, RequestEntry } from "./stretch.ts";
import { inWords, type Teller } from "./teller.ts";

export function tellFaults({ faults, operation }: RequestEntry, teller: Teller): void {
  const armed = faults.flatMap(({ fault }) =>
    fault && changesSomething(fault) ? [teller.memory.written(once(fault))] : [],
  );
  const [first, second] = armed;
  if (first) teller.add(`a fault of ${inWords(operation ?? "")}`, { fault: second ? armed : first });
}

/** An answer that was only late is the same answer. */
const changesSomething = ({ delay_ms, status, connection }: JsonObject): boolean =>
  delay_ms === undefined || status !== undefined || connection !== undefined;

function once({ name: _, skip: __, share: ___, seed: ____, client_id: _____, ...fault }: JsonObject): JsonObject {
  return { ...fault, times: 1 };
}
