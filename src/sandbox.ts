// The composition root: makes every part and joins them, so that none of them has to know another. No rules here.
import { randomBytes, randomUUID, scryptSync } from "node:crypto";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import controlOperations from "./contract/generated/control-operations.json" with { type: "json" };
import publicOperations from "./contract/generated/operations.json" with { type: "json" };
import type { Act, ActId } from "./engine/acts/act.ts";
import { acts } from "./engine/acts/index.ts";
import { makeActivity } from "./engine/app/activity.ts";
import type { Application, PublicOperation, Teams } from "./engine/app/application.ts";
import { type Aside, makeAside } from "./engine/app/aside.ts";
import { begin } from "./engine/app/begin.ts";
import { makeChanges } from "./engine/app/changes.ts";
import { type Clocks, makeClocks } from "./engine/app/clocks.ts";
import { makeCommitMemory } from "./engine/app/commits.ts";
import { dueList } from "./engine/app/due-list.ts";
import { makeDueWork } from "./engine/app/due-work.ts";
import { makeFaults } from "./engine/app/faults.ts";
import { type History, makeHistory } from "./engine/app/history.ts";
import type { Hosted } from "./engine/app/hosted.ts";
import { makeLog } from "./engine/app/log.ts";
import { type ClockMoved, clockEntry, deliveryEntry, factEntry, worldEntry } from "./engine/app/log-entries.ts";
import { loggedStates } from "./engine/app/logged-states.ts";
import { tellAttempt, traceAttempt } from "./engine/app/monitoring/attempts.ts";
import { makeMonitor, type Watchers } from "./engine/app/monitoring/monitor.ts";
import { storeFamilies } from "./engine/app/monitoring/store-figures.ts";
import { makeNumbers } from "./engine/app/numbers.ts";
import { makeRecordCheck } from "./engine/app/record-check.ts";
import { collectionCounts, recordOf, recordPage } from "./engine/app/records.ts";
import { assumptionsOf, defaultOf, whyNotAssume } from "./engine/app/register.ts";
import { makeSignIns } from "./engine/app/sign-ins.ts";
import { makeStates } from "./engine/app/states.ts";
import { makeSubscribe } from "./engine/app/subscribe.ts";
import { trialBalanceOf } from "./engine/app/trial-balance.ts";
import { makeVerdicts } from "./engine/app/verdicts.ts";
import { makeRewind } from "./engine/app/way-back.ts";
import { after, fromMillis, toMillis } from "./engine/domain/kernel/instant.ts";
import type { Identity } from "./engine/domain/kernel/records.ts";
import type { Transaction } from "./engine/domain/kernel/transaction.ts";
import { faultsOf, lifeCycles } from "./engine/domain/kernel/transitions.ts";
import { noPrebuilt, type Prebuilt, prebuiltAt } from "./engine/fixtures/prebuilt.ts";
import { type Fixture, fixtureNames, readFixture } from "./engine/fixtures/read.ts";
import { checkAct } from "./engine/http/act-input.ts";
import { type App, type MakeGate, makeApp } from "./engine/http/app.ts";
import { cookieShown, SHARED_COOKIE, tokenShown } from "./engine/http/control/credentials-shown.ts";
import { stageOf } from "./engine/http/fault-effects.ts";
import { addressOf } from "./engine/http/files.ts";
import { isSameSecret } from "./engine/http/same-secret.ts";
import { operations } from "./engine/operations/index.ts";
import { type SandboxOptions, SettingFault, type Settings, settingsFrom } from "./engine/settings.ts";
import { monotonicClock, reached, steady, wallClock } from "./engine/time/clock.ts";
import { keepZones } from "./engine/time/kept-zones.ts";
import { type Dispatcher, makeDispatcher } from "./engine/webhooks/dispatcher.ts";
import { makeMessages } from "./engine/webhooks/messages.ts";
import { writeMessages } from "./engine/webhooks/outbox.ts";
import { makeSignatures } from "./engine/webhooks/signature/index.ts";
import { makeTrigger, trigger } from "./engine/webhooks/trigger.ts";
import { whyHandlers } from "./engine/why/index.ts";
import type { Cause, Committed } from "./engine/world/state/commit.ts";
import { credentialIn, hashOf, markOf, worldOfCredential } from "./engine/world/state/credential.ts";
import type { World } from "./engine/world/state/world.ts";
import { openWorlds, type Worlds } from "./engine/world/state/worlds.ts";
import {
  isStoreError,
  type LogRecord,
  type NumberBlocks,
  numbersBeside,
  numbersInMemory,
  numbersOfNode,
  openStore,
  type SharedStore,
  type StateDump,
  type Store,
  StoreError,
  type View,
} from "./engine/world/store/store.ts";
import type { TeamStore } from "./engine/world/store/team-store.ts";
import { makeGate } from "./hosted/gate/gate.ts";
import { makeSessions } from "./mcp/sessions.ts";
import { isFixtureName } from "./platform/fixture-name.ts";
import { packageFolder } from "./platform/package-folder.ts";

