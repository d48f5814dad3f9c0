// The composition root: makes every part and joins them, so that none of them has to know another. No rules here.
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import type { Act, ActId } from "./acts/act.ts";
import { acts } from "./acts/index.ts";
import type { Application, PublicOperation } from "./app/application.ts";
import { makeAside } from "./app/aside.ts";
import { begin } from "./app/begin.ts";
import { type Changes, makeChanges } from "./app/changes.ts";
import { type Clocks, makeClocks } from "./app/clocks.ts";
import { makeDueWork } from "./app/due-work.ts";
import { makeRecordCheck } from "./app/record-check.ts";
import { assumptionsOf, defaultOf, whyNotAssume } from "./app/register.ts";
import { makeStates } from "./app/states.ts";
import type { Transaction } from "./domain/kernel/transaction.ts";
import { faultsOf, lifeCycles } from "./domain/kernel/transitions.ts";
import { noPrebuilt, type Prebuilt, prebuiltAt } from "./fixtures/prebuilt.ts";
import { type Fixture, fixtureNames, readFixture } from "./fixtures/read.ts";
import controlOperations from "./generated/control-operations.json" with { type: "json" };
import publicOperations from "./generated/operations.json" with { type: "json" };
import { checkAct } from "./http/act-input.ts";
import { makeActivity } from "./http/activity.ts";
import { type App, makeApp } from "./http/app.ts";
import { makeFaults } from "./http/faults.ts";
import { addressOf } from "./http/files.ts";
import { makeRequestLogs } from "./http/request-log.ts";
import { makeSessions } from "./mcp/sessions.ts";
import { operations } from "./operations/index.ts";
import { settingsFrom } from "./setting-values.ts";
import { type SandboxOptions, SettingFault, type Settings } from "./settings.ts";
import { reached, steady, wallClock } from "./time/clock.ts";
import { type Dispatcher, makeDispatcher } from "./webhooks/dispatcher.ts";
import { makeMessages, showDelivery } from "./webhooks/messages.ts";
import { writeMessages } from "./webhooks/outbox.ts";
import { makeTrigger } from "./webhooks/trigger.ts";
import { openWorlds, type Worlds } from "./world/state/worlds.ts";
import { type LogRecord, openStore, type StateDump, type Store } from "./world/store/store.ts";

export interface Sandbox {
  app: App;
  application: Application;
  warnings: string[];
  /** Tells the sandbox the address it is reached at, once it listens. */
  reachedAt(base: string): void;
  /** Writes everything down as it now stands, in one piece: for what was done quietly. */
  writeDown(): Promise<void>;
  /** `answers`: the server has stopped once this has; until then it may still write. */
  close(answers?: Promise<void>): Promise<void>;
}

/** With a tilde, which some form encoders leave alone and others write as %7E: both are the same secret. */
const newSecret = () => `${randomBytes(8).toString("base64url")}~${randomBytes(24).toString("base64url")}`;

const random: Application["random"] = {
  secret: () => `whsec_${randomBytes(32).toString("base64")}`,
  token: () => randomBytes(32).toString("base64url"),
  credentials: () => ({ id: randomBytes(12).toString("hex"), secret: newSecret() }),
  uuid: randomUUID,
};

