// What the transport may call of the rest of the program. `sandbox.ts` joins the parts behind it.

import type { Schemas } from "../../contract/schemas.ts";
import type { Fact, MoveCounts, ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { EventKind } from "../domain/kernel/kinds.ts";
import type { ClockRecord, Key, Token } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { BookSpan, TrialBalance } from "../domain/money/books.ts";
import type { Populated } from "../fixtures/populate.ts";
import type { State } from "../log/entry.ts";
import type { Followers } from "../log/follow.ts";
import type { ActivityLog } from "../log/log.ts";
import type { WorldLogs } from "../log/world-logs.ts";
import type { Settings } from "../settings.ts";
import type { Cause, Past } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Faults } from "./faults.ts";
import type { History, Moment, PastState } from "./history.ts";
import type { Lint } from "./lint.ts";
import type { McpSessions } from "./mcp-sessions.ts";
import type { Monitor } from "./monitoring/monitor.ts";
import type { PopulateOptions, PopulateRequest } from "./populate-world.ts";
import type { RecordScenario } from "./recordings.ts";
import type { Rewound } from "./rewind.ts";
import type { Runs } from "./runs.ts";
import type { Verdicts } from "./verdicts.ts";
import type { WorldDirectory } from "./world-directory.ts";

export type * from "./faults.ts";
export type * from "./history.ts";
export type * from "./monitoring/monitor.ts";
export type * from "./runs.ts";
export type * from "./verdicts.ts";

export interface Done<T = object> {
  result: T;
  facts: readonly Fact[];
}

export interface PublicOperation {
  id: string;
  /** Throws when the resource of the path does not exist, before the rest of the request is validated. */
  find?(tx: Transaction, path: never): unknown;
  /** The request has passed the contract of this operation, so its types hold. */
  answer(tx: Transaction, requested: never): { status: number; body?: unknown };
}

/** The records of a world as they are kept, and what is due among them. */
interface Records {
  counts(world: World): Schemas["CollectionList"]["items"];
  page(world: World, collection: Schemas["CollectionName"], wanted: RecordsWanted): Schemas["RecordPage"];
  find(
    world: World,
    collection: Schemas["CollectionName"],
    id: string,
  ): Omit<Schemas["RecordShown"], "answer" | "acts"> | undefined;
  due(world: World, wanted: PageQuery & { until?: Instant | undefined }): Schemas["DueList"];
  trialBalance(world: World, span: (tx: Transaction) => BookSpan): Promise<TrialBalance>;
}

export interface PageQuery {
  cursor?: string | undefined;
  limit: number;
}

export interface RecordsWanted extends PageQuery {
  q?: string | undefined;
  where?: readonly string[] | undefined;
  /** A search ends its page after so many records; default: 1,000. */
  mostLookedAt?: number;
}

/** Browsers that have shown the control token. */
export interface SignIns {
  /** The value of the cookie, and how long it is good for. */
  open(): { id: string; seconds: number };
  has(id: string): boolean;
  close(id: string): void;
}

/** Which attempt of which delivery of a message: the last of the first where it is not said. */
interface SignatureChosen {
  delivery?: string | undefined;
  attempt?: number | undefined;
}

/** Which worlds there are, what they hold, and how one is made, copied, filled and removed. */
export interface WorldsPort {
  readonly worlds: Worlds;
  states: {
    create(input: { id?: string; fixture?: string; clock?: Instant; seed?: string | number }): World;
    /** At a point of its past, or as the world is now; for a trial the log of the world has no entry. */
    fork(world: World, count: number, past?: PastState, isTrial?: boolean): World[];
    /** The id of the world that a fork of this run was copied from. */
    originOf(id: string): string | undefined;
    /** One transaction that puts every record as it was; it is remembered, and can be undone as any other. */
    rewind(world: World, moment: Moment): Promise<Rewound>;
    remove(world: World): void;
    /** Puts a world here as the store has it. */
    open(id: string, state: State, why?: "created" | "opened"): World;
    /** Takes a world out of memory, with its log, its faults and its queue of deliveries; the store keeps the world. */
    close(world: World): void;
    reset(world: World): World;
    /** What the steps of its fixture changed, before its history began. */
    pastOf(world: World): Past;
    /** The document in pieces; some are empty. */
    export(world: World): Iterable<string>;
    /** Others are served meanwhile. Undefined when the world has gone by then. */
    import(world: World, document: unknown): Promise<{ world: World; warnings: string[] } | undefined>;
    /** Undefined, and nothing added, when the world has changed meanwhile, or nobody waits any more. */
    populate(world: World, request: PopulateRequest, options: PopulateOptions): Promise<Populated | undefined>;
    save(world: World, name: string): void;
    restore(world: World, name: string): World;
  };
  readonly runs: Runs;
  /** Undefined if all worlds are in this process and have no owner. */
  readonly directory?: WorldDirectory | undefined;
  /** The names of the fixtures that a world can start from. */
  fixtures(): string[];
  keyOf(clientId: string): { world: World; key: Key } | undefined;
  tokenOf(token: string): { world: World; token: Token } | undefined;
  /** Why a world is in quarantine, so not served; undefined while it is served. */
  whyQuarantined(world: World): string | undefined;
  /** The value that the world takes for an assumption. */
  assumes(world: World, assumption: string): string;
  assumptions: {
    all(world: World): readonly Schemas["Assumption"][];
    set(world: World, values: Record<string, string>): void;
  };
  records: Records;
  random: {
    secret(): string;
    token(world: string): string;
    credentials(world: string): { id: string; secret: string };
    uuid(): string;
  };
  /** An id of something that happens in this process: a request, an act, a receipt of a clock move. */
  newId(kind: "req" | "act" | "clk" | "wld"): string;
}

