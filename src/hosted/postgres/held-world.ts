// A world that this node owns: the epoch, the last entry, and the size of its rows in the database.

export class HeldWorld {
  readonly id: string;
  /** The number of this ownership; 0 until the world is written. */
  epoch = 0;
  /** The last entry that changed the world, queued or written. */
  seq = 0;
  /** The last entry that changed the world and is written. */
  written = 0;
  /** The entry with which the world began on this node; 0 if it began elsewhere. */
  began = 0;
  /** The bytes of the rows since the snapshot, of the snapshot, and of the named snapshots. */
  rows = 0;
  snapshot = 0;
  named = 0;
  /** The value of next_due_at in the database, in ms. */
  due: number | undefined;
  /** The world is being released, so no entry is added. `due`: next_due_at from then on. */
  closing: { due: number | undefined } | undefined;
  /** Whether a snapshot is being made. */
  isPacking = false;
  /** Requests that have changed the world and have not ended. */
  readonly causes = new Set<string>();

  constructor(id: string, known: Partial<HeldWorld> = {}) {
    this.id = id;
    Object.assign(this, known);
  }

  /** Bytes as they are stored. */
  get bytes(): number {
    return this.rows + this.snapshot + this.named;
  }

  /** Whether a snapshot is worth its cost. It shortens what the next owner has to read. */
  isLong(min: number, times: number): boolean {
    return !this.isPacking && this.rows > Math.max(min, times * this.snapshot);
  }
}