export type { Happening, Watchers } from "./engine/app/monitoring/monitor.ts";
export { shippedAssumptions } from "./engine/app/register.ts";
export { bindingFlips, documentInForce } from "./engine/http/in-force.ts";

/** Undefined where a package that they need is missing. */
export async function openTraces(): Promise<Watchers["traces"]> {
  const { openTraces: open } = await import("./engine/app/monitoring/open-telemetry.ts");
  return open(manifest.version);
}

export { wallClock } from "./engine/time/clock.ts";

export interface Sandbox {
  app: App;
  application: Application;
  warnings: string[];
  /** Sets the address of the sandbox, once it listens. */
  reachedAt(base: string): void;
  /** Then: resolves when the other nodes on its database know it too. */
  announce(): Promise<void> | undefined;
  /** Writes the whole state to the data file: needed after bulk work. */
  writeDown(): Promise<void>;
  /** Before the server stops: a node among others gets its clients to go to those. */
  leave(): Promise<void> | undefined;
  /** `answers` resolves when the server has stopped; until then it may still write. */
  close(answers?: Promise<void>): Promise<void>;
}

/** With a tilde, which some form encoders leave alone and others write as %7E: both are the same secret. */
const newSecret = () => `${randomBytes(8).toString("base64url")}~${randomBytes(24).toString("base64url")}`;

const newToken = () => randomBytes(32).toString("base64url");

/** All nodes have the same control token. Slow, so that who has a mark learns the token no sooner than who tries it out. */
const credentialKeyFrom = (controlToken: string): string => scryptSync(controlToken, "credentials", 32).toString("hex");

/** With a key, the credentials of a world bear its mark; one sandbox alone has all worlds open, and needs none. */
function makeRandom(key: string | undefined): Application["random"] {
  const mark = (world: string) => (key === undefined ? randomBytes(6).toString("hex") : markOf(key, world));
  return {
    secret: () => `whsec_${randomBytes(32).toString("base64")}`,
    token: (world) => credentialIn(world, mark(world) + randomBytes(23).toString("base64url")),
    credentials: (world) => ({
      id: credentialIn(world, mark(world) + randomBytes(6).toString("hex")),
      secret: newSecret(),
    }),
    uuid: randomUUID,
  };
}

/** `warn` gets what no response can say; `watchers` get all that happens. */
export async function makeSandbox(
  inputs: SandboxOptions,
  warnPerson: Application["warn"] = emitWarning,
  watchers: Watchers = {},
): Promise<Sandbox> {
  const monitor = makeMonitor(watchers);
  const warn = (sentence: string) => {
    monitor.count("warnings");
    warnPerson(sentence);
  };
  const settings = settingsFrom(inputs);
  if (isBuilt) keepZones(distFolder());
  mustBeSound(settings);
  // Before the data file is opened: --fresh must not replace it by a fixture that can't be read.
  if (settings.fresh) readOnce(settings.fixture);
  let address = `http://127.0.0.1:${settings.port || 4010}`;
  const opened = await openData(settings, { address: () => address, warn });
  const shared = opened?.shared;
  const controlToken = settings.controlToken ?? newToken();
  const credentialKey = shared && credentialKeyFrom(controlToken);
  const teams = shared && teamsOn(shared, controlToken, warn);
  const ground = makeGround({
    settings,
    opened,
    teams,
    controlToken,
    credentialKey,
    random: makeRandom(credentialKey),
    warn,
    monitor,
    own: () => address,
    base: () => settings.publicUrl?.replace(/\/$/, "") ?? address,
  });

  const worlds = makeFloor(ground, () => time.changes.cause);
  const time = makeTime(worlds, () => dispatcher);
  const dispatcher = makeWebhooks(worlds, time);
  const history = makePast(worlds, time);
  const states = makeWorldStates(worlds, time, dispatcher, history);
  const hosted = shared && makeNode(shared, worlds, time, states);
  if (shared) monitor.readFrom(() => storeFamilies(shared.store.figures()));
  const application = makeApplication(worlds, time, dispatcher, { states, history, hosted });

  const view = () => application.worlds.view();
  const close = closing({ opened, teams, numbers: ground.numbers }, time, dispatcher);
  const begun = hosted ? startHosted(application, hosted) : start(application, ground.aside, time, dispatcher);
  const warnings = await begun.catch(async (reason) => {
    await close();
    throw reason;
  });
  const endTidying = shared?.parts.keepTidy(application);
  return {
    app: makeHttp(application, hosted && makeGate.bind(undefined, hosted)),
    application,
    warnings: [...(opened?.warnings ?? []), ...warnings],
    reachedAt(url) {
      address = url;
    },
    announce: () => shared?.store.announce(),
    writeDown: async () => opened?.store.compact(view, "all"),
    leave: () => hosted?.leave(),
    async close(answers) {
      endTidying?.();
      hosted?.end();
      await application.mcp.close();
      await close(view, answers);
    },
  };
}

