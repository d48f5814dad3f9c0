// What a recording is made from: a slice of the log of one world, as the control API shows its entries, with what the world was made
// of. Nothing here asks a sandbox, so that everybody who has the entries can make a scenario of them.
import type { Schemas } from "../../contract/schemas.ts";
import type { Json, JsonObject } from "../../platform/json.ts";

type Logged = "kind" | "seq" | "id" | "at";
type Made = Logged | "facts" | "messages";

/** A fault that took effect, as it was armed. */
type ArmedFault = { fault?: JsonObject };

/** In the whole view, so with its request and its answer. */
export type RequestEntry = Pick<
  Schemas["RequestEntry"],
  Made | "method" | "path" | "operation" | "status" | "client_id"
> &
  Partial<Pick<Schemas["RequestEntry"], "user_agent" | "scopes">> & {
    faults: readonly ArmedFault[];
    request: Omit<Schemas["LoggedParts"], "body"> & { body: Json };
    answer: { body: Json } | null;
  };

export type ActEntry = Pick<Schemas["ActEntry"], Made | "act" | "status" | "code"> &
  Record<"input" | "result", Json> & {
    /** The move of the clock that it made; set where both are told as one. */
    move?: ClockEntry;
  };

export type ClockEntry = Pick<Schemas["ClockEntry"], Logged | "messages" | "from" | "to" | "by"> &
  Required<Pick<Schemas["ClockEntry"], "receipt">>;

export type DeliveryEntry = Pick<Schemas["DeliveryEntry"], Logged | "message_id" | "webhook_kind"> & {
  attempt: Pick<Schemas["DeliveryEntry"]["attempt"], "at" | "number" | "outcome" | "status">;
  faults: readonly ArmedFault[];
};

export type WorldEntry = Pick<Schemas["WorldEntry"], Logged | "detail"> & {
  change: Schemas["WorldEntry"]["change"] | UnsaidCommand;
};

/** Commands that change a world, that the log has no entry of, and that no step can say: what each has done, for a note. */
export const UNSAID = {
  resendMessage: "a message was sent again by hand",
  resendFailedMessages: "failed messages were sent again by hand",
  giveUpMessage: "a message was given up by hand",
  clearMessages: "the messages were removed by hand",
  rotateSubscriptionSecret: "the secret of a subscription was rotated",
};

type UnsaidCommand = keyof typeof UNSAID;

export const isUnsaid = (change: string): change is UnsaidCommand => Object.hasOwn(UNSAID, change);

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
  body: { type: string } | undefined;
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
  /** The ids of the entries that become steps; without it all of the story do. */
  only?: ReadonlySet<string> | undefined;
  /** The commits of each entry that made any, where the log has a rewind. */
  spans: ReadonlyMap<string, CommitSpan>;
  messages: ReadonlyMap<string, Message>;
  operations: ReadonlyMap<string, RecordedOperation>;
  /** Whether the sandbox has an act of this name. */
  isAct(name: string): boolean;
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
