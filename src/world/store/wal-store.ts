// An open store: appends to the journal of the present generation, and folds the journals into a snapshot when asked. The
// order of the steps is what makes a crash harmless: new journal, last record of the old one, snapshot, rename, and only then are old
// journals removed.
import { dirname } from "node:path";
import { groupCommit } from "./group-commit.ts";
import type { LogRecord, StateDump } from "./log-records.ts";
import { numberedPath, removeNumbered } from "./numbered-files.ts";
import { syncFolder } from "./snapshot-file.ts";
import { mark } from "./snapshot-mark.ts";
import { FORMAT, hex, type Snapshot } from "./snapshot-text.ts";
import { write } from "./snapshots.ts";
import { StoreError } from "./store-error.ts";
import type { Durability, Store, View } from "./store-interface.ts";
import type { Journal } from "./wal-writer.ts";
import type { WorldIndex } from "./world-index.ts";

/** `written` is the generation of the snapshot in place; `older` are the bytes in the journals before this one. */
export type Start = { written: number; generation: number; journal: Journal; older: number };
type Means = { durability: Durability; index: WorldIndex; release: () => void };

/** A log smaller than this is never compacted for its size. */
const SMALL = 4 << 20;
/** Writing a snapshot costs its whole length, reading a journal delays the next start: so a small world's journal may be several times
 * the snapshot, and a large one's little longer than it. */
const patience = (snapshot: number) => Math.max(SMALL, Math.min(4 * snapshot, snapshot + 16 * SMALL));

export class WalStore implements Store {
  readonly #file: string;
  readonly #means: Means;
  readonly #synced: () => Promise<void>;
  #written: number;
  #generation: number;
  #older: number;
  #journal: Journal;
  #retired: Promise<void> = Promise.resolve();
  #compacting: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(file: string, { written, generation, journal, older }: Start, means: Means) {
    this.#file = file;
    this.#means = means;
    this.#written = written;
    this.#generation = generation;
    this.#older = older;
    this.#journal = journal;
    // Both are asked for at once: a journal that is retired a moment later still syncs for those who wait for it.
    this.#synced = groupCommit(async () => void (await Promise.all([this.#retired, this.#journal.sync()])));
  }

  append(record: LogRecord): void {
    this.#refuseWhenClosed();
    const before = this.#journal.length;
    this.#journal.append(record);
    this.#means.index.note(record, this.#generation, this.#journal.length - before);
  }

  settled(): Promise<void> {
    return this.#means.durability === "fsync" ? this.#synced() : Promise.resolve();
  }

  get due(): boolean {
    const grown = this.#older + this.#journal.length;
    return !this.#compacting && !this.#closing && grown > patience(this.#means.index.changedBytes);
  }

  async compact(view: View, all?: "all"): Promise<void> {
    this.#refuseWhenClosed();
    while (this.#compacting) await this.#compacting.catch(() => {});
    // Closed while it waited its turn: closing leaves the files whole, so there is nothing to do.
    if (this.#closing) return;
    this.#compacting = this.#fold(view, all === "all").finally(() => {
      this.#compacting = null;
    });
    return this.#compacting;
  }

  close(view?: View): Promise<void> {
    this.#closing ??= this.#end(view);
    return this.#closing;
  }

  async #fold(view: View, isAll: boolean): Promise<void> {
    const after = this.#rotate();
    const plan = isAll ? undefined : this.#means.index.plan(this.#generation);
    const state = plan ? only(plan.changed, view(plan.changed)) : view();
    // A snapshot says that its log is there: also after a power cut.
    await Promise.all([this.#journal.sync(), syncFolder(dirname(this.#file))]);
    const generation = this.#generation;
    const index = plan?.index;
    await this.#writeSnapshot({ format: FORMAT, generation, after, open: true, index, state, sizes: new Map() });
  }

  #rotate(): string {
    const old = this.#journal;
    const generation = this.#generation + 1;
    this.#journal = old.continueIn(numberedPath(this.#file, "journal", generation), generation);
    this.#generation = generation;
    this.#older = 0;
    this.#retired = this.#retire(old);
    this.#retired.catch(() => {});
    return hex(old.sum);
  }

  async #retire(old: Journal): Promise<void> {
    try {
      if (this.#means.durability === "fsync") await Promise.all([old.sync(), syncFolder(dirname(this.#file))]);
    } finally {
      await old.close();
    }
  }

  async #writeSnapshot(snapshot: Snapshot): Promise<void> {
    await write(this.#file, snapshot);
    this.#written = snapshot.generation;
    this.#means.index.wrote(snapshot);
    // Whatever came of the old journal, the snapshot now stands for it.
    await this.#retired.catch(() => {});
    this.#retired = Promise.resolve();
    await removeNumbered(this.#file, "journal", (generation) => generation < snapshot.generation);
    await removeNumbered(this.#file, "snapshot", (generation) => !this.#means.index.uses(generation));
  }

  async #end(view?: View): Promise<void> {
    try {
      while (this.#compacting) await this.#compacting.catch(() => {});
      await this.#lastOf(this.#journal, view !== undefined);
      if (!view) return;
      const isFolded = this.#written === this.#generation && this.#journal.isEmpty && this.#means.index.isOneFile;
      if (!isFolded || !(await mark(this.#file, false))) {
        const after = hex(this.#journal.sum);
        const [generation, state] = [this.#generation + 1, view()];
        await this.#writeSnapshot({ format: FORMAT, generation, after, open: false, state, sizes: new Map() });
      }
      await removeNumbered(this.#file, "journal", () => true);
    } finally {
      this.#means.release();
    }
  }

  /** Closes the last journal; before a snapshot replaces it, it must still be ours to replace. */
  async #lastOf(journal: Journal, replaced: boolean): Promise<void> {
    try {
      if (replaced) journal.check();
    } finally {
      await this.#retire(journal);
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closing) throw new StoreError(`${this.#file} is closed; open it again to write to it`);
  }
}

function* only(worlds: ReadonlySet<string>, state: StateDump): StateDump {
  for (const each of state) if (worlds.has(each[0])) yield each;
}
