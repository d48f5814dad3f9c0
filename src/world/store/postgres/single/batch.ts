// The unit of writing: what is added while one batch is written goes into the next.
import type { LogRecord } from "../../log-records.ts";

/** Records that are written together, or not at all. */
export class Batch {
  readonly records: LogRecord[] = [];
  readonly done: Promise<void>;
  end!: () => void;
  fail!: (reason: unknown) => void;
  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
    // Nobody may be waiting.
    this.done.catch(() => undefined);
  }
}
