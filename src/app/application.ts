// What the transport may ask of the rest of the program. `sandbox.ts` hands these functions over; nothing here knows who does them.

import type { Fact } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { ClockRecord, Key, Token } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Activity } from "../http/activity.ts";
import type { Faults } from "../http/faults.ts";
import type { RequestLogs } from "../http/request-log.ts";
import type { Settings } from "../settings.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";

export interface Done<T = object> {
  result: T;
  facts: readonly Fact[];
}

export interface ReceiptLine {
  at: Instant;
  what: string;
  id: string;
  facts: Fact[];
}

export interface PublicOperation {
  id: string;
  /** Throws when what the path names is not there, before anything else of the request is looked at. */
  find?(tx: Transaction, path: never): unknown;
  /** The ask has passed the contract of this operation, so its types hold. */
  answer(tx: Transaction, ask: never): { status: number; body?: unknown };
}

export interface Application {
  readonly settings: Settings;
  readonly version: string;
  readonly controlToken: string;
  readonly worlds: Worlds;
  readonly requestLogs: RequestLogs;
  readonly faults: Faults;
  readonly activity: Activity;
  readonly operations: ReadonlyMap<string, PublicOperation>;
  /** The names of the fixtures that a world can begin with. */
  fixtures(): string[];
  /** The address that the sandbox is reached at. */
  base(): string;
  now(world: World): Instant;
  /** Why a world is set aside and not served; undefined while it is. */
  aside(world: World): string | undefined;
  /** One line for whoever runs the sandbox, about what no answer can tell. */
  warn(sentence: string): void;
  /** One change, kept and told; `cause` is what the messages it makes will name. */
  change<T>(world: World, cause: string, work: (tx: Transaction) => T): Done<T>;
  look<T>(world: World, question: (tx: Transaction) => T): T;
  /** Does what is due in the world by now, with turns for other requests in between; undefined when nothing is. */
  due(world: World): Promise<void> | undefined;
  /** With `--durability fsync`: resolves when what was written so far is on the disk. */
  settled(): Promise<void>;
  random: { secret(): string; token(): string; credentials(): { id: string; secret: string }; uuid(): string };
  keyOf(clientId: string): { world: World; key: Key } | undefined;
  tokenOf(hash: string): { world: World; token: Token } | undefined;
  acts: {
    all(): readonly { id: string }[];
    perform(world: World, act: string, input: unknown, cause: string): Done;
  };
  clock: {
    show(world: World): ClockRecord;
    set(world: World, change: { now?: Instant; mode?: "held" | "running" }): Promise<ReceiptLine[]>;
    advance(world: World, until: Instant | "next", dryRun: boolean): Promise<{ now: Instant; receipt: ReceiptLine[] }>;
  };
  states: {
    create(input: { id?: string; fixture?: string; clock?: Instant; seed?: string | number }): World;
    fork(world: World, count: number): World[];
    remove(world: World): void;
    reset(world: World): World;
    /** The document in pieces; some are empty. */
    export(world: World): Iterable<string>;
    import(world: World, document: unknown): { world: World; warnings: string[] };
    save(world: World, name: string): void;
    restore(world: World, name: string): World;
  };
  assumptions: {
    all(world: World): readonly Record<string, unknown>[];
    set(world: World, values: Record<string, string>): void;
  };
  messages: {
    list(world: World): Iterable<MessageShown>;
    count(world: World, kind: string | undefined): number;
    find(world: World, id: string): MessageShown | undefined;
    resend(world: World, id: string): MessageShown | undefined;
    resendFailed(world: World, since: Instant): MessageShown[];
    giveUp(world: World, id: string): MessageShown | undefined;
    clear(world: World): void;
    rotate(
      world: World,
      subscription: string,
      overlap: string | undefined,
    ): { id: string; secret: string; previous_valid_until?: Instant; signing: string };
    trigger(world: World, kind: string, set: Record<string, unknown>): Promise<Done>;
  };
  /** Sessions of the Model Context Protocol. */
  mcp: {
    ask(asked: {
      session: string | undefined;
      protocol: string | undefined;
      body: unknown;
      world: string | undefined;
    }): Promise<{ status: number; session?: string; body?: unknown; refusal?: string }>;
    /** Whether there was such a session. */
    end(session: string): Promise<boolean>;
  };
}

export interface MessageShown {
  id: string;
  kind: string;
  created_at: Instant;
  caused_by: string;
  body: unknown;
  deliveries: object[];
}
