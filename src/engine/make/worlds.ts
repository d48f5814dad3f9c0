// Creates the parts that all others use: the fixtures, what all worlds share, and the worlds.
import { join } from "node:path";
import { isFixtureName } from "../../platform/fixture-name.ts";
import { getPackageRoot } from "../../platform/package-folder.ts";
import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { getDefaultAssumption } from "../app/assumptions.ts";
import { createFaults } from "../app/faults.ts";
import { Quarantine } from "../app/quarantine.ts";
import { makeRecordCheck } from "../app/record-check.ts";
import { Runs } from "../app/runs.ts";
import { Verdicts } from "../app/verdicts.ts";
import { createSizeWarning } from "../app/world-size.ts";
import type { Beginning } from "../domain/kernel/beginnings.ts";
import type { ClockRecord, Identity } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { type Fixture, listFixtureNames, openPrebuilt, type Prebuilt, readFixture } from "../fixtures/read.ts";
import { findStage } from "../http/inject-faults.ts";
import type { EntryStore } from "../log/data-file.ts";
import { Followers } from "../log/follow.ts";
import { ActivityLog } from "../log/log.ts";
import type { Settings } from "../settings.ts";
import { getNow, reach, wallClock } from "../time/clock.ts";
import { parseReceiverTimeout } from "../webhooks/http-delivery.ts";
import { writeMessages } from "../webhooks/outbox.ts";
import { makeRelays } from "../webhooks/relays.ts";
import type { Cause } from "../world/state/commit.ts";
import type { Collections, State } from "../world/state/schema.ts";
import { makeWorld, type World } from "../world/state/world.ts";
import { type WorldDraft, WorldMap, type Worlds } from "../world/state/worlds.ts";
import { makeIds } from "./random.ts";

/** A shipped fixture is read once per process. A folder of the user is read again, because it may have changed. */
const shipped = new Map<string, Fixture>();

export function readFixtureOnce(name: string): Fixture {
  const fixture = shipped.get(name) ?? readFixture(name, findFixtures(), getPrebuilt());
  if (isFixtureName(name)) shipped.set(name, fixture);
  return fixture;
}

export function findFixtures(): string {
  return join(getPackageRoot(), "fixtures");
}

const isBuilt = import.meta.url.endsWith(".cjs");

/** Returns the prebuilt worlds; from the sources, every fixture is played. */
export function getPrebuilt(): Prebuilt {
  return openPrebuilt(isBuilt ? join(getPackageRoot(), "dist") : undefined);
}

/** The storage of worlds: a data file, or a database that other nodes share. */
export interface Data {
  store: EntryStore;
  state: State;
  activityLog: ActivityLog;
  /** Set if other nodes serve worlds too. */
  shared?: { store: { readDatabaseTime(): number } };
}

export interface EngineInput
  extends Pick<RequestsPort, "settings" | "warn" | "monitor" | "getBaseUrl" | "getListenUrl" | "controlToken">,
    Pick<WorldsPort, "random"> {
  opened: Data | undefined;
  /** The key of all nodes for the marks of credentials. */
  credentialKey: string | undefined;
}

/** Creates what all worlds share. */
export function createShared(input: EngineInput) {
  const { settings, warn, opened, random } = input;
  const activityLog = opened?.activityLog ?? new ActivityLog(settings.logBytes);
  const check = makeRecordCheck((name) => name === settings.fixture || listFixtureNames(findFixtures()).includes(name));
  const runs = new Runs();
  return {
    ...input,
    activityLog,
    check,
    runs,
    quarantine: new Quarantine(check, warn),
    followers: new Followers(activityLog, warn),
    running: { cause: { kind: "world", id: "" } as Cause },
    newId: makeIds(),
    faults: createFaults(findStage, (world) => runs.findRun(world)?.world),
    verdicts: new Verdicts(),
    relays: makeRelays(random.uuid, parseReceiverTimeout(settings.receiverTimeout)),
    warnOfSize: createSizeWarning(warn),
  };
}

type Shared = ReturnType<typeof createShared>;

/** Returns the value of an assumption for a world of this identity. */
export const getAssumed = (identity: Identity | undefined, assumption: string, { assume }: Settings): string =>
  identity?.assumptions[assumption] ?? assume[assumption] ?? getDefaultAssumption(assumption);

/** Creates the worlds, whose changes are appended to the log. */
export function createWorlds({ settings, opened, getBaseUrl, activityLog, running, warnOfSize }: Shared) {
  const createHooks = (id: string, identity = () => worlds.get(id)?.identity()) => ({
    assumes: (assumption: string) => getAssumed(identity(), assumption, settings),
    address: (path: string) => `${getBaseUrl()}/files/${id}/${path}`,
    beforeCommit(tx: Transaction) {
      const clock = reach(tx.clock.get("clock"), tx.now);
      if (clock) tx.clock.put(clock);
      writeMessages(tx, running.cause.id);
    },
  });
  const append = (draft: WorldDraft, records?: Collections) => {
    const { to, request, ...cause } = running.cause;
    const { world, kind, at, facts = [], changes = [], ...more } = draft;
    // A token that a page or a tool of the sandbox requested is not a change of the world.
    const isOwnToken = cause.kind === "world" && changes.every(({ collection }) => collection === "tokens");
    const id = draft.why ?? (kind === "commit" && isOwnToken ? "" : cause.id);
    // `rewind` is placed before the long changes, because a reader searches the text for it.
    const rewind = to === undefined ? undefined : { to };
    const entry = { world, kind, id, at, wall: wallClock(), cause, request, ...more, rewind, facts, changes };
    activityLog.append(entry, undefined, records);
    const current = worlds.get(world);
    if (current && facts.some(({ fact }) => fact === "booking.created")) warnOfSize(current);
  };
  const appendPart = (draft: WorldDraft) => activityLog.appendPart({ ...draft, id: "", wall: wallClock() });
  const now = (clock: ClockRecord | undefined) => getNow(clock, wallClock);
  const worlds: Worlds = new WorldMap({ createHooks, now, append, appendPart }, opened?.state ?? []);
  if (opened) opened.store.copyState = (only) => worlds.copyState(only);
  return {
    worlds,
    createHooks,
    /** Copies a world with these records; changes of the copy are not stored. */
    copy(world: World, collections = world.copy()): World {
      const hooks = createHooks(world.id, () => collections.identity.get("identity"));
      return makeWorld(world.id, { ...hooks, append: () => undefined }, collections);
    },
    /** Records the beginning of the history of a world that has none in the log. */
    beginPast({ id: world, clock, copy }: World, why: Beginning): void {
      if (activityLog.findMarks(world).beginning) return;
      const draft = { world, kind: "state" as const, id: why, at: now(clock()), wall: wallClock() };
      activityLog.append({ ...draft, replaced: { from: world } }, undefined, copy());
    },
  };
}
