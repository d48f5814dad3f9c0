// Declares the ports that the transport may call. `sandbox.ts` connects the parts behind them.

import type { Schemas } from "../../contract/schemas.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { EventKind } from "../domain/kernel/kinds.ts";
import type { Key, Token } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Followers } from "../log/follow.ts";
import type { ActivityLog } from "../log/log.ts";
import type { WorldLogs } from "../log/world-logs.ts";
import type { Settings } from "../settings.ts";
import type { makeMessages } from "../webhooks/messages.ts";
import type { Relays } from "../webhooks/relays.ts";
import type { makeSignatures } from "../webhooks/signatures.ts";
import type { createTriggers } from "../webhooks/triggers.ts";
import type { Cause } from "../world/state/commit.ts";
import type { Transacted, World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { createAssumptions } from "./assumptions.ts";
import type { Lint, McpSessions, RecordScenario, WorldDirectory } from "./client-ports.ts";
import type { Clocks } from "./clocks.ts";
import type { Faults } from "./faults.ts";
import type { History } from "./history.ts";
import type { Monitor } from "./monitoring/monitor.ts";
import type { Runs } from "./runs.ts";
import type { SignIns } from "./sign-ins.ts";
import type { States } from "./states.ts";
import type { Verdicts } from "./verdicts.ts";

export type { ClockTarget } from "./clocks.ts";
export type * from "./faults.ts";
export type * from "./history.ts";
export type * from "./monitoring/monitor.ts";
export type * from "./runs.ts";
export type * from "./verdicts.ts";

export interface PublicOperation {
  id: string;
  /** Throws when the resource of the path does not exist, before the rest of the request is validated. */
  find?(tx: Transaction, path: never): unknown;
  /** The request has passed the contract of this operation, so its types hold. */
  answer(tx: Transaction, requested: never): { status: number; body?: unknown };
}

/** Lists, creates, copies, fills and removes worlds. */
export interface WorldsPort {
  readonly worlds: Worlds;
  readonly states: States;
  readonly runs: Runs;
  /** Undefined if all worlds are in this process and have no owner. */
  readonly directory?: WorldDirectory | undefined;
  /** The names of the fixtures that a world can start from. */
  fixtures(): string[];
  findKey(clientId: string): { world: World; key: Key } | undefined;
  findToken(token: string): { world: World; token: Token } | undefined;
  /** Returns why a world is in quarantine; undefined while it is served. */
  findQuarantine(world: World): string | undefined;
  /** Returns the value that a world uses for an assumption. */
  assumes(world: World, assumption: string): string;
  assumptions: ReturnType<typeof createAssumptions>;
  /** Copies a world. Changes of the copy are not stored. */
  copy(world: World): World;
  random: {
    secret(): string;
    token(world: string): string;
    credentials(world: string): { id: string; secret: string };
    worldId(): string;
    uuid(): string;
  };
  /** Creates an id for a request, an act, a move of the clock, or a world. */
  newId(kind: "req" | "act" | "clk" | "wld"): string;
}

/** Handles requests: settings, operations, acts, transactions and armed faults. */
export interface RequestsPort {
  readonly settings: Settings;
  readonly version: string;
  /** The id of this run. */
  readonly instance: string;
  readonly controlToken: string;
  /** The URL of the sandbox. */
  getBaseUrl(): string;
  /** The URL that it listens on. */
  getListenUrl(): string;
  /**
   * Returns why requests should go to another process: this one is stopping or can't serve them. Undefined otherwise.
   */
  findObstacle(): { why: string; isStopping: boolean } | undefined;
  /** Returns the name of this process, if several processes serve the worlds. */
  readonly node?: (() => string) | undefined;
  /** Shows one line to the person who runs the sandbox, about problems that no response can report. */
  warn(sentence: string): void;
  readonly monitor: Monitor;
  readonly operations: ReadonlyMap<string, PublicOperation>;
  readonly faults: Faults;
  signIns: SignIns;
  mcp: McpSessions;
  record: RecordScenario;
  lint: Lint;
  change: Clocks["change"];
  read: Clocks["read"];
  /**
   * Resolves when all commits of this world, or of all, are as durable as `--durability` promises; undefined when they
   * are already.
   */
  waitUntilDurable(world?: string): Promise<void> | undefined;
  acts: {
    all(): readonly { id: string }[];
    perform(world: World, act: string, input: unknown, cause: Cause): Transacted<object>;
    /** Performs an act within an open transaction. */
    apply(tx: Transaction, act: string, input: unknown): object;
    /** Whether the state of a record allows the act. Changes nothing. */
    isAllowed(world: World, act: string, input: unknown, record: Schemas["StoredRecord"]): boolean;
  };
}

/** Moves the time of worlds, and performs due work. */
export interface TimePort {
  now(world: World): Instant;
  readonly clock: Pick<Clocks, "show" | "set" | "forecast">;
  /**
   * Performs the work that is due in a world, with turns for other requests in between; undefined when nothing is due.
   */
  performDueWork(world: World): Promise<void> | undefined;
}

/** Provides the request log, the commits, the live stream and the verdicts. */
export interface HistoryPort {
  readonly log: WorldLogs;
  readonly history: History;
  readonly activityLog: ActivityLog;
  readonly followers: Followers;
  readonly verdicts: Verdicts;
}

/** Sends messages to subscriptions, and lists their deliveries. */
export interface WebhooksPort {
  messages: ReturnType<typeof makeMessages> & ReturnType<typeof makeSignatures> & ReturnType<typeof createTriggers>;
  /** Clients that send the deliveries of a world for it. */
  relays: Pick<Relays, "open" | "report">;
  /** Subscribes an address to these kinds, or to all. Returns the secret that signs the messages. */
  subscribe(world: World, to: { url: string; kinds: readonly EventKind[]; description: string }): string;
}

/** All five ports, for the composition root. Other modules declare the ports that they use. */
export interface Application extends WorldsPort, RequestsPort, TimePort, HistoryPort, WebhooksPort {}
