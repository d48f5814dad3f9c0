// The audit log: what is noted in one turn is written in one statement, and whoever noted it waits until it is written. Requests
// without a token that counts are written up to a number a minute, so that nobody can fill the database with them.
import type { TeamStore } from "../postgres/team-use.ts";
import type { AuditRow } from "./team-rows.ts";

type AuditEntry = Omit<AuditRow, "at">;

/** A minute and node; those over it are counted, and the number goes into the next entry. */
const MOST_STRANGERS = 100;
const MINUTE = 60_000;

interface AuditDeps {
  store: Pick<TeamStore, "addAudit">;
  monotonic(): number;
  warn(sentence: string): void;
}

export function makeAudit({ store, monotonic, warn }: AuditDeps) {
  let waiting: { rows: AuditEntry[]; written: Promise<void> } | undefined;
  let [began, strangers, left] = [Number.NEGATIVE_INFINITY, 0, 0];

  /** Whether it is written; the next one that is says how many were not. */
  function isWritten(): boolean {
    if (monotonic() - began > MINUTE) [began, strangers] = [monotonic(), 0];
    if (strangers++ < MOST_STRANGERS) return true;
    left++;
    return false;
  }

  async function write(rows: readonly AuditEntry[]): Promise<void> {
    // Entries that the same turn of the event loop notes go into the same statement.
    await Promise.resolve();
    waiting = undefined;
    // A failure is warned of, and does not fail the request that is audited.
    await store.addAudit(rows).catch((reason: Error) => {
      const actions = [...new Set(rows.map(({ action }) => action))].join(", ");
      warn(`The audit log could not be written (${actions}): ${reason.message}`);
    });
  }

  /** Resolves when it is written. */
  return (entry: AuditEntry): Promise<void> => {
    const isStranger = entry.team === null && entry.status === 401;
    if (isStranger && !isWritten()) return Promise.resolve();
    const row = isStranger && left > 0 ? { ...entry, detail: { ...entry.detail, left_out: left } } : entry;
    if (row !== entry) left = 0;
    if (!waiting) {
      const rows: AuditEntry[] = [];
      waiting = { rows, written: write(rows) };
    }
    waiting.rows.push(row);
    return waiting.written;
  };
}
