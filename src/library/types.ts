// The types of the library: worlds, sandboxes and their methods. They are derived from the specifications of the service and of the control
// API, so that a misspelt act, kind or operation does not compile.
/// <reference lib="esnext.disposable" preserve="true" />

import type { IncomingMessage, ServerResponse } from "node:http";
import type { OwnPosting, Reconciled } from "../client/reconcile.ts";
import type { operations, webhooks } from "../contract/generated/api.ts";
import type { AssumptionValues } from "../contract/generated/assumption-values.ts";
import type { operations as control } from "../contract/generated/control.ts";
import type { OfRequests } from "../contract/generated/fault-members.ts";
import type { Schemas } from "../contract/schemas.ts";
import type { ActId, ActInput, ActResults } from "../engine/acts/index.ts";
import type { WorldOptions } from "./remote-sandbox.ts";

/** The kind of a webhook message. */
export type Kind = keyof webhooks;

/** The operationId of an operation of the service. */
export type Operation = Exclude<keyof operations, `on${string}`>;

/** A permission of an integration key. */
export type Scope = Schemas["Scopes"][number];

/** An ISO 8601 duration: `P1D`, `PT90M`. */
export type Duration = `P${number}${"Y" | "M" | "W" | "D"}${string}` | `PT${number}${"H" | "M" | "S"}${string}`;

/** Values of assumptions, by id. */
export type Assumed = Readonly<AssumptionValues>;

type MessageBody<K extends Kind> = webhooks[K]["post"]["requestBody"]["content"]["application/json"];

/** A webhook message with its payload; `message.kind` discriminates the kinds. */
export type Message<K extends Kind = Kind> = {
  [Each in K]: Omit<Schemas["Message"], "kind" | "body"> & { kind: Each; body: MessageBody<Each> };
}[K];

/** Options of `waitFor`. Only messages with these `payload` fields count. `times` is the required number; `timeout` is in milliseconds. */
export interface Awaiting<K extends Kind> {
  payload?: Readonly<Partial<MessageBody<K>["payload"]>>;
  times?: number;
  timeout?: number;
}

export type Delivery = Schemas["Delivery"];

/** Which messages to send again. Each field that you leave out selects all of them. */
export interface ResendFilter {
  kind?: Kind;
  /** Selects messages that were created at or after this time on the world's clock. */
  since?: string | Date;
  /** Selects deliveries that were given up, or whose last attempt failed. */
  failed?: boolean;
}

export interface ResendOptions {
  /** How many times each message is sent, with the same `webhook-id`; default: 1. */
  copies?: number;
  /** Alters all copies. A careful receiver rejects them. */
  tamper?: Schemas["Tamper"];
  /** The id of the only subscription to send to, also when a message was not for it. */
  to?: string;
}

type OneOf<T, K extends keyof T> = { [Each in K]: Required<Pick<T, Each>> }[K];

/** Makes lists readonly, so that `as const` compiles. */
type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;

type FaultInput = Schemas["FaultInput"];

/** A fault of an operation, of any operation (`*`), or of deliveries. */
export type Fault =
  | (FaultInput & { operation: Operation | "*" } & OneOf<FaultInput, OfRequests>)
  | (Omit<FaultInput, "operation"> & { operation?: never } & OneOf<FaultInput, "delivery">);
export type ArmedFault = Fault & Pick<Schemas["Fault"], "name" | "hits" | "seen" | "left">;

/** A request to the service, with its response. */
export type JournalRequest = Omit<Schemas["JournalRequest"], "operation"> & { operation: Operation | null };
export type Fact = Schemas["Fact"];
/** An explanation. That of a rejection has its rule, its checks and the smallest change that works. */
export type Why = Schemas["Why"];
export type ReceiptLine = Schemas["ReceiptLine"];

export interface RequestFilter {
  operation?: Operation;
  /** A status, or a class of statuses. */
  status?: number | "1xx" | "2xx" | "3xx" | "4xx" | "5xx";
  limit?: number;
}

export type LogEntry = Schemas["LogEntry"];

