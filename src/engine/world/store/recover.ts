// Recovery: reads the snapshot and replays its logs, after a clean stop or a crash. Everything is read before anything is changed: a
// damaged file is refused and stays as it is, byte for byte.
import { stat } from "node:fs/promises";
import { type LogRecord, type StateDump, WorldStates } from "./log-records.ts";
import { generationsOf, numberedPath } from "./numbered-files.ts";
import { missing, rejectionText, warnings } from "./recover-words.ts";
import type { Snapshot } from "./snapshot-frame.ts";
import { explain } from "./store-error.ts";
import { Damage, headLength, type Replayed, replay, type WalPosition } from "./wal-reader.ts";
import type { WorldIndex } from "./world-index.ts";

export type Recovered = {
  state: StateDump | null;
  warnings: string[];
  /** The last log, and where it ends; null when there is none. */
  last: { generation: number; end: WalPosition } | null;
  /** Bytes in the logs before that one. */
  older: number;
  /** Whether the store can use the files as they are. */
  sound: boolean;
};

const journalPath = (file: string, generation: number) => numberedPath(file, "journal", generation);

/**
 * Snapshot and logs, put together; changes nothing on the disk. Every record is noted in the index.
 */
export async function recover(file: string, snapshot: Snapshot | null, index: WorldIndex): Promise<Recovered | null> {
  const journals = await generationsOf(file, "journal");
  const newest = journals.at(-1);
  if (!snapshot) {
    const beside = (await generationsOf(file, "snapshot")).map((each) => numberedPath(file, "snapshot", each));
    if (newest !== undefined) beside.push(journalPath(file, newest));
    // No file of ours at all: a new store.
    if (beside[0] === undefined) return null;
    throw missing.dataFile(file, beside[0]);
  }
  const reading = new LogRecovery(file, snapshot, index, await logsAfter(file, snapshot, journals));
  await reading.read();
  return reading.result;
}

type LogFiles = { all: readonly number[]; begun: readonly number[] };

/** The logs that follow a snapshot, and those of them that hold a commit. */
async function logsAfter(file: string, { generation, after, open }: Snapshot, found: number[]): Promise<LogFiles> {
  const live = found.filter((each) => each >= generation);
  // A data file of format 1 names no log, so every one counts.
  if (after === null) return { all: live, begun: live };
  const begun: number[] = [];
  // A log that is as long as its head has no commit.
  for (const each of live) if ((await stat(journalPath(file, each))).size > headLength(each)) begun.push(each);
  // The process may have been killed before it marked the data file, when the first log was half written.
  return { all: open ? live : begun, begun };
}

/** Reads one log after another, as far as each names the next. */
class LogRecovery {
  readonly #file: string;
  readonly #snapshot: Snapshot;
  readonly #index: WorldIndex;
  readonly #journals: LogFiles;
  readonly #worlds: WorldStates;
  readonly #warnings: string[] = [];
  #last: Recovered["last"] = null;
  #older = 0;
  #records = 0;
  #sound: boolean;

  constructor(file: string, snapshot: Snapshot, index: WorldIndex, journals: LogFiles) {
    this.#file = file;
    this.#snapshot = snapshot;
    this.#index = index;
    this.#journals = journals;
    this.#worlds = new WorldStates(snapshot.worlds ?? new Map());
    // One of format 1 is written anew before it is used.
    this.#sound = snapshot.after !== null;
  }

  get result(): Recovered {
    const state = this.#worlds.size === 0 && this.#records === 0 ? null : this.#worlds.state;
    return { state, warnings: this.#warnings, last: this.#last, older: this.#older, sound: this.#sound };
  }

  async read(): Promise<void> {
    let { generation } = this.#snapshot;
    try {
      while (await this.#one(generation)) generation += 1;
    } catch (error) {
      const path = journalPath(this.#file, generation);
      if (!(error instanceof Damage)) throw explain(`Cannot read ${path}`, error);
      // A data file that says that no log belongs to it is opened with what can still be read.
      const isOurs = this.#snapshot.after !== null;
      if (this.#snapshot.open || !isOurs) throw rejectionText(this.#file, path, error, isOurs);
      this.#warnings.push(warnings.leftOut(path, error));
      this.#sound = false;
    }
  }

  /** Replays one log; returns whether another one continues where it ends. */
  async #one(generation: number): Promise<boolean> {
    const path = journalPath(this.#file, generation);
    // A log without commits may have been made just before a kill, when this one had no last record yet.
    const later = this.#journals.begun.find((each) => each > generation);
    if (!this.#journals.all.includes(generation)) return this.#without(generation, later);
    const apply = (record: LogRecord, length: number) => {
      this.#records += 1;
      this.#worlds.apply(record);
      this.#index.note(record, generation, length);
    };
    const found = await replay(path, this.#chain(generation), apply);
    // The one before is an older one now.
    this.#older += this.#last?.end.length ?? 0;
    this.#last = { generation, end: found.end };
    if (found.full || (this.#snapshot.after === null && later !== undefined)) return this.#full(found);
    if (later !== undefined)
      throw new Damage(
        `is damaged: its end is missing, and ${journalPath(this.#file, later)} goes on behind it`,
        found.end,
      );
    if (found.torn > 0) this.#warnings.push(warnings.torn(path, found.torn));
    else if (found.cut) this.#warnings.push(warnings.cut(path, found.end));
    return false;
  }

  /** The log of this generation is missing: right where none was begun, else damage. */
  #without(generation: number, later: number | undefined): false {
    if (later !== undefined) throw missing.before(this.#file, generation, later);
    if (this.#last) throw new Damage("is missing", this.#last.end);
    if (this.#snapshot.open) throw new Damage("is missing", { length: 0, records: 0, sum: 0 });
    return false;
  }

  /** What the first record of a log must continue, so that a log of another store is noticed. */
  #chain(generation: number) {
    if (this.#snapshot.after === null) return null;
    return { generation, sum: this.#last?.end.sum ?? Number.parseInt(this.#snapshot.after, 16) };
  }

  #full({ torn, end }: Replayed): true {
    if (torn > 0) throw new Damage("is damaged: its end is torn off", end);
    return true;
  }
}
