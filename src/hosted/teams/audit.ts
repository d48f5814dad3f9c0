// Writes the audit log. Entries of one turn of the event loop share a statement, and their requests wait for it. Only some requests without an
// accepted token are written per minute, so that they can't fill the database.
import type { TeamStore } from "../postgres/team-use.ts";
import type { AuditRow } from "./team-rows.ts";

type AuditEntry = Omit<AuditRow, "at">;

/** Per minute and node. The next entry says how many more were left out. */
const MAX_STRANGERS = 100;
const MINUTE = 60_000;

interface AuditDeps {
  store: Pick<TeamStore, "addAudit">;
  monotonic(): number;
  warn(sentence: string): void;
}

export function createAudit({ store, monotonic, warn }: AuditDeps) {
  let pending: { rows: AuditEntry[]; written: Promise<void> } | undefined;
  let [began, strangers, left] = [Number.NEGATIVE_INFINITY, 0, 0];

  function hasCapacity(): boolean {
    if (monotonic() - began > MINUTE) [began, strangers] = [monotonic(), 0];
    if (strangers++ < MAX_STRANGERS) return true;
    left++;
    return false;
  }

  async function write(rows: readonly AuditEntry[]): Promise<void> {
    // Waits for the other entries of this turn.
    await Promise.resolve();
    pending = undefined;
    // A failure does not fail the audited request.
    await store.addAudit(rows).catch((reason: Error) => {
      const actions = [...new Set(rows.map(({ action }) => action))].join(", ");
      warn(`The audit log could not be written (${actions}): ${reason.message}`);
    });
  }

  /** Resolves when the entry is written. */
  return (entry: AuditEntry): Promise<void> => {
    const isStranger = entry.team === null && entry.status === 401;
    if (isStranger && !hasCapacity()) return Promise.resolve();
    const row = isStranger && left > 0 ? { ...entry, detail: { ...entry.detail, left_out: left } } : entry;
    if (row !== entry) left = 0;
    if (!pending) {
      const rows: AuditEntry[] = [];
      pending = { rows, written: write(rows) };
    }
    pending.rows.push(row);
    return pending.written;
  };
}
