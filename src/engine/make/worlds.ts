// The ground that every part stands on: what was given, the worlds, and the log of what happens in them.
import type { RequestsPort, Teams, TeamsPort, WorldsPort } from "../app/application.ts";
import { nothingRuns } from "../app/changes.ts";
import { makeFaults } from "../app/faults.ts";
import { makeNumbers } from "../app/numbers.ts";
import { makeQuarantine } from "../app/quarantine.ts";
import { makeRecordCheck } from "../app/record-check.ts";
import { defaultOf } from "../app/register.ts";
import { createRuns } from "../app/runs.ts";
import { makeVerdicts } from "../app/verdicts.ts";
import { createSizeWarning } from "../app/world-size.ts";
import type { Beginning } from "../domain/kernel/beginnings.ts";
import type { Identity } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { fixtureNames } from "../fixtures/read.ts";
import { stageOf } from "../http/fault-effects.ts";
import { addressOf } from "../http/files.ts";
import { noteRequest } from "../http/request-notes.ts";
import { parseEntry, type StoredEntry } from "../log/entry.ts";
import { Followers } from "../log/follow.ts";
import { ActivityLog } from "../log/log.ts";
import { WorldLogs } from "../log/world-logs.ts";
import type { Settings } from "../settings.ts";
import { nowOf, reached, wallClock } from "../time/clock.ts";
import { writeMessages } from "../webhooks/outbox.ts";
import { makeRelays, type Relays } from "../webhooks/relays.ts";
import type { World } from "../world/state/world.ts";
import { openWorlds, type WorldEntry, type Worlds } from "../world/state/worlds.ts";
import {
  type LogRecord,
  type NumberBlocks,
  numbersInMemory,
  type SharedStore,
  type StateDump,
  type Store,
  type StoreView,
} from "../world/store/store.ts";
import { fixturesFolder } from "./fixtures.ts";
import { makeIds } from "./random.ts";

/** Where worlds are kept: a data file, or a database that other nodes use too. */
export interface Data {
  store: Store;
  state: StateDump | null;
  numbers: NumberBlocks;
  shared?: { store: SharedStore };
}

interface WorldsInput
  extends Pick<RequestsPort, "settings" | "warn" | "monitor" | "base" | "own" | "controlToken">,
    Pick<TeamsPort, "teams">,
    Pick<WorldsPort, "random"> {
  opened: Data | undefined;
  /** That of all nodes, for the marks of credentials. */
  credentialKey: string | undefined;
}

/** What every floor stands on: what was given, and what is held in memory about worlds. */
export function makeGround(given: WorldsInput) {
  const { settings, warn } = given;
  const check = makeRecordCheck({
    hasFixture: (name) => name === settings.fixture || fixtureNames(fixturesFolder()).includes(name),
  });
  const relays: Relays = makeRelays(given.random.uuid);
  const numbers = makeNumbers(given.opened?.numbers ?? numbersInMemory());
  const activityLog = new ActivityLog(settings.logBytes, numbers.numberAfter);
  activityLog.continueAfter(numbers.start);
  const runs = createRuns();
  return {
    ...given,
    check,
    quarantine: makeQuarantine({ check, warn, file: settings.data ?? "memory" }),
    activityLog,
    followers: new Followers(activityLog, warn),
    numbers,
    running: nothingRuns(),
    newId: makeIds(),
    runs,
    faults: makeFaults(stageOf, (world) => runs.runOf(world)?.world),
    verdicts: makeVerdicts(),
    relays,
    warnOfSize: createSizeWarning(warn),
  };
}

export type Ground = ReturnType<typeof makeGround>;

/** The value of an assumption for a world of this identity. */
export const assumedBy = (identity: Identity | undefined, assumption: string, { assume }: Settings): string =>
  identity?.assumptions[assumption] ?? assume[assumption] ?? defaultOf(assumption);