/** What is there on a database only. */
interface Shared {
  store: SharedStore;
  teams: TeamStore;
  parts: typeof import("./hosted/index.ts");
}

interface Data {
  store: Store;
  state: StateDump | null;
  warnings: string[];
  numbers: NumberBlocks;
  shared?: Shared;
}

/** The database or the data file; in memory there is none. */
async function openData(
  settings: Settings,
  { address, warn }: { address(): string; warn: Application["warn"] },
): Promise<Data | undefined> {
  const { database, waitFor, data, durability, fresh, host } = settings;
  if (database === undefined) {
    if (data === undefined) return undefined;
    const { path, isNew, ...opened } = await openStore(data, { durability, fresh });
    return { ...opened, numbers: await numbersBeside(path, { isNew, wall: wallClock, warn }) };
  }
  const parts = await import("./hosted/index.ts");
  const url = () => settings.nodeUrl ?? parts.nodeUrl(address(), host);
  const node = { waitFor, newId: randomUUID, version: manifest.version, wall: wallClock, url, warn };
  const { store, teams, warnings } = await parts.openDatabase(database, node);
  const numbers = await numbersOfNode(() => store.unique()).catch(async (reason) => {
    await store.close();
    throw reason;
  });
  return { store, state: null, warnings, numbers, shared: { store, teams, parts } };
}

/** What this node does with worlds, among others on the same database. */
function makeNode(
  { store, parts }: Shared,
  { settings, credentialKey = "", worlds, aside, warn, monitor }: Floor,
  { clocks }: Time,
  states: States,
): Hosted {
  return parts.makeHosted({
    ...{ store, credentialKey, warn, count: monitor.count, most: settings.worldsInMemory, monotonic: monotonicClock },
    tell: ({ event, ...more }) =>
      monitor.tell?.({ level: event === "world_lost" ? "warning" : "info", event, node: store.node, ...more }),
    worlds: worlds.all,
    world: worlds.get,
    open(id, state) {
      // A broken record of one world is no reason to serve none.
      aside.examine(states.open(id, state), clocks.now);
    },
    close: states.close,
    dueAt: (world) => (aside.why(world) === undefined ? clocks.dueAt(world) : undefined),
  });
}

type States = Application["states"];

/** Who may do what, where there is a database. */
function teamsOn({ teams: store, parts }: Shared, controlToken: string, warn: Application["warn"]): Teams {
  return parts.makeTeams({
    ...{ store, controlToken, warn, wall: wallClock, monotonic: monotonicClock, newSecret: newToken },
    secondsIn(duration) {
      const now = wallClock();
      return (toMillis(after(fromMillis(now), duration)) - now) / 1000;
    },
    isControlToken: (sent) => isSameSecret(sent, controlToken),
    tokenIn: tokenShown,
    sessionIn: (headers) => cookieShown(headers, SHARED_COOKIE),
  });
}

type Opened = Awaited<ReturnType<typeof openData>>;

