// Finds the values of a long JSON text without parsing it as a whole: the members of an object, the items of a list, each as the
// position where its text stands.

import { COLON, COMMA, isBlank, TOO_DEEP, valueEnd } from "../../platform/json-text.ts";
import type { TextAt } from "../world/state/collection.ts";

const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Bytes: a search for a text looks through a whole block first, in one go. */
const BLOCK = 1 << 20;

/** How the syntax of a body is read and refused. */
export interface Syntax {
  /** Of a value that is not nested deeper. */
  parse(text: string): unknown;
  reject(why: string): never;
  /** The levels that a value may have, and what refuses more. */
  deepest?: number;
  rejectDeep?(): never;
}

export const plainSyntax: Syntax = {
  parse: (text) => JSON.parse(text),
  reject(why) {
    throw new SyntaxError(why);
  },
};

export class DocumentScan {
  readonly #bytes: Buffer;
  readonly #syntax: Syntax;
  #at = 0;
  /** Where the last value began. */
  #from = 0;
  #block: Buffer = Buffer.alloc(0);
  #blockAt = 0;

  constructor(bytes: Buffer, syntax: Syntax) {
    this.#bytes = bytes;
    this.#syntax = syntax;
  }

  get isList(): boolean {
    return this.#next() === OPEN_LIST;
  }

  get isObject(): boolean {
    return this.#next() === OPEN_OBJECT;
  }

  /**
   * Stands at the value of each member in turn, which has to be taken. Names come as they stand in the text, in quotes.
   */
  *members(): Generator<string> {
    for (const _ of this.#parts(CLOSE_OBJECT)) {
      const name = this.value();
      if (!name.startsWith('"') || this.#next() !== COLON) this.#broken();
      this.#at += 1;
      yield name;
    }
  }

  /** Stands at each item in turn, which has to be taken. */
  items(): Generator<void> {
    return this.#parts(CLOSE_LIST);
  }

  /** The text of the value, behind which it stands then; and where it is, in a block of its bytes. */
  valueAt(): TextAt {
    const text = this.value();
    const [from, to] = [this.#from, this.#at];
    if (from < this.#blockAt || to > this.#blockAt + this.#block.length) {
      this.#block = this.#bytes.subarray(from, Math.max(to, from + BLOCK));
      this.#blockAt = from;
    }
    return { text, block: this.#block, from: from - this.#blockAt, to: to - this.#blockAt };
  }

  /** The text of the value, behind which it stands then. */
  value(): string {
    this.#next();
    const from = this.#at;
    this.#from = from;
    this.#at = valueEnd(this.#bytes, from, this.#bytes.length, this.#syntax.deepest);
    if (this.#at === TOO_DEEP) this.#syntax.rejectDeep?.();
    if (this.#at === from) this.#broken();
    return this.#bytes.toString("utf8", from, this.#at);
  }

  /** Nothing may stand behind the document. */
  end(): void {
    if (this.#next() !== undefined) this.#broken();
  }

  /** What stands between commas, until the closing bracket. */
  *#parts(close: number): Generator<void> {
    this.#at += 1;
    if (this.#next() === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      // Whoever asks takes the value, and moves the position on.
      yield;
      const byte = this.#next();
      this.#at += 1;
      if (byte === close) return;
      if (byte !== COMMA) this.#broken();
    }
  }

  /** The next byte that is no blank; undefined at the end. */
  #next(): number | undefined {
    while (isBlank(this.#bytes[this.#at])) this.#at += 1;
    return this.#bytes[this.#at];
  }

  #broken(): never {
    const found = this.#at < this.#bytes.length ? `at byte ${this.#at + 1} stands something else` : "it ends too early";
    return this.#syntax.reject(found);
  }
}
