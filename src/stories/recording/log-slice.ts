// What a recording is made from: a slice of the log of one world, as the control API shows its entries, with what the world was made
// of. Nothing here asks a sandbox, so that everybody who has the entries can make a scenario of them.
import type { Json, JsonObject } from "../../platform/json.ts";

interface Fact {
  fact: string;
  id: string;
}

interface Logged {
  seq: number;
  id: string;
  at: string;
}

export interface RequestEntry extends Logged {
  kind: "request";
  method: string;
  path: string;
  operation: string | null;
  status: number | null;
  client_id: string | null;
  user_agent?: string;
  facts: readonly Fact[];
  messages: readonly string[];
  /** Of the token; null without a good one. */
  scopes?: readonly string[] | null;
  /** The faults that took effect, as they were armed. */
  faults: readonly { fault?: JsonObject }[];
  request: { headers: Readonly<Record<string, unknown>>; query: Readonly<Record<string, unknown>>; body: Json };
  answer: { body: Json } | null;
}

export interface ActEntry extends Logged {
  kind: "act";
  act: string;
  input: Json;
  result: Json;
  status: "done" | "refused";
  code: string | null;
  facts: readonly Fact[];
  messages: readonly string[];
}

export interface ClockEntry extends Logged {
  kind: "clock";
  from: string;
  to: string;
  happened: number;
  receipt: readonly { at: string; what: string; id: string; facts: readonly Fact[] }[];
  messages: readonly string[];
}

export interface DeliveryEntry extends Logged {
  kind: "delivery";
  attempt: { at: string; status: number | null };
}

export interface WorldEntry extends Logged {
  kind: "world";
  change: string;
  detail: JsonObject;
}

/** Assumptions were answered otherwise: `set` by id, `before` as they were. */
export type FlipEntry = WorldEntry;

export const isFlip = (entry: Entry): entry is FlipEntry => entry.kind === "world" && entry.change === "assume";

export type Entry = RequestEntry | ActEntry | ClockEntry | DeliveryEntry | WorldEntry;

/** The commits of an entry: the numbers of the first and of the last. */
export interface CommitSpan {
  first: number;
  last: number;
}

/** A webhook message. */
export interface Message {
  id: string;
  kind: string;
  /** By the world's clock. */
  at: string;
  payload: JsonObject;
}

/** An operation of the service, as its document describes it. */
export interface RecordedOperation {
  id: string;
  path: string;
  parameters: readonly { name: string; in: string; required: boolean }[];
  body: "json" | "form" | undefined;
}

/** How the world began, as the head of a scenario says it. */
export interface Beginning {
  fixture: string;
  clock: string;
  seed: number | string;
  assume: Readonly<Record<string, string>>;
  server: JsonObject;
}

export interface LogSlice {
  title: string;
  beginning: Beginning;
  /** Everything since the world began, in the order of `seq`. */
  entries: readonly Entry[];
  /** The first and the last entry of the story; what changed the world before them becomes its preparation. */
  from?: number;
  to?: number;
  /** The ids of the entries that are told; without it all of the story are. */
  only?: ReadonlySet<string> | undefined;
  /** The commits of each entry that made any, where the log has a rewind. */
  spans: ReadonlyMap<string, CommitSpan>;
  messages: ReadonlyMap<string, Message>;
  operations: ReadonlyMap<string, RecordedOperation>;
  /** The key that a player has: that of the world. */
  key: { client_id: string; scopes: readonly string[] };
  /** The address of the service. */
  url: string;
  /** Whether a text is in the world as it begins, such as an id of its fixture. */
  begins(text: string): boolean;
}

/** A step of a scenario, by the member names of spec/scenario.schema.json. */
export type RecordedStep = { name: string } & JsonObject;

export interface Recording {
  scenario: JsonObject & { steps: RecordedStep[] };
  /** What the story does not have, in sentences. */
  leftOut: string[];
}
