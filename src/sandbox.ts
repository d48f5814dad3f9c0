// The composition root: makes every part and joins them, so that none of them has to know another. No rules here.
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import type { Act, ActId } from "./acts/act.ts";
import { acts } from "./acts/index.ts";
import type { Desk } from "./domain/desk.ts";
import { faultsOf, lifeCycles } from "./domain/transitions.ts";
import { type Fixture, fixtureNames, readFixture } from "./fixtures/read.ts";
import { noShelf, type Shelf, shelfAt } from "./fixtures/shelf.ts";
import controlOperations from "./generated/control-operations.json" with { type: "json" };
import publicOperations from "./generated/operations.json" with { type: "json" };
import { makeAside } from "./house/aside.ts";
import { begin } from "./house/begin.ts";
import { type Changes, makeChanges } from "./house/changes.ts";
import { type Clocks, makeClocks } from "./house/clocks.ts";
import { makeDueWork } from "./house/due-work.ts";
import { makeRecordCheck } from "./house/record-check.ts";
import { assumptionsOf, defaultOf, whyNotAssume } from "./house/register.ts";
import { makeStates } from "./house/states.ts";
import { checkAct } from "./http/act-input.ts";
import { makeActivity } from "./http/activity.ts";
import { type App, makeApp } from "./http/app.ts";
import { makeFaults } from "./http/faults.ts";
import { addressOf } from "./http/files.ts";
import type { House, PublicOperation } from "./http/house.ts";
import { makeJournals } from "./http/journal.ts";
import { operations } from "./operations/index.ts";
import { settingsFrom } from "./setting-values.ts";
import { SettingFault, type Settings, type Wishes } from "./settings.ts";
import { reached, steady, wallClock } from "./time/clock.ts";
import { type Courier, makeCourier } from "./webhooks/courier.ts";
import { makeMessages, showDelivery } from "./webhooks/messages.ts";
import { writeMessages } from "./webhooks/outbox.ts";
import { makeTrigger } from "./webhooks/trigger.ts";
import { type Kept, type Line, openStore, type Store } from "./world/store.ts";
import { openWorlds, type Worlds } from "./world/worlds.ts";

