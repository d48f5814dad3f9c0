// The entries of the log as the bytes of server-sent events: made once for all readers of one view. The latest are kept, since hundreds
// of readers may be served over many turns.
import type { HistoryPort, LogEntry, LogView } from "../../app/application.ts";
import { fromMillis } from "../../domain/kernel/instant.ts";

/** Bytes. */
const MOST_RETAINED = 8 * 1024 * 1024;

/** Entries never change once they are in the log, so neither do their texts. */
export class StreamTexts {
  readonly #log: Pick<HistoryPort["log"], "show">;
  /** By `seq`: an entry may refer to a world that has been replaced since, and would keep it in memory. */
  readonly #retained = new Map<number, Partial<Record<LogView, Buffer>>>();
  #bytes = 0;

  constructor(log: Pick<HistoryPort["log"], "show">) {
    this.#log = log;
  }

  of(entry: LogEntry, view: LogView): Buffer {
    const known = this.#retained.get(entry.seq);
    const found = known?.[view];
    if (found) return found;
    const made = Buffer.from(entry.kind === "fact" ? factsOf(entry) : this.#eventOf(entry, view));
    this.#retained.set(entry.seq, { ...known, [view]: made });
    this.#bytes += made.length;
    this.#makeRoom();
    return made;
  }

  #eventOf(entry: LogEntry, view: LogView): string {
    return eventOf(entry.kind, this.#log.show(entry, view), entry.seq);
  }

  /** The oldest go first; the latest stays, however long. */
  #makeRoom(): void {
    for (const [seq, views] of this.#retained) {
      if (this.#bytes <= MOST_RETAINED || this.#retained.size === 1) return;
      this.#retained.delete(seq);
      for (const { length } of Object.values(views)) this.#bytes -= length;
    }
  }
}

/** One server-sent event. JSON has no line breaks, so the data is one line. */
export function eventOf(event: string, data: object, id?: number): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`;
}

/** Only the last one has an id: a reader that is cut off among them gets them all again. */
function factsOf(entry: LogEntry): string {
  const { seq, at, wall, world, facts } = entry;
  const whose = { seq, at, wall_at: fromMillis(wall), world, ...entry.show("full", []) };
  return facts
    .map((fact, index) => eventOf("fact", { ...whose, ...fact }, index === facts.length - 1 ? seq : undefined))
    .join("");
}
