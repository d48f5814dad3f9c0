// Stores what the log's entries change as records of the database.

import type { EntryStore } from "../../engine/log/compaction.ts";
import type { RowChange } from "../../engine/world/state/commit.ts";
import type { Collections } from "../../engine/world/state/schema.ts";
import { applyRows, copyCollections, rowsOf } from "../../engine/world/state/world.ts";
import type { WorldDraft } from "../../engine/world/state/worlds.ts";
import type { LogRecord } from "./log-records.ts";
import type { Making } from "./shared-worlds.ts";
import type { SharedStore } from "./store-interface.ts";

export class DatabaseEntries implements EntryStore {
  readonly #store: SharedStore;
  copyState: EntryStore["copyState"] = () => [];
  /** Whose a new world is. */
  findMaking: () => Making | undefined = () => undefined;

  constructor(store: SharedStore) {
    this.#store = store;
  }

  /** `original` are the records that a replaced world is copied from. Throws a StoreError, and then nothing is stored. */
  appendDraft(draft: WorldDraft, original?: Collections): void {
    const making = this.findMaking();
    const isNew =
      draft.kind === "state" && !draft.world.includes("@") && (draft.why === "created" || draft.why === "fork");
    if (isNew && making) this.#store.belongs(draft.world, making);
    this.#store.append(this.#toRecord(draft, original));
    // Once memory has the change too: a checkpoint without it would lose it.
    if (this.#store.due) queueMicrotask(() => this.#compact());
  }

  durable(world?: string): Promise<void> | undefined {
    return this.#store.durable(world);
  }

  whyUnusable(): string | undefined {
    return this.#store.whyUnusable();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #compact(): void {
    if (this.#store.due) this.#store.compact((only) => this.copyState(only)).catch(() => undefined);
  }

  /** Only named snapshots, and what is copied from another world, are references in the database. */
  #toRecord({ world, replaced, changes = [] }: WorldDraft, original: Collections | undefined): LogRecord {
    const rows = changes.map(({ collection, id, after }): RowChange => [collection, id, after]);
    if (replaced === "gone") return { drop: world };
    if (!replaced) return { commit: world, changes: rows };
    const { from } = replaced;
    const isReference = from !== null && !from.includes("@");
    if (isReference) return { clone: from, as: world, ...(rows.length > 0 ? { changes: rows } : {}) };
    const collections = copyCollections(original as Collections);
    applyRows(collections, rows);
    return { load: world, rows: [...rowsOf(collections)] };
  }
}