interface Given
  extends Pick<Application, "settings" | "warn" | "monitor" | "base" | "own" | "teams" | "controlToken" | "random"> {
  opened: Opened;
  /** That of all nodes, for the marks of credentials. */
  credentialKey: string | undefined;
}

/** What every floor stands on: what was given, and what is held in memory about worlds. */
function makeGround(given: Given) {
  const { settings, warn } = given;
  const check = makeRecordCheck({
    hasFixture: (name) => name === settings.fixture || fixtureNames(fixturesFolder()).includes(name),
  });
  const numbers = makeNumbers(given.opened?.numbers ?? numbersInMemory());
  const activity = makeActivity(
    (reason) => warn(`A listener failed and was removed: ${String(reason)}. Please report it.`),
    numbers,
  );
  const most = { commits: settings.historyCommits, bytes: settings.historyBytes };
  return {
    ...given,
    check,
    aside: makeAside({ check, warn, file: settings.data ?? "memory" }),
    activity,
    numbers,
    newId: makeIds(),
    memory: makeCommitMemory({ next: numbers.next, wall: wallClock, most }),
    faults: makeFaults(stageOf),
    verdicts: makeVerdicts(),
  };
}

type Ground = ReturnType<typeof makeGround>;

/** The value of an assumption for a world of this identity. */
const assumedBy = (identity: Identity | undefined, assumption: string, { assume }: Settings): string =>
  identity?.assumptions[assumption] ?? assume[assumption] ?? defaultOf(assumption);

/** `cause`: of the change that is being committed. */
function makeWorlds({ settings, opened, teams, base, memory }: Ground, cause: () => Cause) {
  const hooksOf = (id: string, identity = () => worlds.get(id)?.identity()) => ({
    assumes: (assumption: string) => assumedBy(identity(), assumption, settings),
    address: (path: string) => addressOf(base(), id, path),
    beforeCommit(tx: Transaction) {
      const clock = reached(tx.clock.get("clock"), tx.now);
      if (clock) tx.clock.put(clock);
      writeMessages(tx, cause().id);
    },
  });
  const append = (line: () => LogRecord) => {
    const { store, shared } = opened ?? {};
    keepLine(store, teams && shared ? ownedLine(teams, shared.store, line) : line, (only) => worlds.view(only));
  };
  const committed = (world: World, commit: Committed) => memory.add(world, cause(), commit);
  const worlds: Worlds = openWorlds({ hooksOf, append, committed, stages: !opened?.shared }, opened?.state ?? null);
  return { worlds, hooksOf };
}

/** The worlds, and the log of what happens in them. */
function makeFloor(ground: Ground, cause: () => Cause) {
  const { settings, activity, aside } = ground;
  const made = makeWorlds(ground, cause);
  const log = makeLog({
    activity,
    wall: wallClock,
    limits: { entries: settings.logEntries, bytes: settings.logBytes },
    messagesOf(id, caused) {
      const world = made.worlds.get(id);
      if (!world || aside.why(world) !== undefined) return [];
      return world.read(world.clock()?.at ?? "", (tx) =>
        tx.messages.where("cause", caused).map((message) => message.id),
      );
    },
  });
  return { ...ground, ...made, log };
}

type Floor = ReturnType<typeof makeFloor>;

/** Changes of worlds, each at an instant: at the world's now, or on the way of a clock that is moved. */
function makeTime({ opened, worlds, hooksOf, aside, memory, log, newId }: Floor, dispatcher: () => Dispatcher) {
  const shared = opened?.shared;
  // Every node goes by the clock of the database.
  const wall = steady(shared ? () => Math.floor(shared.store.databaseNow()) : wallClock);
  const now = aside.guarded((world) => clocks.now(world));
  const newReceiptId = () => newId("clk");
  const nudge = (world: World) => dispatcher().nudge(world);
  const due = makeDueWork({
    now,
    isCurrent: (world) => worlds.get(world.id) === world,
    doer: (world) => clocks.doer(world),
    nudge,
    newId: newReceiptId,
    wall,
    passed: (world, { id, from, lines: receipt, began }) =>
      moved(world, { id, from, to: now(world), by: "tick", receipt, duration_ms: wall() - began }),
  });
  const changes = makeChanges({
    current: (id) => worlds.get(id),
    now,
    catchUp: due.catchUp,
    nudge,
    announce(world, facts, cause) {
      const { seq, at } = memory.last(world);
      log.add(factEntry({ seq, at, world: world.id, cause, facts }));
    },
  });
  const moved = (world: World, move: Omit<ClockMoved, "world" | "mode">) => {
    if (worlds.get(world.id) === world)
      log.add(clockEntry({ ...move, world: world.id, mode: clocks.show(world).mode }));
  };
  const clocks: Clocks = makeClocks({
    worlds: () => worlds.all().filter((world) => aside.why(world) === undefined),
    changes: () => changes,
    due: () => due,
    wall,
    dispatcher,
    hooksOf,
    newId: newReceiptId,
    moved,
    failed: aside.put,
  });
  return { wall, now, due, changes, clocks };
}

