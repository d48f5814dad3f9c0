// What the log tells, as the console reads it: one entry for each request, act, move of the clock, attempt of a delivery, and change of
// a whole world, in one order.
export interface Fact {
  fact: string;
  id: string;
}

interface Always {
  seq: number;
  id: string;
  at: string;
  wall_at: string;
  world: string;
  test: string | null;
}

export interface RequestEntry extends Always {
  kind: "request";
  method: string;
  path: string;
  operation: string | null;
  status: number | null;
  duration_ms: number;
  client_id: string | null;
  code?: string | null;
  message?: string | null;
  facts: readonly Fact[];
  /** A summary lists the first of them only. */
  fact_count: number;
  messages: readonly string[];
  message_count: number;
}

export interface ActEntry extends Always {
  kind: "act";
  act: string;
  status: "done" | "refused";
  code?: string | null;
  message?: string | null;
  facts: readonly Fact[];
  /** A summary lists the first of them only. */
  fact_count: number;
  messages: readonly string[];
  message_count: number;
  duration_ms: number;
}

export interface ClockEntry extends Always {
  kind: "clock";
  from: string;
  to: string;
  happened: number;
}

export interface DeliveryEntry extends Always {
  kind: "delivery";
  message_id: string;
  delivery_id: string;
  subscription_id: string;
  url: string;
  webhook_kind: string;
  state: string;
  attempt: { at: string; status: number | null; error: string | null; duration_ms: number; number: number };
  cause: { kind: string; id: string };
}

export interface WorldEntry extends Always {
  kind: "world";
  change: string;
  detail?: unknown;
}

export type Entry = RequestEntry | ActEntry | ClockEntry | DeliveryEntry | WorldEntry;
export type Head = Exclude<Entry, DeliveryEntry>;