/** `warn` is told what no answer can tell. */
export async function makeSandbox(inputs: SandboxOptions, warn: Application["warn"] = emitWarning): Promise<Sandbox> {
  const settings = settingsFrom(inputs);
  mustBeSound(settings);
  // Before the data file is opened: --fresh must not replace it by a fixture that can't be read.
  if (settings.fresh) readOnce(settings.fixture);
  const opened =
    settings.data === undefined
      ? undefined
      : await openStore(settings.data, { durability: settings.durability, fresh: settings.fresh });
  const store = opened?.store;
  let base = `http://127.0.0.1:${settings.port || 4010}`;
  // Parts that need one another are joined through this, once each is made.
  const parts = {} as { worlds: Worlds; changes: Changes; clocks: Clocks; dispatcher: Dispatcher };

  const check = makeRecordCheck({
    hasFixture: (name) => name === settings.fixture || fixtureNames(fixturesFolder()).includes(name),
  });
  const aside = makeAside({ check, warn, file: settings.data ?? "memory" });
  const now = aside.guarded((world) => parts.clocks.now(world));

  const wall = steady(wallClock);
  const activity = makeActivity((reason) => warn(`A listener was let go: ${String(reason)}. Please report it.`));
  const requestLogs = makeRequestLogs();
  const faults = makeFaults();
  const hooksOf = (id: string) => ({
    assumes: (assumption: string) =>
      parts.worlds?.get(id)?.identity()?.assumptions[assumption] ??
      settings.assume[assumption] ??
      defaultOf(assumption),
    address: (path: string) => addressOf(base, id, path),
    beforeCommit(tx: Transaction) {
      const clock = reached(tx.clock.get("clock"), tx.now);
      if (clock) tx.clock.put(clock);
      writeMessages(tx, parts.changes.cause);
    },
  });

  parts.worlds = openWorlds(
    { hooksOf, append: (line) => keepLine(store, line, () => parts.worlds.view()) },
    opened?.kept ?? null,
  );
  const due = makeDueWork({
    now,
    isCurrent: (world) => parts.worlds.get(world.id) === world,
    doer: (world) => parts.clocks.doer(world),
    nudge: (world) => parts.dispatcher.nudge(world),
  });
  parts.changes = makeChanges({
    current: (id) => parts.worlds.get(id),
    now,
    catchUp: due.catchUp,
    nudge: (world) => parts.dispatcher.nudge(world),
    told: (world, facts) => {
      if (activity.listeners > 0)
        for (const fact of facts) activity.tell({ type: "fact", world: world.id, data: fact });
    },
  });
  parts.clocks = makeClocks({
    worlds: () => parts.worlds.all().filter((world) => aside.why(world) === undefined),
    changes: () => parts.changes,
    due: () => due,
    wall,
    dispatcher: () => parts.dispatcher,
    hooksOf,
    told: (world, now) => activity.tell({ type: "clock", world: world.id, data: { now } }),
    failed: aside.put,
  });
  const { change, changeAt, look, peek } = parts.changes;
  parts.dispatcher = makeDispatcher({
    now,
    mode: (world) => parts.clocks.show(world).mode,
    // A move of the clock does what is due in pieces, and must not be made to do the rest at once by an attempt that ends meanwhile.
    change: (world, cause, work) =>
      due.isMoving(world) ? changeAt(world, now(world), cause, work) : change(world, cause, work),
    look: peek,
    world: (id) => {
      const world = parts.worlds.get(id);
      return world && aside.why(world) === undefined ? world : undefined;
    },
    wall: wallClock,
    retry: settings.retry,
    failed: aside.put,
    attempted: (world, delivery, message) => {
      if (activity.listeners > 0) activity.tell({ type: "delivery", world, data: showDelivery(delivery, message) });
    },
  });

  const actsByName = new Map(acts.map((act) => [act.id as string, act as unknown as Act<ActId>]));
  const performOn = (tx: Transaction, name: string, input: unknown) => {
    const act = actsByName.get(name);
    if (!act) throw new Error(`there is no act ${name}`);
    return act.perform(tx, input as never, { newCredentials: random.credentials });
  };
  const states = makeStates({
    worlds: () => parts.worlds,
    fixture: readOnce,
    prebuilt: prebuilt(),
    hooksOf,
    perform: (tx, name, input, sound) => performOn(tx, name, sound ? input : checkAct(name, input)),
    newCredentials: random.credentials,
    newWorldId: () => `w-${randomBytes(6).toString("hex")}`,
    wall,
    now,
    check,
    forgotten(id) {
      parts.dispatcher.forget(id);
      requestLogs.forget(id);
      faults.clear(id);
    },
    loaded: (world) => parts.dispatcher.nudge(world),
    usual: {
      fixture: settings.fixture,
      clock: settings.clock,
      seed: settings.seed,
      assume: settings.assume,
      allowPublic: settings.allowPublicWebhooks,
    },
  });

  const controlToken = settings.controlToken ?? random.token();
  const mcp = makeSessions({
    place: () => ({
      url: base,
      controlToken,
      version: manifest.version,
      folder: packageFolder(),
      newWorldId: () => `mcp-${randomBytes(6).toString("hex")}`,
    }),
    newSessionId: random.uuid,
    removeWorld: (id) => {
      const world = parts.worlds.get(id);
      if (world) states.remove(world);
    },
  });
  const application: Application = {
    settings,
    version: manifest.version,
    controlToken,
    worlds: parts.worlds,
    requestLogs,
    faults,
    activity,
    operations: new Map((operations as readonly PublicOperation[]).map((operation) => [operation.id, operation])),
    fixtures: () => fixtureNames(fixturesFolder()),
    base: () => base,
    now,
    aside: aside.why,
    warn,
    change,
    look,
    due: due.inTurns,
    settled: () => store?.settled() ?? Promise.resolve(),
    random,
    keyOf(id) {
      const world = parts.worlds.worldOf("keys", id);
      const key = world?.credentials().keys.get(id);
      return world && key && { world, key };
    },
    tokenOf(hash) {
      const world = parts.worlds.worldOf("tokens", hash);
      const token = world?.credentials().tokens.get(hash);
      return world && token && { world, token };
    },
    acts: {
      all: () => acts,
      perform: (world, name, input, cause) => change(world, cause, (tx) => performOn(tx, name, input)),
    },
    clock: parts.clocks,
    states,
    assumptions: assumptionsOf(change),
    messages: {
      ...makeMessages({ change, look, nudge: parts.dispatcher.nudge, secret: random.secret }),
      trigger: makeTrigger({ change, look, advance: (world, until) => parts.clocks.advance(world, until, false) }),
    },
    mcp,
  };

  const close = async (view?: () => StateDump, answers?: Promise<void>) => {
    await mcp.close();
    // Both at once: a clock move that is to be answered may be waiting for a receiver that never does.
    await Promise.all([parts.dispatcher.close(), answers]);
    await parts.clocks.close();
    await store?.close(view);
  };
  // Their sessions ended with the sandbox that they were in.
  for (const world of parts.worlds.all()) if (/^mcp-[0-9a-f]{12}$/.test(world.id)) states.remove(world);
  const broken = () => aside.inspect(parts.worlds.all(), parts.clocks.now);
  const begun = await (async () => [...broken(), ...(await begin(application, settings))])().catch(async (reason) => {
    await close();
    throw reason;
  });
  const warnings = [...(opened?.warnings ?? []), ...begun];
  for (const world of parts.worlds.all()) parts.dispatcher.nudge(world);
  parts.clocks.tick();
  const stamp = randomBytes(3).toString("hex");
  let requests = 0;
  const nextRequestId = () => `req-${stamp}-${++requests}`;
  return {
    app: makeApp(application, { public: publicOperations, control: controlOperations }, nextRequestId),
    application,
    warnings,
    reachedAt(address) {
      base = address;
    },
    writeDown: async () => store?.compact(() => parts.worlds.view()),
    close: (answers) => close(() => parts.worlds.view(), answers),
  };
}