export interface LogFilter {
  kinds?: readonly LogEntry["kind"][];
  /** Selects entries after this `seq`. `before` selects entries before a `seq`. */
  since?: number;
  before?: number;
  limit?: number;
  /** `summary` omits headers, bodies, inputs, results and receipts. `told` adds the outcome in words. */
  view?: "full" | "summary" | "told";
  /** An operation, of the service or of the control API; an act by its name. */
  operation?: Operation | keyof control | ActId;
  status?: number | "1xx" | "2xx" | "3xx" | "4xx" | "5xx";
  /** Selects entries that failed or were rejected. */
  failed?: boolean;
  /** The id of a record that the entry names or changed. */
  touches?: string;
  /** The id of the cause. */
  caused_by?: string;
  test?: string;
  /** A text in the path, a body, a code or a message. */
  q?: string;
}
export type Replayed = Schemas["Replayed"];

/** The result of a clock move. */
export interface Moved {
  now: string;
  /** The number of due tasks that ran, and of webhooks that were sent, each counted once. */
  counts: { due: number; deliveries: number };
  receipt: ReceiptLine[];
}

/**
 * A point in a world's history: the number of a change, an instant, the id of a request, an act or a clock move (right after its last
 * change), the name of a snapshot, or `now`.
 */
export type Moment = string | number | Date;
export type RecordHistory = Schemas["RecordHistory"];
export type Diff = Schemas["Diff"];
export type BookEntry = Schemas["BookEntry"];
export type TrialBalance = Schemas["TrialBalance"];
export type OrderBooks = Schemas["OrderBooks"];

/** A range of days: `from` is included, `to` is not. The default time zone is that of the company. */
export interface BookSpan {
  from?: string;
  to?: string;
  zone?: string;
}
export type Rewound = Schemas["Rewound"];
export type Populated = Schemas["Populated"];

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

export interface RecordOptions {
  since?: string;
  until?: string;
}

/** A running recording. Call `story` at any time to read it. */
export interface WorldRecording {
  /** Returns the activity up to now as a scenario for `sandbox play`. Rejects with NOT_RECORDABLE if it is empty or can't play in a new world. */
  story(title: string): Promise<RecordedStory>;
}

export interface RecordedStory {
  scenario: object;
  /** The scenario as YAML. */
  text: string;
  /** Sentences about activity that the scenario does not contain. */
  leftOut: string[];
}

