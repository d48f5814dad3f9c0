// A data file with one world of small records, for tests and for the processes that they start.
import { openDataFile } from "../../../src/engine/log/data-file.ts";
import type { Change, Row } from "../../../src/engine/log/entry.ts";
import type { Durability } from "../../../src/engine/log/file.ts";
import { ActivityLog } from "../../../src/engine/log/log.ts";
import { applyRows, createCollections, type State } from "../../../src/engine/world/state/schema.ts";

/** The rows of `resources` by world; null for a new file. */
export type Plain = [world: string, rows: Row[]][];

export function toPlain(state: State): Plain | null {
  const worlds = Array.from(state, ([world, { resources }]): Plain[number] => [world, [...resources.all()]]);
  return worlds.length === 0 ? null : worlds;
}

export function toState(worlds: readonly [world: string, rows: Iterable<Row>][]): State {
  return worlds.map(([world, rows]) => {
    const collections = createCollections();
    applyRows(
      collections,
      Array.from(rows, (row) => ["resources", row.id, row] as const),
    );
    return [world, collections];
  });
}

interface TestOptions {
  maxBytes?: number;
  durability?: Durability;
  fresh?: boolean;
}

/** A world called `w` with records in `resources`, as a sandbox has its worlds. */
export async function openWorld(file: string, options: TestOptions = {}) {
  const log = new ActivityLog(options.maxBytes ?? 1 << 20);
  const opened = await openDataFile(file, { log, ...options });
  const { store, warnings } = opened;
  const state = toPlain(opened.state);
  const rows = new Map((state?.[0]?.[1] ?? []).map((row) => [row.id, row]));
  store.copyState = () => toState([["w", rows.values()]]);
  const change = (id: string, after: Row | null): Change => ({
    collection: "resources",
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
    state,
    warnings,
    rows,
    add: (id: string, pad?: string) => append([change(id, { id, ...(pad === undefined ? {} : { pad }) } as Row)]),
    replace: (removed: string, id: string, pad: string) =>
      append([change(id, { id, pad } as Row), ...(rows.has(removed) ? [change(removed, null)] : [])]),
    read: (id = "req-2") => log.append({ world: "w", kind: "request", id, at: "", wall: 0 }).seq,
    close: (isComplete = true) => store.close(isComplete),
  };
}