function emitWarning(sentence: string): void {
  process.emitWarning(sentence, "SandboxWarning");
}

/** Appends to the store, and has it compacted when it has grown. In memory there is nothing to keep. */
function keepLine(store: Store | undefined, line: () => LogRecord, view: () => StateDump): void {
  if (!store) return;
  store.append(line());
  if (store.due) store.compact(view).catch(() => undefined);
}

/** A fixture that comes with the sandbox is read once a process; a folder of the user may have changed meanwhile. */
const shipped = new Map<string, Fixture>();

function readOnce(name: string): Fixture {
  const fixture = shipped.get(name) ?? readFixture(name, fixturesFolder(), prebuilt());
  if (/^[a-z0-9-]+$/.test(name)) shipped.set(name, fixture);
  return fixture;
}

/** The folder of the package, whether this runs from the sources or from the bundle. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

export function fixturesFolder(): string {
  return join(packageFolder(), "fixtures");
}

/** What the build has played already; from the sources everything is played. */
function prebuilt(): Prebuilt {
  return import.meta.url.endsWith(".cjs") ? prebuiltAt(join(packageFolder(), "dist", "played")) : noPrebuilt;
}

function mustBeSound(settings: Settings): void {
  const broken = lifeCycles.flatMap(faultsOf);
  if (broken.length > 0) throw new Error(`The life cycles are not sound: ${broken.join("; ")}`);
  for (const [id, value] of Object.entries(settings.assume)) {
    const reason = whyNotAssume(id, value);
    if (reason) throw new SettingFault(reason);
  }
}
