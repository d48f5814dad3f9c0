// What a transaction commits: its facts, and each record that it changed, before and after. Records are never changed in place, so both are
// references.
import type { Fact } from "../../domain/kernel/facts.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Message } from "../../domain/kernel/records.ts";
import type { Change, Row } from "../../log/entry.ts";
import type { Name } from "./schema.ts";

/**
 * Whose doing a change is: a request (`req-…`), an act (`act-…`), a move of the clock (its receipt, `clk-…`), an attempt of a delivery
 * (`dlv_…`), or a change of the world itself (`rewind`, `setup`, …).
 */
export interface Cause {
  kind: "request" | "act" | "clock" | "delivery" | "world";
  id: string;
  /** Of a rewind: the number of the point that it restores. */
  to?: number;
  /** Of a request or an act that the log lists. */
  request?: CausingRequest;
}

/** What the log shows of a request whose process ended before it recorded the response. */
export interface CausingRequest {
  operation: string | undefined;
  method: string;
  /** Without secrets. */
  target: string;
  client_id: string | undefined;
}

/** Of a message: one that a document brought was caused by its import, as far as its world knows. */
export const causeOf = ({ caused_by = "import" }: Pick<Message, "caused_by">): string => caused_by;

/** A record put, or removed (`null`). */
export type RowChange = readonly [collection: string, id: string, row: Row | null];

export interface Changed extends Change {
  readonly collection: Name;
}

export interface Committed {
  at: Instant;
  facts: readonly Fact[];
  changes: readonly Changed[];
}

/** What a step of a fixture changed, before the history of the world began. */
export interface PastCommit extends Committed {
  /** Such as `history.12`, the path in the fixture's files; `clock` where time did it. */
  step: string;
  /** Such as `bookAsHost`. */
  title: string;
}
