// Creates the parts of the engine in their order: worlds, time, webhooks, history, and what creates, fills and removes worlds.

import type { Schemas } from "../../contract/schemas.ts";
import { readTrustingContext } from "../../platform/own-certificates.ts";
import type { Act, ActId } from "../acts/act.ts";
import { acts } from "../acts/index.ts";
import type { WorldsPort } from "../app/application.ts";
import { Clocks } from "../app/clocks.ts";
import { History } from "../app/history.ts";
import { reportAttempt, traceAttempt } from "../app/monitoring/attempts.ts";
import { findRecord, getRecordPage } from "../app/records.ts";
import { States } from "../app/states.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { checkAct } from "../http/act-input.ts";
import type { LogEntry } from "../log/view.ts";
import { getNow, steady, wallClock } from "../time/clock.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import { type DispatcherPorts, makeDispatcher } from "../webhooks/dispatcher.ts";
import { parseReceiverTimeout } from "../webhooks/http-delivery.ts";
import { listMessages } from "../webhooks/messages.ts";
import type { DeliveryLimits } from "../webhooks/targets.ts";
import type { World } from "../world/state/world.ts";
import { makeWorldId } from "./random.ts";
import { type EngineInput, type Floor, getPrebuilt, makeFloor, readOnce } from "./worlds.ts";

/** `limits`: of the webhooks of each world, if worlds have different limits. */
export function createEngine(input: EngineInput, limits?: DeliveryLimits) {
  const floor = makeFloor(input);
  const time = makeTime(floor, () => dispatcher);
  const dispatcher: Dispatcher = makeWebhooks(floor, time, limits);
  const { worlds, copy, activityLog } = floor;
  const listSnapshots = (id: string) => worlds.listSnapshots(id);
  const history = new History({ now: time.now, wall: wallClock, log: activityLog, copy, snapshots: listSnapshots });
  const states = makeWorldStates(floor, time, dispatcher, history);
  return { ...floor, time, dispatcher, history, states };
}

export type Engine = ReturnType<typeof createEngine>;

/** Deliveries change worlds, and clock moves cause deliveries, so `dispatcher` is passed as a function. */
function makeTime({ opened, worlds, copy, quarantine, log, newId, running }: Floor, dispatcher: () => Dispatcher) {
  const shared = opened?.shared;
  // Every node uses the clock of the database.
  const wall = steady(shared ? () => Math.floor(shared.store.readDatabaseTime()) : wallClock);
  const now = quarantine.guard((world) => getNow(world.clock(), wall));
  const clocks: Clocks = new Clocks({
    worlds,
    running,
    now,
    wall,
    isServed: (world) => quarantine.explain(world) === undefined,
    dispatcher,
    copy,
    newId: () => newId("clk"),
    recordMove(world, move) {
      if (worlds.get(world.id) === world) log.addMove({ ...move, world: world.id, mode: clocks.show(world).mode });
    },
    reportFailure: (world, reason) => quarantine.put(world, reason),
  });
  return { wall, now, clocks };
}

type Time = ReturnType<typeof makeTime>;

const actsByName = new Map(acts.map((act) => [act.id as string, act as unknown as Act<ActId>]));

/** Performs an act by its name. */
export const createPerform =
  ({ credentials }: WorldsPort["random"]) =>
  (tx: Transaction, name: string, input: unknown) => {
    const act = actsByName.get(name);
    if (!act) throw new Error(`there is no act ${name}`);
    return act.perform(tx, input as never, { newCredentials: () => credentials(tx.world) });
  };