export interface PopulateOptions {
  /** The same seed creates the same data; default: the seed of the world. */
  seed?: string | number;
  /** Calls with the same key add the bookings only once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** An isolated world of the sandbox. */
export interface World {
  readonly id: string;
  /** The base address of the service; paths begin with `/v1`. */
  readonly url: string;
  readonly tokenUrl: string;
  readonly credentials: Credentials;
  /** The secret of the subscription of `webhookUrl`; undefined without `webhookUrl`. */
  readonly webhookSecret: string | undefined;
  /**
   * Issues a bearer token with these scopes; default: all scopes of the key. It is not a request of your program, so it is not in the log
   * and faults of the token endpoint do not apply.
   */
  token(scopes?: readonly Scope[]): Promise<string>;
  /** Performs a host action: `act("cancelBooking", { booking_id })`. Rejects with a SandboxError with the code of the violated rule. */
  act<Id extends ActId>(
    name: Id,
    input: Immutable<ActInput<Id>>,
  ): Promise<{ result: ActResults[Id]; facts: Fact[]; fact_count: number }>;
  readonly clock: {
    now(): Promise<string>;
    /** Moves the clock by an ISO 8601 duration. Resolves when everything due has run. */
    advance(by: Duration): Promise<Moved>;
    /** Moves the clock to the next time at which something is due. */
    next(): Promise<Moved>;
    set(now: string | Date): Promise<Moved>;
    hold(): Promise<void>;
    run(): Promise<void>;
  };
  readonly webhooks: {
    /**
     * Waits until `times` (default: 1) messages of the kind match `payload`, and returns the newest. Rejects with a TimeoutError after
     * `timeout` (default: 5000 ms).
     */
    waitFor<K extends Kind>(kind: K, options?: Awaiting<K>): Promise<Message<K>>;
    /** Returns the newest thousand messages, oldest first. */
    all<K extends Kind = Kind>(kind?: K): Promise<Message<K>[]>;
    /**
     * Sends a message again, or all messages that a filter selects, and returns their deliveries when the receivers have responded. A
     * delivery that takes longer than 20 s is returned as PENDING. Rejects with a NoMessageError if the filter selects no message.
     */
    resend(messages: string | ResendFilter, options?: ResendOptions): Promise<Delivery[]>;
  };
  /** Returns logged requests, oldest first: the newest hundred, or `limit`. */
  requests(filter?: RequestFilter): Promise<JournalRequest[]>;
  /**
   * Returns log entries, oldest first: requests, acts, clock moves, delivery attempts and changes of the world. `limit` is 100 by
   * default.
   */
  log(filter?: LogFilter): Promise<LogEntry[]>;
  /** Marks later log entries with the name of the running test. Null stops marking. */
  mark(test: string | null): Promise<void>;
  /** Explains a request, act, message or record by its id; default: the latest rejection. */
  why(id?: string): Promise<Why>;
  /** Sends a logged request again with a new token of its key; `set` changes fields of the body by path. */
  replay(requestId: string, options?: { set?: Record<string, unknown> }): Promise<Replayed>;
  readonly faults: {
    /** Adds faults to the armed ones, which keep their hits. */
    arm(...faults: readonly Immutable<Fault>[]): Promise<void>;
    list(): Promise<ArmedFault[]>;
    clear(): Promise<void>;
  };
  /** Records activity as a scenario, from now on, or since `start`, the `seq` or id of a log entry, or a time. */
  record(options?: RecordOptions): Promise<WorldRecording>;
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Overrides assumptions about the service, by id. */
  assume(values: Assumed): Promise<void>;
  /** Restores the initial state; the id, credentials, tokens and overridden assumptions stay. */
  reset(): Promise<void>;
  /** The accounting journal. */
  readonly books: {
    /** Returns the entries in order, each with its cause and the lines behind its postings. */
    entries(filter?: BookSpan & { order_id?: string }): Promise<BookEntry[]>;
    trialBalance(span?: BookSpan): Promise<TrialBalance>;
    /** Returns an order, by id or number, as a T-account. */
    order(order: string): Promise<OrderBooks>;
    /** Compares your own postings with the journal. */
    reconcile(rows: readonly OwnPosting[], span?: BookSpan): Promise<Reconciled>;
  };
  /** Creates a copy with its own credentials, of the current state or of a point in time. */
  fork(options?: { at?: Moment }): Promise<World>;
  /**
   * Adds bookings over the past year, all or none. No webhooks are sent. If the signal aborts before the end, nothing is added. Calls with
   * the same `idempotencyKey` add the bookings only once.
   */
  populate(bookings: number, options?: PopulateOptions): Promise<Populated>;
  /** Returns the versions of a record, oldest first, with the changed fields. */
  history(id: string): Promise<RecordHistory>;
  /** Returns each record that differs between two points in time; `to` is now by default. */
  diff(from: Moment, to?: Moment): Promise<Diff>;
  /** Restores the world and its clock to a point in time. Keys and tokens stay; `undo.to` undoes it. */
  rewind(to: Moment): Promise<Rewound>;
  /** Removes the world. */
  remove(): Promise<void>;
  /** `await using world = await sandbox.world()` removes the world at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A sandbox and its first world: `default` in a started sandbox, or a new world in one that was running already. */
export interface Sandbox extends World {
  readonly controlUrl: string;
  readonly controlToken: string;
  /** Creates an isolated world with its own state, clock, credentials, log and faults: one per test. */
  world(options?: WorldOptions): Promise<World>;
  /**
   * Stops the sandbox. A sandbox that was running already keeps running, but the worlds that were created here are removed. `await using`
   * calls this at the end of the block.
   */
  close(): Promise<void>;
}

/** A request handler for Express, `node:http` and supertest. It does not require the types of Express. */
export type SandboxRouter = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (reason?: unknown) => void,
) => void;

/** @deprecated The name of SandboxRouter in 0.2.0. */
export type Handler = SandboxRouter;

/** A sandbox without a port (`listen: false`), mounted in your app. */
export interface MountedSandbox extends Sandbox {
  /**
   * Serves requests in an Express app (`app.use(sandbox.router)`, or `app.use("/mock", sandbox.router)`), in a server of `node:http`
   * (`http.createServer(sandbox.router)`), or for supertest (`supertest(sandbox.router)`). Addresses in responses are those of the request.
   * `url` is `http://localhost`, at which only the methods of this object reach the sandbox. At the root of an app, a request for an unknown
   * path goes to the next route of the app; under a path, the sandbox responds with 404. After `close()`, it responds to every request with
   * 503.
   */
  readonly router: SandboxRouter;
  /** @deprecated Use `router`, which is the same function. */
  readonly handler: SandboxRouter;
}
