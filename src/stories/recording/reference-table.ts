// Tracks the ids of a scenario. Ids that its own steps sent stay literal. Ids that first appeared in a response become references to the
// step of that response.
import type { Json, JsonObject } from "../../platform/json.ts";

/** Matches generated ids, codes and cursors, which may begin with a hyphen, but no dates, names, addresses or kinds. */
const MADE_ID = /^(?!\d{4}-\d\d|v1\.)(?=.*\d)[\w-][\w.~+/=-]{7,399}$/;

/** `begins` returns whether the fixture of a fresh world contains a text, which then needs no reference. */
export class ReferenceTable {
  readonly #references = new Map<string, string>();
  readonly #given = new Set<string>();
  readonly #begins: (text: string) => boolean;

  constructor(begins: (text: string) => boolean) {
    this.#begins = begins;
  }

  /** Replaces ids of earlier responses in an input by references. The other texts are recorded as sent by the scenario. */
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

  /** Returns the reference to an id from a response. */
  find(text: string): string | undefined {
    const way = this.#references.get(text);
    return way === undefined ? undefined : `\${${way}}`;
  }

  /** Returns an id in the form of an expectation; undefined if the scenario does not know it. */
  resolve(text: string): string | undefined {
    return this.find(text) ?? (this.#given.has(text) || this.#begins(text) ? escapeText(text) : undefined);
  }

  /** Records the ids in the response of a step, with their references. */
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

// The replacement is a function, because $$ in a replacement string means one $.
export const escapeText = (text: string): string => text.replaceAll("${", () => "$${");