/** What answers a request: the sandbox itself, its operations and acts, one transaction, the faults that are armed. */
export interface RequestsPort {
  readonly settings: Settings;
  readonly version: string;
  /** The id of this run. */
  readonly instance: string;
  readonly controlToken: string;
  /** The URL of the sandbox. */
  base(): string;
  /** The URL that it listens on. */
  own(): string;
  /** Why changes can't be stored now: the disk is full, or the database can't be reached. Undefined if they can. */
  whyUnusable(): string | undefined;
  /** Why requests should go to another process: this one is to stop, or can't serve them. Undefined if it can. */
  findObstacle(): { why: string; isStopping: boolean } | undefined;
  /** The name of this process, where several serve the worlds. */
  readonly node?: (() => string) | undefined;
  /** One line for the person who runs the sandbox, about what no answer can say. */
  warn(sentence: string): void;
  readonly monitor: Monitor;
  readonly operations: ReadonlyMap<string, PublicOperation>;
  readonly faults: Faults;
  signIns: SignIns;
  mcp: McpSessions;
  record: RecordScenario;
  lint: Lint;
  /** One transaction, committed and announced; the messages it makes name `cause`. */
  change<T>(world: World, cause: Cause, work: (tx: Transaction) => T): Done<T>;
  read<T>(world: World, question: (tx: Transaction) => T): T;
  /** Resolves when all that is committed, in this world or in all, is as durable as `--durability` promises; undefined when it is already. */
  durable(world?: string): Promise<void> | undefined;
  acts: {
    all(): readonly { id: string }[];
    perform(world: World, act: string, input: unknown, cause: Cause): Done;
    /** What it does in a transaction, and nothing else. */
    work(tx: Transaction, act: string, input: unknown): object;
    /** Whether a record's state lets it be done; nothing is changed. */
    isAllowed(world: World, act: string, input: unknown, record: Schemas["StoredRecord"]): boolean;
  };
}

/** Where a clock is moved to, asked once every move before has ended. Throws where it can't go there. */
export type ClockTarget = (now: Instant) => Instant;

/** What moves a world's time, and does what is due. */
export interface TimePort {
  now(world: World): Instant;
  clock: {
    show(world: World): ClockRecord;
    /** `by` moves it; the receipt has an id, by which the log has it. */
    set(
      world: World,
      change: { to?: ClockTarget; mode?: "held" | "running" },
      by?: Cause,
    ): Promise<{ id: string; counts: MoveCounts; receipt: ReceiptLine[] }>;
    /** A dry run has no receipt in the log. */
    advance(
      world: World,
      to: ClockTarget | "next",
      dryRun: boolean,
      by?: Cause,
    ): Promise<{ id?: string; now: Instant; counts: MoveCounts; receipt: ReceiptLine[] }>;
    /** Once no move of the world's clock is under way; none begins, and a running clock does nothing, before the work has ended. */
    exclusively<T>(world: World, work: () => Promise<T>): Promise<T>;
  };
  /** Does what is due in the world by now, with turns for other requests in between; undefined when nothing is. */
  due(world: World): Promise<void> | undefined;
}

/** What has happened: the request log, commits, activity, verdicts. */
export interface HistoryPort {
  readonly log: WorldLogs;
  readonly history: History;
  readonly activityLog: ActivityLog;
  readonly followers: Followers;
  readonly verdicts: Verdicts;
}

/** A client that makes the attempts of a world for it. */
interface RelayClient {
  hand(delivery: RelayedDelivery): void;
  /** The world has gone, or lives elsewhere. */
  end(): void;
}

/** As a relay reads it from its stream. */
interface RelayedDelivery {
  id: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  timeout_ms: number;
}

/** Messages to subscriptions, and their deliveries. */
export interface WebhooksPort {
  messages: {
    list(
      world: World,
      wanted: {
        kind?: string | undefined;
        state?: string | undefined;
        before?: string | undefined;
        limit?: number | undefined;
      },
    ): { items: Schemas["Message"][]; more: number };
    count(world: World, kind: string | undefined): number;
    find(world: World, id: string): Schemas["Message"] | undefined;
    signature(world: World, id: string, chosen: SignatureChosen): Schemas["SignatureShown"];
    checkSignature(
      world: World,
      id: string,
      chosen: SignatureChosen,
      sent: Schemas["ComputedSignature"],
    ): Schemas["SignatureChecked"];
    resend(world: World, id: string, input?: Schemas["ResendInput"]): Schemas["Message"] | undefined;
    resendFailed(world: World, since: Instant): Schemas["Message"][];
    giveUp(world: World, id: string): Schemas["Message"] | undefined;
    clear(world: World): void;
    pin(world: World, subscription: string): void;
    rotate(
      world: World,
      subscription: string,
      overlap: string | undefined,
    ): { id: string; secret: string; previous_valid_until?: Instant; signing: string };
    trigger(world: World, kind: string, set: Record<string, unknown>, cause: Cause): Promise<Done>;
    /** The rule behind a trigger, which moves no clock. */
    work(tx: Transaction, kind: string, set: Record<string, unknown>): object;
  };
  /** Clients that make the attempts of a world for it. */
  relays: {
    /** Returns what closes it. */
    open(world: string, relay: RelayClient): () => void;
    /** False where no such attempt waits. */
    report(world: string, id: string, report: Schemas["RelayReport"]): boolean;
  };
  /** Sends these kinds, or all, to an address; returns the secret that signs them. */
  subscribe(world: World, to: { url: string; kinds: readonly EventKind[]; description: string }): string;
}

/** All five ports, for the composition root. Other modules declare the ports that they use. */
export interface Application extends WorldsPort, RequestsPort, TimePort, HistoryPort, WebhooksPort {}
