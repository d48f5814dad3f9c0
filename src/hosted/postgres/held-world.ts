// What a node knows of a world that it owns: under which epoch, up to which record, and how long its rows are in the database.

export interface HeldWorld {
  readonly id: string;
  /** 0 until the world itself is written. */
  epoch: number;
  /** The number of its last record, queued or written; it only grows. */
  seq: number;
  /** The number of its last record that is written. */
  written: number;
  /** Bytes of the commits since the checkpoint, of the checkpoint, and of the named snapshots. */
  commits: number;
  checkpoint: number;
  named: number;
  /** What next_due_at is in the database. */
  due: number | undefined;
  /** It is being released: nothing is added any more. With what was due in it then. */
  closing: { due: number | undefined } | undefined;
}

/** A world that has nothing yet, with what is known laid over it. */
export const heldWorld = (id: string, known: Partial<HeldWorld> = {}): HeldWorld => ({
  ...{ id, epoch: 0, seq: 0, written: 0, commits: 0, checkpoint: 0, named: 0, due: undefined, closing: undefined },
  ...known,
});

/** Bytes as they are stored, for quotas and lists. */
export const bytesOf = ({ commits, checkpoint, named }: HeldWorld): number => commits + checkpoint + named;

/** Commits are worth a checkpoint when they are longer than this, and so many times as long as the compressed checkpoint. */
const LONG = 1 << 20;
const TIMES = 20;

/** Whether a checkpoint is worth its cost now; one that is being released gets its own. */
export const isLong = ({ commits, checkpoint, closing }: HeldWorld): boolean =>
  !closing && commits > Math.max(LONG, TIMES * checkpoint);