function makeWorldStates(floor: Floor, time: Time, dispatcher: Dispatcher, history: History): States {
  const { settings, opened, worlds, hooksOf, check, quarantine, log, faults, verdicts, newId, random, runs } = floor;
  const performOn = createPerform(random);
  const { fixture, clock, seed, assume, allowPublicWebhooks: allowPublic } = settings;
  const findInstant = (world: World) =>
    quarantine.explain(world) === undefined ? time.now(world) : (world.clock()?.at ?? "");
  return new States({
    worlds,
    history,
    fixture: readOnce,
    prebuilt: getPrebuilt(),
    createHooks: hooksOf,
    perform: (tx, name, input, sound) => performOn(tx, name, sound ? input : checkAct(name, input)),
    newCredentials: random.credentials,
    newWorldId: makeWorldId,
    wall: time.wall,
    now: time.now,
    changeAt: time.clocks.changeAt,
    runExclusively: (world, work) => time.clocks.runExclusively(world, work),
    check,
    forgetWork(id) {
      dispatcher.forget(id);
      faults.clear(id);
    },
    forgetWorld(id) {
      runs.forget(id);
      log.forget(id);
      verdicts.forget(id);
      floor.relays.endAll(id);
    },
    forgetLog: (id) => floor.activityLog.forget(id),
    resendPending(world) {
      dispatcher.forget(world.id);
      dispatcher.wake(world);
    },
    onLoad: dispatcher.wake,
    beginPast: floor.beginPast,
    note(world, change, detail = {}) {
      log.addWorldChange({ id: newId("wld"), world: world.id, at: findInstant(world), change, detail });
    },
    listParts: ({ id }) => runs.listMembers(id).flatMap((part) => (runs.findRun(part) ? (worlds.get(part) ?? []) : [])),
    readLeft(world) {
      const run = runs.findRun(world.id);
      if (!run || quarantine.explain(world) !== undefined) return {};
      const requests = log.list(run.world, { kinds: ["request"], run: true }).filter((each) => each.world === world.id);
      return { left: time.clocks.read(world, (tx) => readLeftInWorld(tx, requests)) };
    },
    defaults: { fixture, clock, seed, ownSeeds: opened?.shared !== undefined, assume, allowPublic },
  });
}

/** The limit of records per kind, as in responses of the control API. */
const MAX_RECORDS_PER_KIND = 1000;

function readLeftInWorld(tx: Transaction, requests: readonly LogEntry[]): Schemas["LeftInWorld"] {
  const made = requests.flatMap(({ facts }) => facts.filter(({ fact }) => fact === "booking.created"));
  const bookings = [...new Set(made.map(({ id }) => id))].flatMap((id) => {
    const view = findRecord(tx, "bookings", id);
    return view ? { record: view.record, references: view.references } : [];
  });
  return {
    messages: listMessages(tx, { limit: MAX_RECORDS_PER_KIND }).items,
    subscriptions: getRecordPage(tx, "subscriptions", { limit: MAX_RECORDS_PER_KIND }).items,
    bookings,
  };
}

function makeWebhooks(
  { settings, opened, worlds, quarantine, log, faults, monitor, relays }: Floor,
  { now, clocks }: Time,
  limits?: DeliveryLimits,
) {
  /** Reads the records without running what is due first. */
  const read = <T>(world: World, question: (tx: Transaction) => T): T => world.read(now(world), question);
  const ports: DispatcherPorts = {
    now,
    mode: (world) => clocks.show(world).mode,
    // A clock move runs what is due in pieces. An attempt that ends during it must not run the rest at once.
    change: (world, cause, work) =>
      clocks.isMoving(world) ? clocks.changeAt(world, now(world), cause, work) : clocks.change(world, cause, work),
    read,
    world: (id) => {
      const world = worlds.get(id);
      return world && quarantine.explain(world) === undefined ? world : undefined;
    },
    wall: wallClock,
    durable: (world) => {
      const waiting = opened?.store.waitUntilDurable(world);
      return limits ? limits.known(waiting, world) : waiting;
    },
    ...(limits ? { reach: limits.reach } : {}),
    relayed: relays.send,
    retry: settings.retry,
    failed: (world, reason) => quarantine.put(world, reason),
    sending: monitor.traces && ((world, request) => traceAttempt(monitor, read, world, request)),
    faultFor: (world, kind) => faults.trigger(world.id, { stage: "delivery", kind }),
    attempted(world, delivery, message, armed) {
      const known = worlds.get(world);
      const isHeld = known !== undefined && clocks.show(known).mode === "held";
      log.addAttempt(world, delivery, message, { isHeld, armed });
      reportAttempt(monitor, world, delivery, message);
    },
  };
  const trust = settings.ca === undefined ? undefined : readTrustingContext(settings.ca);
  return makeDispatcher(ports, parseReceiverTimeout(settings.receiverTimeout), trust);
}
