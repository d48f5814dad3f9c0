// Builds a scenario: its steps, their unique names, and the references between them. Ids that its own steps sent stay literal. Ids that first
// appeared in a response become references to the step of that response.
import type { Json, JsonObject } from "../../platform/json.ts";
import type { DeliveryEntry, LogSlice, Message, RecordedStep } from "./log-slice.ts";

interface RequestedToken {
  client_id: string;
  scope: string;
  /** The name of the step. */
  step: string;
  /** The time on the world's clock at which the token expires, in milliseconds since the epoch. */
  expiresAt: number;
}

/** A running clock moves between any two requests. Moves shorter than this become no step. */
const MAX_IGNORED_MS = 60_000;

export class StoryBuilder {
  readonly slice: LogSlice;
  readonly references: ReferenceTable;
  readonly steps: RecordedStep[] = [];
  /** The steps that request a token of a key that is not the player's. */
  readonly tokens: RequestedToken[] = [];
  /** The messages so far, including those of the preparation. */
  readonly messages: Message[] = [];
  /** The first attempt of each delivery, by the id of the message. */
  readonly firstAttempts = new Map<string, DeliveryEntry[]>();
  readonly leftOut = new Map<string, number>();
  /** The time on the world's clock. */
  now: string;
  /** The paths at the player's receiver, by the URL of the subscription. */
  readonly receivers = new Map<string, string>();
  /** The current status that the player's receiver returns. */
  answer = 200;
  readonly #names = new Set<string>();

  constructor(slice: LogSlice) {
    this.slice = slice;
    this.references = new ReferenceTable(slice.begins);
    this.now = slice.beginning.clock;
    for (const entry of slice.entries) {
      if (entry.kind !== "delivery" || entry.attempt.number > 1) continue;
      const { message_id } = entry;
      this.firstAttempts.set(message_id, [...(this.firstAttempts.get(message_id) ?? []), entry]);
    }
  }

  /** Adds a step with a unique name, which it returns. */
  add(base: string, members: JsonObject): string {
    // References can't contain brackets or braces, so names must not either.
    const plain = base.replaceAll(/[${}[\]]/g, "");
    let name = plain;
    for (let number = 2; this.#names.has(name); number++) name = `${plain} ${number}`;
    this.#names.add(name);
    this.steps.push({ name, ...members });
    return name;
  }

  /** Moves the clock to the time of the recorded world, unless the difference is small. */
  moveClockTo(at: string): void {
    if (Date.parse(at) - Date.parse(this.now) >= MAX_IGNORED_MS) this.addMove(at, {});
  }

  addMove(to: string, members: JsonObject): string {
    const ms = Date.parse(to) - Date.parse(this.now);
    this.now = to;
    // A duration with fractions of a second would be hard to read.
    if (ms % 1000 !== 0) return this.add("the clock moves", { advance: to, ...members });
    const by = formatIsoDuration(ms / 1000);
    return this.add(`the clock moves by ${by}`, { advance: by, ...members });
  }

  /** Notes an omitted entry. Equal notes are counted. */
  leaveOut(sentence: string): void {
    this.leftOut.set(sentence, (this.leftOut.get(sentence) ?? 0) + 1);
  }
}

/** Formats a duration in which days have 24 hours, like those of the clock. */
function formatIsoDuration(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  const time = [hours && `${hours}H`, minutes && `${minutes}M`, seconds % 60 && `${seconds % 60}S`]
    .filter(Boolean)
    .join("");
  return `P${days ? `${days}D` : ""}${time === "" ? "" : `T${time}`}`;
}

/** Converts `createBooking` to `create booking`. */
export const toWords = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

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
