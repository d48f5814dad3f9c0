// Which ids a story knows: those that its own steps gave, which stay as they are, and those that responses of the sandbox brought up
// first, which later steps name by reference.
import type { Json, JsonObject } from "../../platform/json.ts";

/** Made by a machine: ids, codes, cursors, one in 64 of which begins with a hyphen. No date, no name, no address, no kind. */
const MADE_ID = /^(?!\d{4}-\d\d|v1\.)(?=.*\d)[\w-][\w.~+/=-]{7,399}$/;

/** `begins` says whether a fresh world has a text from its fixture; such a text needs no reference. */
export class ReferenceTable {
  readonly #references = new Map<string, string>();
  readonly #given = new Set<string>();
  readonly #begins: (text: string) => boolean;

  constructor(begins: (text: string) => boolean) {
    this.#begins = begins;
  }

  /** An input as a step writes it: references stand for what earlier responses brought up. What is left is the story's own. */
  withReferences(input: Json): Json {
    if (typeof input === "string") return this.find(input) ?? this.#own(input);
    if (Array.isArray(input)) return input.map((each) => this.withReferences(each));
    if (input === null || typeof input !== "object") return input;
    return Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, this.withReferences(value)]),
    ) as JsonObject;
  }

  #own(text: string): string {
    this.#given.add(text);
    return escapeText(text);
  }

  /** What stands for an id that a response brought up. */
  find(text: string): string | undefined {
    const way = this.#references.get(text);
    return way === undefined ? undefined : `\${${way}}`;
  }

  /** An id as an expectation writes it; undefined when the story does not know it. */
  resolve(text: string): string | undefined {
    return this.find(text) ?? (this.#given.has(text) || this.#begins(text) ? escapeText(text) : undefined);
  }

  /** What the response of a step brings up, as references name it. */
  learn(value: Json, way: string): void {
    if (typeof value === "string") {
      const isNew =
        MADE_ID.test(value) && !this.#given.has(value) && !this.#references.has(value) && !this.#begins(value);
      if (isNew) this.#references.set(value, way);
    } else if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) this.learn(each, `${way}[${index}]`);
    } else if (value !== null && typeof value === "object") {
      for (const [name, each] of Object.entries(value)) if (/^[\w-]+$/.test(name)) this.learn(each, `${way}.${name}`);
    }
  }
}

// By a function: in a replacement text, $$ would stand for one $.
export const escapeText = (text: string): string => text.replaceAll("${", () => "$${");
