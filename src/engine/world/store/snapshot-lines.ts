// Reads a snapshot line by line, and names the first line that is wrong. A comma too many or too few at the end of a line is
// accepted, since people edit these files; nothing else is.
import { type Row, type StoredWorld, stateOf } from "./log-records.ts";
import { Misread, readFirstLine, readLastLine, type Snapshot } from "./snapshot-frame.ts";
import { isRow } from "./snapshot-text.ts";

const NEWLINE = 10;

/** Takes the lines in their order; `end` returns the snapshot. */
export class SnapshotReader {
  readonly #worlds = new Map<string, StoredWorld>();
  readonly #sizes = new Map<string, number>();
  #world: StoredWorld = new Map();
  #worldId = "";
  #collection: Map<string, Row> = new Map();
  #depth: "start" | "worlds" | "world" | "collection" | "end" = "start";
  #first: ReturnType<typeof readFirstLine>;
  #last: ReturnType<typeof readLastLine>;
  #number = 0;
  #length = 0;
  #worldStart = 0;

  /** A block of whole lines. Blocks come in order, each ending at the end of a line. */
  take(block: Buffer): void {
    for (let from = 0; from < block.length; ) {
      const newline = block.indexOf(NEWLINE, from);
      const to = newline < 0 ? block.length : newline;
      this.#line(block.toString("utf8", from, to), from);
      from = to + 1;
    }
    this.#length += block.length;
  }

  /** One line, which begins so many bytes behind the start of its block. */
  #line(line: string, at: number): void {
    this.#number += 1;
    if (this.#depth === "collection" && line.startsWith('"')) this.#row(line);
    else if (this.#depth === "start") this.#start(line);
    else if (this.#depth === "worlds") this.#worldOrEnd(line, this.#length + at);
    else if (this.#depth === "end") throw this.#error("is behind the end of the document");
    else if (line === "}" || line === "},") this.#close(this.#length + at);
    else if (this.#depth === "world") {
      this.#collection = this.#open(this.#world, line, new Map());
      this.#depth = "collection";
    } else throw this.#error("is not a record");
  }

  /** All lines have been given. Throws Misread where the document did not end. */
  end(): Snapshot & { checksum: string | null } {
    if (this.#number === 0) throw new Misread("it is empty", 0, true);
    if (!this.#first || !this.#last) throw this.#error("is the last one, the rest is missing");
    const worlds = this.#worlds;
    return { ...this.#first, ...this.#last, state: stateOf(worlds), worlds, sizes: this.#sizes };
  }

  notText(): Misread {
    return new Misread(`the text after line ${this.#number} is not UTF-8`);
  }

  #start(line: string): void {
    this.#first = readFirstLine(line);
    if (!this.#first) throw this.#error("does not begin a data file");
    this.#depth = "worlds";
  }

  #worldOrEnd(line: string, start: number): void {
    if (line.startsWith("}")) {
      this.#last = readLastLine(line);
      if (!this.#last) throw this.#error("is not the end of a data file");
      this.#depth = "end";
      return;
    }
    this.#world = this.#open(this.#worlds, line, new Map());
    this.#worldId = this.#key(line).text;
    this.#worldStart = start;
    this.#depth = "world";
  }

  #close(end: number): void {
    if (this.#depth === "world") this.#sizes.set(this.#worldId, end - this.#worldStart);
    this.#depth = this.#depth === "collection" ? "world" : "worlds";
  }

  /** Into the map under the line's name, which may be there only once. */
  #open<V>(into: Map<string, V>, line: string, made: V): V {
    const name = this.#key(line);
    if (line.slice(name.end) !== ":{") throw this.#error("does not open a world or a collection");
    if (into.has(name.text)) throw this.#error(`names ${name.text} for the second time`, true);
    into.set(name.text, made);
    return made;
  }

  #row(line: string): void {
    const { text: id, end } = this.#key(line);
    const value = this.#parse(line.slice(end + 1, line.endsWith(",") ? -1 : undefined), id);
    if (line[end] !== ":" || !isRow(value, id))
      throw this.#error(`${this.#named(id)}is not a record with the id ${id}`);
    if (this.#collection.has(id)) throw this.#error(`${this.#named(id)}is there for the second time`, true);
    this.#collection.set(id, value);
  }

  #key(line: string): { text: string; end: number } {
    let end = line.indexOf('"', 1) + 1;
    // The first quote ends the key, unless the key holds an escape.
    if (line.slice(0, end).includes("\\")) end = /^"(?:[^"\\]|\\.)*"/.exec(line)?.[0].length ?? 0;
    const text = this.#parse(line.slice(0, end));
    if (typeof text !== "string") throw this.#error("does not begin with a name");
    return { text, end };
  }

  /** Which record a line is, for those who look for it. */
  #named(id: string): string {
    return `(${[...this.#world.keys()].at(-1)} ${id} of world ${this.#worldId}) `;
  }

  #parse(text: string, id?: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.#error(`${id === undefined ? "" : this.#named(id)}is not JSON`);
    }
  }

  #error(why: string, final = false): Misread {
    return new Misread(`line ${this.#number} ${why}`, this.#number, final);
  }
}