type Time = ReturnType<typeof makeTime>;

function makeWebhooks(
  { settings, opened, teams, worlds, aside, log, faults, monitor }: Floor,
  { now, due, changes, clocks }: Time,
) {
  const parts = opened?.shared?.parts;
  return makeDispatcher({
    now,
    mode: (world) => clocks.show(world).mode,
    // A move of the clock does what is due in pieces, and must not be made to do the rest at once by an attempt that ends meanwhile.
    change: (world, cause, work) =>
      due.isMoving(world) ? changes.changeAt(world, now(world), cause, work) : changes.change(world, cause, work),
    look: changes.peek,
    world: (id) => {
      const world = worlds.get(id);
      return world && aside.why(world) === undefined ? world : undefined;
    },
    wall: wallClock,
    committed: (world) => {
      const waiting = opened?.store.settled(world);
      return teams && parts ? parts.durableAndKnown(waiting, teams, world) : waiting;
    },
    ...(teams && parts ? { limits: parts.webhookLimits(teams) } : {}),
    retry: settings.retry,
    failed: aside.put,
    sending: monitor.traces && ((world, request) => traceAttempt(monitor, changes.peek, world, request)),
    faultFor: (world, kind) => faults.trigger(world.id, { stage: "delivery", kind }),
    attempted(world, delivery, message) {
      log.add(deliveryEntry(world, delivery, message));
      tellAttempt(monitor, world, delivery, message);
    },
  });
}

function makePast({ worlds, hooksOf, memory, numbers }: Floor, { now }: Time): History {
  const snapshots = (id: string) => worlds.snapshots(id);
  return makeHistory({ memory, now, wall: wallClock, numbers, hooksOf, snapshots });
}

const actsByName = new Map(acts.map((act) => [act.id as string, act as unknown as Act<ActId>]));

const performing =
  ({ credentials }: Application["random"]) =>
  (tx: Transaction, name: string, input: unknown) => {
    const act = actsByName.get(name);
    if (!act) throw new Error(`there is no act ${name}`);
    return act.perform(tx, input as never, { newCredentials: () => credentials(tx.world) });
  };

function makeWorldStates(floor: Floor, time: Time, dispatcher: Dispatcher, history: History) {
  const { settings, worlds, hooksOf, check, aside, log, faults, verdicts, memory, newId, random } = floor;
  const performOn = performing(random);
  const { fixture, clock, seed, assume, allowPublicWebhooks: allowPublic } = settings;
  const rewind = makeRewind({
    ...{ worlds: () => worlds, history, memory },
    ...{ wall: time.wall, now: time.now, changeAt: time.changes.changeAt, alone: time.clocks.alone },
    attemptAnew(world) {
      dispatcher.forget(world.id);
      dispatcher.nudge(world);
    },
  });
  const states = makeStates({
    worlds: () => worlds,
    fixture: readOnce,
    prebuilt: prebuilt(),
    hooksOf,
    perform: (tx, name, input, sound) => performOn(tx, name, sound ? input : checkAct(name, input)),
    newCredentials: random.credentials,
    newWorldId: () => `w-${randomBytes(6).toString("hex")}`,
    wall: time.wall,
    now: time.now,
    check,
    forgotten(id) {
      dispatcher.forget(id);
      log.beginAnew(id);
      faults.clear(id);
    },
    loaded(world, why) {
      memory.begin(world, why);
      dispatcher.nudge(world);
    },
    saved: memory.saved,
    history,
    defaults: { fixture, clock, seed, assume, allowPublic },
  });
  const atOf = (world: World) => (aside.why(world) === undefined ? time.now(world) : (world.clock()?.at ?? ""));
  const entry = (world: World, change: string, detail: Readonly<Record<string, unknown>>) =>
    log.add(worldEntry({ id: newId("wld"), world: world.id, at: atOf(world), change, detail }));
  return loggedStates(
    { ...states, rewind },
    {
      note: entry,
      gone(world) {
        entry(world, "removed", {});
        log.forget(world.id);
        verdicts.forget(world.id);
      },
      closed({ id }) {
        log.forget(id);
        verdicts.forget(id);
      },
    },
  );
}

