// What a node knows of a world that it owns: under which epoch, up to which entry, and how long its rows are in the database.

export class HeldWorld {
  readonly id: string;
  /** 0 until the world itself is written. */
  epoch = 0;
  /** The last entry that changed it, queued or written. */
  seq = 0;
  /** The last entry that changed it and is written. */
  written = 0;
  /** The entry with which it began on this node, if it did. */
  began = 0;
  /** Bytes of the rows since the snapshot, of the snapshot, and of the named snapshots. */
  rows = 0;
  snapshot = 0;
  named = 0;
  /** What next_due_at is in the database. */
  due: number | undefined;
  /** It is being released, and nothing is added any more; with what was due in it then. */
  closing: { due: number | undefined } | undefined;
  /** A snapshot of it is being made. */
  isPacking = false;
  /** Requests that have changed it, and have not ended. */
  readonly causes = new Set<string>();

  constructor(id: string, known: Partial<HeldWorld> = {}) {
    this.id = id;
    Object.assign(this, known);
  }

  /** Bytes as they are stored, for quotas and lists. */
  get bytes(): number {
    return this.rows + this.snapshot + this.named;
  }

  /** Whether a snapshot is worth its cost, so that the next node that opens the world has less to read. */
  isLong(min: number, times: number): boolean {
    return !this.isPacking && this.rows > Math.max(min, times * this.snapshot);
  }
}
