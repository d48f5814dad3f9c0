// A data file with one world of small records, for tests and for the processes that they start.
import type { Change, Row, State } from "../../../src/engine/log/entry.ts";
import type { Durability } from "../../../src/engine/log/file.ts";
import { ActivityLog } from "../../../src/engine/log/log.ts";
import { openDataFile } from "../../../src/engine/log/open.ts";

export type Plain = [world: string, [collection: string, rows: Row[]][]][];

export function toPlain(state: State | null): Plain | null {
  return (
    state &&
    [...state].map(([world, collections]) => [world, [...collections].map(([name, rows]) => [name, [...rows]])])
  );
}

interface TestOptions {
  maxBytes?: number;
  durability?: Durability;
  fresh?: boolean;
}

/** A world called `w` with records in `things`, as a sandbox has its worlds. */
export async function openWorld(file: string, options: TestOptions = {}) {
  const log = new ActivityLog(options.maxBytes ?? 1 << 20);
  const { store, state, warnings } = await openDataFile(file, { log, ...options });
  const rows = new Map((toPlain(state)?.[0]?.[1][0]?.[1] ?? []).map((row) => [row.id, row]));
  store.copyState = () => [["w", [["things", [...rows.values()]]]]];
  const change = (id: string, after: Row | null): Change => ({
    collection: "things",
    id,
    after,
    before: rows.get(id) ?? null,
  });
  const append = (changes: readonly Change[], more: object = {}) => {
    const { seq } = log.append({ world: "w", kind: "commit", id: "req-1", at: "", wall: 0, changes, ...more });
    for (const { id, after } of changes)
      if (after) rows.set(id, after);
      else rows.delete(id);
    return seq;
  };
  if (state === null) append([], { kind: "state", replaced: { from: null } });
  return {
    log,
    store,
    state: toPlain(state),
    warnings,
    rows,
    add: (id: string, pad?: string) => append([change(id, { id, ...(pad === undefined ? {} : { pad }) } as Row)]),
    replace: (removed: string, id: string, pad: string) =>
      append([change(id, { id, pad } as Row), ...(rows.has(removed) ? [change(removed, null)] : [])]),
    read: (id = "req-2") => log.append({ world: "w", kind: "request", id, at: "", wall: 0 }).seq,
    close: (isComplete = true) => store.close(isComplete),
  };
}