function makeApplication(
  {
    settings,
    opened,
    worlds,
    hooksOf,
    aside,
    activity,
    log,
    monitor,
    faults,
    verdicts,
    warn,
    own,
    base,
    newId,
    teams,
    controlToken,
    random,
  }: Floor,
  time: Time,
  dispatcher: Dispatcher,
  { states, history, hosted }: Pick<Application, "states" | "history" | "hosted">,
): Application {
  const { change, look } = time.changes;
  const performOn = performing(random);
  return {
    ...{
      settings,
      worlds,
      activity,
      log,
      monitor,
      faults,
      states,
      history,
      change,
      look,
      random,
      newId,
      warn,
      base,
      own,
    },
    ...{ verdicts, teams, controlToken },
    version: manifest.version,
    instance: random.uuid(),
    mcp: makeMcp(worlds, states, () => ({ url: own(), controlToken })),
    operations: new Map((operations as readonly PublicOperation[]).map((operation) => [operation.id, operation])),
    fixtures: () => fixtureNames(fixturesFolder()),
    now: time.now,
    assumes: (world, assumption) => assumedBy(world.identity(), assumption, settings),
    aside: aside.why,
    due: time.due.inTurns,
    committed: (world) => opened?.store.settled(world),
    isUsable: () => !opened?.shared || (opened.shared.store.isUsable && !hosted?.isLeaving),
    hosted,
    ...credentialsIn(worlds),
    subscribe: makeSubscribe(change, random.secret),
    acts: {
      all: () => acts,
      work: performOn,
      perform: (world, name, input, cause) => change(world, cause, (tx) => performOn(tx, name, input)),
    },
    clock: time.clocks,
    assumptions: assumptionsOf(change, (world, set, before) =>
      log.add(
        worldEntry({
          id: newId("wld"),
          world: world.id,
          at: time.now(world),
          change: "assume",
          detail: { set, before },
        }),
      ),
    ),
    records: {
      counts: (world) => look(world, collectionCounts),
      page: (world, collection, wanted) => look(world, (tx) => recordPage(tx, collection, wanted)),
      find: (world, collection, id) => look(world, (tx) => recordOf(tx, collection, id)),
      due: (world, wanted) => look(world, (tx) => dueList(tx, wanted)),
      trialBalance: (world, span) => look(world, (tx) => trialBalanceOf(world, tx, span(tx), hooksOf(world.id))),
    },
    signIns: makeSignIns({ wall: wallClock, newId: newToken }),
    messages: {
      ...makeSignatures({ look, wall: wallClock }),
      ...makeMessages({ change, look, nudge: dispatcher.nudge, secret: random.secret }),
      trigger: makeTrigger({
        change,
        look,
        advance: (world, until, by) => time.clocks.advance(world, until, false, by),
      }),
      work: trigger,
    },
  };
}

/** The world default is made by the node that comes first; the others find it. */
async function startHosted(application: Application, hosted: Hosted): Promise<string[]> {
  for (;;) {
    const place = await hosted.place("default");
    if (place.is === "unreadable") throw new StoreError(place.why);
    if (place.is === "elsewhere") return [];
    try {
      const begun = begin(application, application.settings);
      await application.committed("default");
      return begun;
    } catch (reason) {
      if (!isStoreError(reason) || place.is === "here") throw reason;
      // Another node has made it meanwhile.
    } finally {
      if (place.is === "here") place.guest.leave();
    }
  }
}

const ofMcp = /^mcp-[0-9a-f]{12}$/;

/** Its sessions are clients too, and ask the sandbox over HTTP. */
function makeMcp(worlds: Worlds, states: Application["states"], server: () => { url: string; controlToken: string }) {
  return makeSessions({
    place: () => ({ ...server(), version: manifest.version, folder: packageFolder() }),
    newSessionId: (world) => credentialIn(world, randomUUID()),
    newWorldId: () => `mcp-${randomBytes(6).toString("hex")}`,
    removeWorld(id) {
      const world = worlds.get(id);
      if (world) states.remove(world);
    },
  });
}

