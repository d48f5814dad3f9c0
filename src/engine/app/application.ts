// What the transport may call of the rest of the program. `sandbox.ts` joins the parts behind it.

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
import type { makeSignatures } from "../webhooks/signature/index.ts";
import type { makeTrigger, triggerKind } from "../webhooks/trigger.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Changes, Done } from "./changes.ts";
import type { Clocks } from "./clocks.ts";
import type { Faults } from "./faults.ts";
import type { History } from "./history.ts";
import type { Lint } from "./lint.ts";
import type { McpSessions } from "./mcp-sessions.ts";
import type { Monitor } from "./monitoring/monitor.ts";
import type { RecordScenario } from "./recordings.ts";
import type { createAssumptions } from "./register.ts";
import type { Runs } from "./runs.ts";
import type { SignIns } from "./sign-ins.ts";
import type { States } from "./states.ts";
import type { Verdicts } from "./verdicts.ts";
import type { WorldDirectory } from "./world-directory.ts";

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

/** Which worlds there are, what they hold, and how one is made, copied, filled and removed. */
export interface WorldsPort {
  readonly worlds: Worlds;
  readonly states: States;
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
  assumptions: ReturnType<typeof createAssumptions>;
  /** Makes a copy of a world whose changes are not stored. */
  copy(world: World): World;
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
  change: Changes["change"];
  read: Changes["read"];
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

/** What moves a world's time, and does what is due. */
export interface TimePort {
  now(world: World): Instant;
  readonly clock: Pick<Clocks, "show" | "set" | "advance">;
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

/** Messages to subscriptions, and their deliveries. */
export interface WebhooksPort {
  messages: ReturnType<typeof makeMessages> &
    ReturnType<typeof makeSignatures> & {
      trigger: ReturnType<typeof makeTrigger>;
      /** The rule behind a trigger, which moves no clock. */
      work: typeof triggerKind;
    };
  /** Clients that make the attempts of a world for it. */
  relays: Pick<Relays, "open" | "report">;
  /** Sends these kinds, or all, to an address; returns the secret that signs them. */
  subscribe(world: World, to: { url: string; kinds: readonly EventKind[]; description: string }): string;
}

/** All five ports, for the composition root. Other modules declare the ports that they use. */
export interface Application extends WorldsPort, RequestsPort, TimePort, HistoryPort, WebhooksPort {}
