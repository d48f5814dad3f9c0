// Writes the audit log. Only some requests without an accepted token are written per minute, so that they can't fill the database.
import type { AuditRow, TeamStore } from "../postgres/team-store.ts";

/** Per minute and node. The next entry says how many more were left out. */
const MAX_STRANGERS = 100;
const MINUTE = 60_000;

interface AuditDeps {
  store: Pick<TeamStore, "addAudit">;
  monotonic(): number;
  warn(sentence: string): void;
}

export function createAudit({ store, monotonic, warn }: AuditDeps) {
  let [began, strangers, left] = [Number.NEGATIVE_INFINITY, 0, 0];

  /** Returns undefined if too many strangers were written in this minute. */
  function limit(entry: Omit<AuditRow, "at">): typeof entry | undefined {
    if (entry.team !== null || entry.status !== 401) return entry;
    if (monotonic() - began > MINUTE) [began, strangers] = [monotonic(), 0];
    if (++strangers > MAX_STRANGERS) {
      left++;
      return undefined;
    }
    const detail = { ...entry.detail, ...(left > 0 && { left_out: left }) };
    left = 0;
    return { ...entry, detail };
  }

  /** Resolves when the entry is written. A failure does not fail the audited request. */
  return async (entry: Omit<AuditRow, "at">): Promise<void> => {
    const row = limit(entry);
    if (!row) return;
    await store.addAudit(row).catch((reason: Error) => {
      warn(`The audit log could not be written (${row.action}): ${reason.message}`);
    });
  };
}
