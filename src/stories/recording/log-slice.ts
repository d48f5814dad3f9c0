// Defines the input of a recording: a slice of the log of one world, in the form of the control API, and the settings of the world. It
// sends no requests, so that a scenario can be created from stored entries.
import type { Schemas } from "../../contract/schemas.ts";
import type { Json, JsonObject } from "../../platform/json.ts";

/** The members of `T` as the log has them in a full view, where `own` types replace the generated ones. */
type Full<T, Own> = Omit<T, keyof Own> & Own;

/** The faults that took effect, with their definitions. */
type Hit = { faults: readonly { fault?: JsonObject }[] };

/** The full view of an entry, with its request and its response. */
export type RequestEntry = Full<
  Schemas["RequestEntry"],
  Hit & { request: Omit<Schemas["LoggedParts"], "body"> & { body: Json }; answer: { body: Json } | null }
>;

/** `move` is the clock move that the act caused, if both are one step. */
export type ActEntry = Full<Schemas["ActEntry"], { input: Json; result: Json; move?: ClockEntry }>;

export type ClockEntry = Full<Schemas["ClockEntry"], Required<Pick<Schemas["ClockEntry"], "receipt">>>;

export type DeliveryEntry = Full<Schemas["DeliveryEntry"], Hit>;

export type WorldEntry = Pick<Schemas["WorldEntry"], "kind" | "seq" | "id" | "at" | "detail"> & {
  change: Schemas["WorldEntry"]["change"] | UnsupportedCommand;
};

/** Notes about commands that change a world, but have no entry in the log and no step. */
export const UNSUPPORTED = {
  resendMessage: "a message was sent again by hand",
  resendFailedMessages: "failed messages were sent again by hand",
  giveUpMessage: "a message was given up by hand",
  clearMessages: "the messages were removed by hand",
  rotateSubscriptionSecret: "the secret of a subscription was rotated",
};

type UnsupportedCommand = keyof typeof UNSUPPORTED;

export const isUnsupported = (change: string): change is UnsupportedCommand => Object.hasOwn(UNSUPPORTED, change);

/** Whether the entry is an override of assumptions. `set` has the new values by id, and `before` the previous ones. */
export const isOverride = (entry: Entry): entry is WorldEntry => entry.kind === "world" && entry.change === "assume";

export type Entry = RequestEntry | ActEntry | ClockEntry | DeliveryEntry | WorldEntry;

/** Whether the entry changed the world, apart from its tokens and assumptions. */
export const isChange = (entry: Entry): boolean =>
  entry.kind === "clock" ||
  ((entry.kind === "request" || entry.kind === "act") && entry.facts.some(({ fact }) => fact !== "token.issued"));

/** The numbers of the first and the last commit of an entry. */
export interface CommitSpan {
  first: number;
  last: number;
}

/** A webhook message. */
export interface Message {
  id: string;
  kind: string;
  /** The time on the world's clock. */
  at: string;
  payload: JsonObject;
}

/** An operation of the service in its OpenAPI document. */
export interface RecordedOperation {
  id: string;
  path: string;
  parameters: readonly { name: string; in: string; required: boolean }[];
  body: { type: string } | undefined;
}

/** The initial settings of the world, for the head of a scenario. */
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
  /** All entries since the start of the world, in the order of `seq`. */
  entries: readonly Entry[];
  /** The first and the last entry of the scenario. Earlier entries that changed the world become its preparation. */
  from?: number;
  to?: number;
  /** The ids of the entries that become steps. Default: all entries of the scenario. */
  only?: ReadonlySet<string> | undefined;
  /** The commits by the id of their entry, which are needed for rewinds. */
  spans: ReadonlyMap<string, CommitSpan>;
  messages: ReadonlyMap<string, Message>;
  operations: ReadonlyMap<string, RecordedOperation>;
  /** Returns whether the sandbox has an act with this name. */
  isAct(name: string): boolean;
  /** The key of the world, which the player uses. */
  key: { client_id: string; scopes: readonly string[] };
  /** The address of the service. */
  url: string;
  /** Returns whether the initial world contains a text, such as an id of its fixture. */
  begins(text: string): boolean;
}

/** A step of a scenario, with the member names of spec/scenario.schema.json. */
export type RecordedStep = { name: string } & JsonObject;

export interface Recording {
  scenario: JsonObject & { steps: RecordedStep[] };
  /** Sentences about omitted entries. */
  leftOut: string[];
}

/** An entry that no step can express. The message continues a sentence that begins with the request or the act. */
export class Inexpressible extends Error {}