export interface Sandbox {
  app: App;
  house: House;
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

const random: House["random"] = {
  secret: () => `whsec_${randomBytes(32).toString("base64")}`,
  token: () => randomBytes(32).toString("base64url"),
  credentials: () => ({ id: randomBytes(12).toString("hex"), secret: newSecret() }),
  uuid: randomUUID,
};

/** `warn` is told what no answer can tell. */
export async function makeSandbox(wishes: Wishes, warn: House["warn"] = emitWarning): Promise<Sandbox> {
  const settings = settingsFrom(wishes);
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
  const parts = {} as { worlds: Worlds; changes: Changes; clocks: Clocks; courier: Courier };

  const check = makeRecordCheck({
    hasFixture: (name) => name === settings.fixture || fixtureNames(fixturesFolder()).includes(name),
  });
  const aside = makeAside({ check, warn, file: settings.data ?? "memory" });
  const now = aside.guarded((world) => parts.clocks.now(world));

  const wall = steady(wallClock);
  const activity = makeActivity((reason) => warn(`A listener was let go: ${String(reason)}. Please report it.`));
  const journals = makeJournals();
  const faults = makeFaults();
  const hooksOf = (id: string) => ({
    assumes: (assumption: string) =>
      parts.worlds?.get(id)?.collections.identity.get("identity")?.assumptions[assumption] ??
      settings.assume[assumption] ??
      defaultOf(assumption),
    address: (path: string) => addressOf(base, id, path),
    beforeCommit(desk: Desk) {
      const clock = reached(desk.clock.get("clock"), desk.now);
      if (clock) desk.clock.put(clock);
      writeMessages(desk, parts.changes.cause);
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
    nudge: (world) => parts.courier.nudge(world),
  });
  parts.changes = makeChanges({
    current: (id) => parts.worlds.get(id),
    now,
    catchUp: due.catchUp,
    nudge: (world) => parts.courier.nudge(world),
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
    courier: () => parts.courier,
    hooksOf,
    told: (world, now) => activity.tell({ type: "clock", world: world.id, data: { now } }),
    failed: aside.put,
  });
  const { change, changeAt, look, peek } = parts.changes;
  parts.courier = makeCourier({
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
  const performOn = (desk: Desk, name: string, input: unknown) => {
    const act = actsByName.get(name);
    if (!act) throw new Error(`there is no act ${name}`);
    return act.perform(desk, input as never, { newCredentials: random.credentials });
  };
  const states = makeStates({
    worlds: () => parts.worlds,
    fixture: readOnce,
    shelf: shelf(),
    hooksOf,
    perform: (desk, name, input, sound) => performOn(desk, name, sound ? input : checkAct(name, input)),
    newCredentials: random.credentials,
    newWorldId: () => `w-${randomBytes(6).toString("hex")}`,
    wall,
    now,
    check,
    forgotten(id) {
      parts.courier.forget(id);
      journals.forget(id);
      faults.clear(id);
    },
    awake: (world) => parts.courier.nudge(world),
    usual: {
      fixture: settings.fixture,
      clock: settings.clock,
      seed: settings.seed,
      assume: settings.assume,
      allowPublic: settings.allowPublicWebhooks,
    },
  });

  const house: House = {
    settings,
    version: manifest.version,
    controlToken: settings.controlToken ?? random.token(),
    worlds: parts.worlds,
    journals,
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
      const key = world?.collections.keys.get(id);
      return world && key && { world, key };
    },
    tokenOf(hash) {
      const world = parts.worlds.worldOf("tokens", hash);
      const token = world?.collections.tokens.get(hash);
      return world && token && { world, token };
    },
    acts: {
      all: () => acts,
      perform: (world, name, input, cause) => change(world, cause, (desk) => performOn(desk, name, input)),
    },
    clock: parts.clocks,
    states,
    assumptions: assumptionsOf(change),
    messages: {
      ...makeMessages({ change, look, nudge: parts.courier.nudge, secret: random.secret }),
      trigger: makeTrigger({ change, look, advance: (world, until) => parts.clocks.advance(world, until, false) }),
    },
  };

  const close = async (view?: () => Kept, answers?: Promise<void>) => {
    // Both at once: a clock move that is to be answered may be waiting for a receiver that never does.
    await Promise.all([parts.courier.close(), answers]);
    await parts.clocks.close();
    await store?.close(view);
  };
  const broken = () => aside.inspect(parts.worlds.all(), parts.clocks.now);
  const begun = await (async () => [...broken(), ...(await begin(house, settings))])().catch(async (reason) => {
    await close();
    throw reason;
  });
  const warnings = [...(opened?.warnings ?? []), ...begun];
  for (const world of parts.worlds.all()) parts.courier.nudge(world);
  parts.clocks.tick();
  const stamp = randomBytes(3).toString("hex");
  let requests = 0;
  const nextRequestId = () => `req-${stamp}-${++requests}`;
  return {
    app: makeApp(house, { public: publicOperations, control: controlOperations }, nextRequestId),
    house,
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
function keepLine(store: Store | undefined, line: () => Line, view: () => Kept): void {
  if (!store) return;
  store.append(line());
  if (store.due) store.compact(view).catch(() => undefined);
}

/** A fixture that comes with the sandbox is read once a process; a folder of the user may have changed meanwhile. */
const shipped = new Map<string, Fixture>();

function readOnce(name: string): Fixture {
  const fixture = shipped.get(name) ?? readFixture(name, fixturesFolder(), shelf());
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
function shelf(): Shelf {
  return import.meta.url.endsWith(".cjs") ? shelfAt(join(packageFolder(), "dist", "played")) : noShelf;
}

function mustBeSound(settings: Settings): void {
  const broken = lifeCycles.flatMap(faultsOf);
  if (broken.length > 0) throw new Error(`The life cycles are not sound: ${broken.join("; ")}`);
  for (const [id, value] of Object.entries(settings.assume)) {
    const reason = whyNotAssume(id, value);
    if (reason) throw new SettingFault(reason);
  }
}
