// What a data file and its journals say together, after a clean stop or a crash. Everything is read before anything is
// touched: a damaged file is refused and stays as it is, byte for byte.
import { stat } from "node:fs/promises";
import { type StateDump, Worlds } from "./log-records.ts";
import { generationsOf, numberedPath } from "./numbered-files.ts";
import { missing, refusal, warnings } from "./recover-words.ts";
import type { Snapshot } from "./snapshot-text.ts";
import { explain } from "./store-error.ts";
import { Damage, headLength, type Place, type Replayed, replay } from "./wal-reader.ts";
import type { WorldIndex } from "./world-index.ts";

export type Recovered = {
  state: StateDump | null;
  warnings: string[];
  /** The last journal, and where it goes on; null when there is none. */
  last: { generation: number; place: Place } | null;
  /** Bytes in the journals before that one. */
  older: number;
  /** Whether the files can be gone on with as they are. */
  sound: boolean;
};

const journalPath = (file: string, generation: number) => numberedPath(file, "journal", generation);

/** Snapshot and logs, put together; changes nothing on the disk. Every record is noted in the index. */
export async function recover(file: string, snapshot: Snapshot | null, index: WorldIndex): Promise<Recovered | null> {
  const journals = await generationsOf(file, "journal");
  const newest = journals.at(-1);
  if (!snapshot) {
    if (newest === undefined) return null;
    throw missing.snapshot(file, journalPath(file, newest));
  }
  const reading = new Reading(file, snapshot, index, await journalsBehind(file, snapshot, journals));
  await reading.read();
  return reading.result;
}

type LogFiles = { all: readonly number[]; begun: readonly number[] };

/** The journals of a snapshot, and those of them that hold a commit. */
async function journalsBehind(file: string, { generation, after, open }: Snapshot, found: number[]): Promise<LogFiles> {
  const live = found.filter((each) => each >= generation);
  if (after === null) return { all: live, begun: live };
  const begun: number[] = [];
  for (const each of live) if ((await stat(journalPath(file, each))).size > headLength(each)) begun.push(each);
  // A kill may have come before the data file said that the first journal is there, and when that was half written.
  return { all: open ? live : begun, begun };
}

class Reading {
  readonly #file: string;
  readonly #snapshot: Snapshot;
  readonly #index: WorldIndex;
  readonly #journals: LogFiles;
  readonly #worlds: Worlds;
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
    this.#worlds = new Worlds(snapshot.worlds ?? new Map());
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
      // Who says that no journal belongs to a data file takes what can still be read.
      const isOurs = this.#snapshot.after !== null;
      if (this.#snapshot.open || !isOurs) throw refusal(this.#file, path, error, isOurs);
      this.#warnings.push(warnings.leftOut(path, error));
      this.#sound = false;
    }
  }

  /** Reads one journal; answers whether another one goes on where it ends. */
  async #one(generation: number): Promise<boolean> {
    const path = journalPath(this.#file, generation);
    // One that holds nothing may have been made before a kill, when this one was not ended yet.
    const later = this.#journals.begun.find((each) => each > generation);
    if (!this.#journals.all.includes(generation)) return this.#without(generation, later);
    const found = await replay(path, this.#chain(generation), (record, bytes) => {
      this.#records += 1;
      this.#worlds.apply(record);
      this.#index.note(record, generation, bytes);
    });
    this.#older += this.#last?.place.length ?? 0;
    this.#last = { generation, place: found.place };
    if (found.full || (this.#snapshot.after === null && later !== undefined)) return this.#full(found);
    if (later !== undefined)
      throw new Damage(
        `is damaged: its end is missing, and ${journalPath(this.#file, later)} goes on behind it`,
        found.place,
      );
    if (found.torn > 0) this.#warnings.push(warnings.torn(path, found.torn));
    else if (found.cut) this.#warnings.push(warnings.cut(path, found.place));
    return false;
  }

  #without(generation: number, later: number | undefined): false {
    const path = journalPath(this.#file, generation);
    if (later !== undefined) throw missing.before(path, journalPath(this.#file, later));
    if (this.#last) throw new Damage("is missing", this.#last.place);
    if (this.#snapshot.open) throw new Damage("is missing", { length: 0, records: 0, sum: 0 });
    return false;
  }

  #chain(generation: number) {
    if (this.#snapshot.after === null) return null;
    return { generation, sum: this.#last?.place.sum ?? Number.parseInt(this.#snapshot.after, 16) };
  }

  #full({ torn, place }: Replayed): true {
    if (torn > 0) throw new Damage("is damaged: its end is torn off", place);
    return true;
  }
}