function credentialsIn(worlds: Worlds): Pick<Application, "keyOf" | "tokenOf"> {
  return {
    keyOf(id) {
      const world = worlds.get(worldOfCredential(id));
      const key = world?.credentials().keys.get(id);
      return world && key && { world, key };
    },
    tokenOf(sent) {
      const world = worlds.get(worldOfCredential(sent));
      const token = world?.credentials().tokens.get(hashOf(sent));
      return world && token && { world, token };
    },
  };
}

function makeHttp(application: Application, gate: MakeGate | undefined): App {
  const specification = { public: publicOperations, control: controlOperations };
  return makeApp(application, specification, whyHandlers, gate);
}

/** Ids of requests, acts, receipts and changes of worlds: counted, behind a stamp of this process. */
function makeIds(): Application["newId"] {
  const stamp = randomBytes(3).toString("hex");
  const counts = { req: 0, act: 0, clk: 0, wld: 0 };
  return (kind) => `${kind}-${stamp}-${++counts[kind]}`;
}

/** Looks at the worlds that the data file held, makes or resumes the world default, and lets time go on. Answers warnings. */
async function start(application: Application, aside: Aside, time: Time, dispatcher: Dispatcher): Promise<string[]> {
  // Their sessions ended with the process that they were in.
  for (const world of application.worlds.all()) if (ofMcp.test(world.id)) application.states.remove(world);
  const broken = aside.inspect(application.worlds.all(), time.clocks.now);
  for (const world of application.worlds.all()) if (!aside.why(world)) application.history.kept(world);
  const begun = begin(application, application.settings);
  for (const world of application.worlds.all()) dispatcher.nudge(world);
  time.clocks.tick();
  return [...broken, ...begun];
}

function closing(
  { opened, teams, numbers }: Pick<Ground, "opened" | "teams" | "numbers">,
  { clocks }: Time,
  dispatcher: Dispatcher,
) {
  return async (view?: () => StateDump, answers?: Promise<void>): Promise<void> => {
    // Both at once: a clock move that is to be answered may be waiting for a receiver that never does.
    await Promise.all([dispatcher.close(), answers]);
    await clocks.close();
    await teams?.close();
    if (view) await opened?.numbers.end(numbers.latest);
    await opened?.store.close(view);
  };
}

function emitWarning(sentence: string): void {
  process.emitWarning(sentence, "SandboxWarning");
}

/** Says first whose a new world is. */
function ownedLine({ maker }: Teams, store: Pick<SharedStore, "belongs">, line: () => LogRecord) {
  return () => {
    const record = line();
    const made = "load" in record ? record.load : "clone" in record ? record.as : undefined;
    if (made !== undefined && maker !== undefined) store.belongs(made, maker);
    return record;
  };
}

/** Appends to the store, and compacts it when it has grown, but only once the state has the change too: a snapshot without it would lose it. */
function keepLine(store: Store | undefined, line: () => LogRecord, view: View): void {
  if (!store) return;
  store.append(line());
  if (store.due) queueMicrotask(() => store.due && store.compact(view).catch(() => undefined));
}

/** A fixture that comes with the sandbox is read once a process; a folder of the user may have changed meanwhile. */
const shipped = new Map<string, Fixture>();

function readOnce(name: string): Fixture {
  const fixture = shipped.get(name) ?? readFixture(name, fixturesFolder(), prebuilt());
  if (isFixtureName(name)) shipped.set(name, fixture);
  return fixture;
}

export function fixturesFolder(): string {
  return join(packageFolder(), "fixtures");
}

const isBuilt = import.meta.url.endsWith(".cjs");
const distFolder = () => join(packageFolder(), "dist");

/** What the build has played already; from the sources everything is played. */
function prebuilt(): Prebuilt {
  return isBuilt ? prebuiltAt(distFolder()) : noPrebuilt;
}

function mustBeSound(settings: Settings): void {
  const broken = lifeCycles.flatMap(faultsOf);
  if (broken.length > 0) throw new Error(`The life cycles are not sound: ${broken.join("; ")}`);
  for (const [id, value] of Object.entries(settings.assume)) {
    const reason = whyNotAssume(id, value);
    if (reason) throw new SettingFault(reason);
  }
}
