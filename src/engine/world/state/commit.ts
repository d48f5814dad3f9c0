// Defines a commit: the facts of a transaction, and each changed record before and after. Both are references, since
// records are never changed in place.
import type { Fact } from "../../domain/kernel/facts.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Message } from "../../domain/kernel/records.ts";
import type { Repositories } from "../../domain/kernel/transaction.ts";
import type { Change, Row } from "../../log/entry.ts";

/**
 * The cause of a change: a request (`req-…`), an act (`act-…`), a move of the clock (`clk-…`), an attempt of a delivery
 * (`dlv_…`), or a change of the world itself (`rewind`, `setup`, …).
 */
export interface Cause {
  kind: "request" | "act" | "clock" | "delivery" | "world";
  id: string;
  /** The number of the point that a rewind restores. */
  to?: number;
  /** Set for a request or an act that the log lists. */
  request?: CausingRequest;
}

/** The part of a request that the log shows if the process ended before it recorded the response. */
export interface CausingRequest {
  operation: string | undefined;
  method: string;
  /** The request target with redacted secrets. */
  target: string;
  client_id: string | undefined;
}

const KINDS: Readonly<Record<string, Cause["kind"]>> = { req: "request", act: "act", clk: "clock", dlv: "delivery" };

/** Reads the kind of a cause from its id. */
export const readCauseKind = (id: string): Cause["kind"] => KINDS[/^[a-z]+(?=[-_])/.exec(id)?.[0] ?? ""] ?? "world";

/** Returns the cause of a message. For a message from an imported document it is the import. */
export const getCause = ({ caused_by = "import" }: Pick<Message, "caused_by">): string => caused_by;

/** A record that is stored, or removed (`null`). */
export type RowChange = readonly [collection: string, id: string, row: Row | null];

export interface CommittedChange extends Change {
  readonly collection: keyof Repositories;
}

export interface CommitContent {
  at: Instant;
  facts: readonly Fact[];
  changes: readonly CommittedChange[];
}
