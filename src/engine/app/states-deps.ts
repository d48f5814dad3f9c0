// Declares what the use cases of worlds need from the other parts.
import type { Instant } from "../domain/kernel/instant.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Prebuilt } from "../fixtures/prebuilt.ts";
import type { Fixture } from "../fixtures/read.ts";
import type { WallClock } from "../time/clock.ts";
import type { Cause } from "../world/state/commit.ts";
import type { SharedHooks, World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { History } from "./history.ts";
import type { RecordCheck } from "./record-check.ts";

export interface StatesDeps {
  worlds: Worlds;
  history: History;
  wall: WallClock;
  now(world: World): Instant;
  fixture(name: string): Fixture;
  prebuilt: Prebuilt;
  createHooks(id: string): SharedHooks;
  /** Performs an act of a fixture's history. `sound`: the build has validated its input. */
  perform(tx: Transaction, act: string, input: unknown, sound: boolean): void;
  changeAt(world: World, at: Instant, cause: Cause, work: (tx: Transaction) => void): unknown;
  /** Runs the work between two moves of the world's clock, which does nothing in the meantime. */
  runExclusively<T>(world: World, work: () => Promise<T>): Promise<T>;
  newCredentials(world: string): { id: string; secret: string };
  newWorldId(): string;
  check: RecordCheck;
  /** Sends the deliveries of a world that was loaded. */
  onLoad(world: World): void;
  /** Forgets the queued deliveries and the faults of a world that is replaced. */
  forgetWork(id: string): void;
  /** Forgets the runs, logs and verdicts of a removed world. */
  forgetWorld(id: string): void;
  /** Forgets the log of a world that another node has from now on. */
  forgetLog(id: string): void;
  /** Discards attempts in flight, and sends the pending deliveries again. */
  resendPending(world: World): void;
  /** Begins the past of a world without retained entries. */
  beginPast(world: World, why: "opened"): void;
  /** Adds an entry to the log of a world. */
  note(world: World, change: string, detail?: object): void;
  /** Lists the worlds of the run that began in this one, which are removed with it. */
  listParts(world: World): readonly World[];
  /** Reads the data that the run of a world needs after its removal. */
  readLeft(world: World): object;
  defaults: {
    fixture: string;
    clock: string | undefined;
    seed: string | undefined;
    /** Whether each world without a requested seed has its own. */
    ownSeeds: boolean;
    assume: Readonly<Record<string, string>>;
    allowPublic: boolean;
  };
}
