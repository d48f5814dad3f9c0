// What the person who operates a sandbox watches: figures, and what happens, one record each. Nothing here is about one world's users.
import { type Counted, Counters } from "./counters.ts";
import type { Family } from "./family.ts";
import { processFigures } from "./process-figures.ts";
import { RequestFigures } from "./request-figures.ts";

export type { Counted } from "./counters.ts";
export type { Family } from "./family.ts";

/** A record of the log for operators. No secrets, and no path with a query. */
export interface Happening {
  level: "info" | "warning" | "error";
  event: string;
  readonly [field: string]: string | number | boolean | null | undefined;
}

export interface Monitor {
  readonly requests: Pick<RequestFigures, "add">;
  count(what: Counted, label?: string): void;
  /** Undefined where nobody listens: then no record is made. */
  readonly tell: ((happening: Happening) => void) | undefined;
  /** Whoever has figures of its own is asked for them when the metrics are read. */
  readFrom(source: () => readonly Family[]): void;
  families(): Family[];
}

export function makeMonitor(tell: Monitor["tell"]): Monitor {
  const requests = new RequestFigures();
  const counters = new Counters();
  const sources = [() => requests.families(), () => counters.families(), processFigures()];
  return {
    requests,
    tell,
    count: (what, label) => counters.add(what, label),
    readFrom: (source) => void sources.push(() => [...source()]),
    families: () => sources.flatMap((source) => source()),
  };
}
