// The latest entries of one kind in one world, bounded in number and bytes. Each has a place that never changes, so that a reader who
// comes back knows how many it has missed.
import { firstIndex } from "../../platform/first-index.ts";
import type { LogEntry, LogPositions } from "./log-types.ts";

export interface LogLimits {
  entries: number;
  bytes: number;
}

/** So many strides of dropped entries are remembered, for readers who come back late. */
const STRIDES = 200;

export class LogRing implements LogPositions {
  readonly #limits: LogLimits;
  #entries: LogEntry[] = [];
  /** The newest of each id. */
  readonly #byId = new Map<string, LogEntry>();
  /** Oldest first, by a record that facts of theirs are about; made when somebody asks. */
  #byRecord: Map<string, LogEntry[]> | undefined;
  #bytes = 0;
  /** The place of the first entry that is there. */
  #first = 0;
  /** The place of the first entry since the log began anew. */
  #began = 0;
  #droppedSeq = 0;
  #strides: { seq: number; position: number }[] = [];

  constructor(limits: LogLimits) {
    this.#limits = limits;
  }

  /** The entries that are there, oldest first. */
  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  /** The place of the next entry. */
  get next(): number {
    return this.#first + this.#entries.length;
  }

  get first(): number {
    return this.#first;
  }

  /** The `seq` of the last entry that is gone. */
  get droppedSeq(): number {
    return this.#droppedSeq;
  }

  /** How many entries it had to drop since the log began anew. */
  get dropped(): number {
    return this.#first - this.#began;
  }

  /** Undefined for one that is gone or yet to come. */
  at(position: number): LogEntry | undefined {
    return this.#entries[position - this.#first];
  }

  find(id: string): LogEntry | undefined {
    return this.#byId.get(id);
  }

  /** The entries that have a fact of this record, oldest first. */
  about(record: string): readonly LogEntry[] {
    if (!this.#byRecord) {
      this.#byRecord = new Map();
      for (const entry of this.#entries) file(this.#byRecord, entry);
    }
    return this.#byRecord.get(record) ?? [];
  }

  /** Sizes are bounds on average: a quarter more is kept for a while. */
  add(entry: LogEntry): void {
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    if (this.#byRecord) file(this.#byRecord, entry);
    this.#bytes += entry.bytes;
    const { entries: most, bytes: mostBytes } = this.#limits;
    if (this.#entries.length <= most * 1.25 && this.#bytes <= mostBytes) return;
    // In strides, so that the cost of shifting is spread over many entries. The newest stays, however large.
    let count = Math.max(0, this.#entries.length - most);
    let bytes = this.#entries.slice(0, count).reduce((sum, each) => sum + each.bytes, 0);
    // Further down than the bound, so that the next entry does not drop again.
    while (this.#bytes - bytes > mostBytes * 0.75 && count < this.#entries.length - 1)
      bytes += this.#entries[count++]?.bytes ?? 0;
    this.#drop(count, bytes);
  }

  /** The world has another past now: its log begins anew, and that is no loss. */
  clear(): void {
    this.#drop(this.#entries.length, this.#bytes);
    this.#began = this.#first;
  }

  /** The place of the first entry after this `seq`; of one that is gone, as near as it is known. */
  positionAfter(seq: number): number {
    if (seq < this.#droppedSeq) return this.#strides.findLast((stride) => stride.seq <= seq)?.position ?? this.#oldest;
    // Numbers rise with the position.
    return this.#first + firstIndex(this.#entries.length, (index) => (this.#entries[index]?.seq ?? 0) <= seq);
  }

  get #oldest(): number {
    return this.#strides.length < STRIDES ? 0 : (this.#strides[0]?.position ?? 0);
  }

  #drop(count: number, bytes: number): void {
    if (count === 0) return;
    this.#droppedSeq = this.#entries[count - 1]?.seq ?? this.#droppedSeq;
    for (const entry of this.#entries.splice(0, count)) {
      // A later entry may have the same id: an attempt of the same delivery.
      if (this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id);
      if (this.#byRecord) takeOut(this.#byRecord, entry);
    }
    this.#bytes -= bytes;
    this.#first += count;
    this.#strides.push({ seq: this.#droppedSeq, position: this.#first });
    if (this.#strides.length > STRIDES) this.#strides.shift();
  }
}

const recordsOf = ({ facts }: LogEntry): Set<string> => new Set(facts.map(({ id }) => id));

function file(index: Map<string, LogEntry[]>, entry: LogEntry): void {
  for (const record of recordsOf(entry)) {
    const entries = index.get(record);
    if (entries) entries.push(entry);
    else index.set(record, [entry]);
  }
}

/** The oldest goes first. */
function takeOut(index: Map<string, LogEntry[]>, entry: LogEntry): void {
  for (const record of recordsOf(entry)) {
    const entries = index.get(record);
    entries?.shift();
    if (entries?.length === 0) index.delete(record);
  }
}