function makeWorlds({ settings, opened, teams, base, activityLog, running, warnOfSize }: Ground) {
  const hooksOf = (id: string, identity = () => worlds.get(id)?.identity()) => ({
    assumes: (assumption: string) => assumedBy(identity(), assumption, settings),
    address: (path: string) => addressOf(base(), id, path),
    beforeCommit(tx: Transaction) {
      const clock = reached(tx.clock.get("clock"), tx.now);
      if (clock) tx.clock.put(clock);
      writeMessages(tx, running.cause.id);
    },
  });
  const store = (line: () => LogRecord) => {
    const { store, shared } = opened ?? {};
    keepLine(store, teams && shared ? ownedLine(teams, shared.store, line) : line, (only) => worlds.view(only));
  };
  activityLog.sink = {
    append(entry) {
      if (entry.kind === "commit") store(() => toLogRecord(entry));
    },
  };
  const append = ({ world, kind, at, facts, changes }: WorldEntry) => {
    const { to, ...cause } = running.cause;
    // A token that a page or a tool of the sandbox requested is nothing that happened in the world.
    const isOwnToken = cause.kind === "world" && changes.every(({ collection }) => collection === "tokens");
    const id = isOwnToken ? "" : cause.id;
    // Before the changes, which are long: a reader looks for it in the text.
    const rewind = to === undefined ? {} : { rewind: { to } };
    activityLog.append({ world, kind, id, at, wall: wallClock(), cause, ...rewind, facts, changes });
    const current = worlds.get(world);
    if (current && facts.some(({ fact }) => fact === "booking.created")) warnOfSize(current);
  };
  /** The past of a world that has none in the log begins now; of one that has another state now too. */
  const beginPast = ({ id: world, clock }: World, why: Beginning, from: string | null = null) => {
    if (why === "start" && activityLog.findBeginning(world)) return;
    const wall = wallClock();
    const at = nowOf(clock(), () => wall);
    activityLog.append({ world, kind: "state", id: why, at, wall, replaced: { from } });
  };
  const worlds: Worlds = openWorlds({ hooksOf, append, store, stages: !opened?.shared }, opened?.state ?? null);
  return { worlds, hooksOf, beginPast };
}

/** What the store knows of a commit. */
function toLogRecord(entry: StoredEntry): LogRecord {
  const { changes = [] } = parseEntry(entry);
  const grows = changes.reduce((rows, { before, after }) => rows + (after ? 1 : 0) - (before ? 1 : 0), 0);
  return { commit: entry.world, changes: changes.map(({ collection, id, after }) => [collection, id, after]), grows };
}

/** The worlds, and the log of what happens in them. */
export function makeFloor(ground: Ground) {
  const { activityLog, quarantine, runs } = ground;
  const made = makeWorlds(ground);
  const log = new WorldLogs({
    log: activityLog,
    headOf: runs.headOf,
    wall: wallClock,
    notes: noteRequest,
    read(id, read) {
      const world = made.worlds.get(id);
      if (!world || quarantine.why(world) !== undefined) return undefined;
      return world.read(world.clock()?.at ?? "", read);
    },
  });
  return { ...ground, ...made, log };
}

export type Floor = ReturnType<typeof makeFloor>;

/** Says first whose a new world is. */
function ownedLine({ making }: Teams, store: Pick<SharedStore, "belongs">, line: () => LogRecord) {
  return () => {
    const record = line();
    const made = "load" in record ? record.load : "clone" in record ? record.as : undefined;
    if (made !== undefined && making) store.belongs(made, making);
    return record;
  };
}

/** Appends to the store, and compacts it when it has grown, but only once the state has the change too: a snapshot without it would lose it. */
function keepLine(store: Store | undefined, line: () => LogRecord, view: StoreView): void {
  if (!store) return;
  store.append(line());
  if (store.due) queueMicrotask(() => store.due && store.compact(view).catch(() => undefined));
}
