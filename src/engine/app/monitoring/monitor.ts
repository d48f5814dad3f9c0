// What the person who operates a sandbox watches: figures, and what happens, one record each. Nothing here is about one world's users.
import { type Counted, Counters } from "./counters.ts";
import type { Family } from "./family.ts";
import { processFigures } from "./process-figures.ts";
import { RequestFigures } from "./request-figures.ts";
import type { Traces } from "./traces.ts";

export type { Counted } from "./counters.ts";
export type { Family } from "./family.ts";
export type { Span, Traces } from "./traces.ts";

/** A record of the log for operators. No secrets, and no path with a query. */
export interface Happening {
  level: "info" | "warning" | "error";
  event: string;
  readonly [field: string]: string | number | boolean | null | undefined;
}

/** Who watches: where something is left out, nothing is made for it. */
export interface Watchers {
  tell?: ((happening: Happening) => void) | undefined;
  traces?: Traces | undefined;
}

export interface Monitor extends Watchers {
  readonly requests: Pick<RequestFigures, "add">;
  count(what: Counted, label?: string): void;
  /** Whoever has figures of its own is asked for them when the metrics are read. */
  readFrom(source: () => readonly Family[]): void;
  families(): Family[];
}

export function makeMonitor(watchers: Watchers): Monitor {
  const requests = new RequestFigures();
  const counters = new Counters();
  const sources = [() => requests.families(), () => counters.families(), processFigures()];
  return {
    ...watchers,
    requests,
    count: (what, label) => counters.add(what, label),
    readFrom: (source) => void sources.push(() => [...source()]),
    families: () => sources.flatMap((source) => source()),
  };
}
