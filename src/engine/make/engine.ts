// Creates the parts of the engine in their order: worlds, time, webhooks, history, and what creates, fills and removes
// worlds.

import { readTrustingContext } from "../../platform/own-certificates.ts";
import type { Act, ActId } from "../acts/act.ts";
import { acts } from "../acts/index.ts";
import { Clocks } from "../app/clocks.ts";
import { History } from "../app/history.ts";
import { reportAttempt, traceAttempt } from "../app/monitoring/attempts.ts";
import { States } from "../app/states.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { checkAct } from "../http/act-input.ts";
import { noteRequest } from "../http/undocumented.ts";
import { WorldLogs } from "../log/world-logs.ts";
import { steady, wallClock } from "../time/clock.ts";
import { type Dispatcher, type DispatcherPorts, makeDispatcher } from "../webhooks/dispatcher.ts";
import { parseReceiverTimeout } from "../webhooks/http-delivery.ts";
import type { DeliveryLimits } from "../webhooks/targets.ts";
import { createShared, createWorlds, type EngineInput, getPrebuilt, readFixtureOnce } from "./worlds.ts";

/** `limits`: of the webhooks of each world, if worlds have different limits. */
export function createEngine(input: EngineInput, limits?: DeliveryLimits) {
  const { settings, opened, random } = input;
  const shared = createShared(input);
  const { runs, activityLog, quarantine } = shared;
  const made = createWorlds(shared);
  const { worlds, copy } = made;
  const log = new WorldLogs({
    log: activityLog,
    findHead: (world) => runs.findHead(world),
    wall: wallClock,
    notes: noteRequest,
    read(id, read) {
      const world = worlds.get(id);
      if (!world || quarantine.explain(world) !== undefined) return undefined;
      return world.read(world.clock()?.at ?? "", read);
    },
  });
  // Every node uses the clock of the database.
  const database = opened?.shared?.store;
  const wall = steady(database ? () => Math.floor(database.readDatabaseTime()) : wallClock);
  const clocks: Clocks = new Clocks({ ...shared, worlds, copy, log, wall, dispatcher: () => dispatcher });
  const trust = settings.ca === undefined ? undefined : readTrustingContext(settings.ca);
  const ports = createDispatcherPorts({ ...shared, worlds, log, clocks, limits });
  const dispatcher: Dispatcher = makeDispatcher(ports, parseReceiverTimeout(settings.receiverTimeout), trust);
  const history = new History({ ...shared, ...made, clocks });
  const perform = (tx: Transaction, name: string, act: unknown) => performAct(tx, name, act, random.credentials);
  const states = new States({
    ...shared,
    ...made,
    log,
    clocks,
    dispatcher,
    history,
    fixture: readFixtureOnce,
    prebuilt: getPrebuilt(),
    perform: (tx, name, act, sound) => perform(tx, name, sound ? act : checkAct(name, act)),
  });
  return { ...shared, ...made, log, clocks, dispatcher, history, states, perform };
}

export type Engine = ReturnType<typeof createEngine>;

const actsByName = new Map(acts.map((act) => [act.id as string, act as unknown as Act<ActId>]));

function performAct(tx: Transaction, name: string, input: unknown, credentials: Engine["random"]["credentials"]) {
  const act = actsByName.get(name);
  if (!act) throw new Error(`there is no act ${name}`);
  return act.perform(tx, input as never, { newCredentials: () => credentials(tx.world) });
}

type DispatcherParts = Pick<
  ReturnType<typeof createShared> & ReturnType<typeof createWorlds>,
  "settings" | "opened" | "worlds" | "quarantine" | "faults" | "monitor" | "relays"
> & { log: WorldLogs; clocks: Clocks; limits: DeliveryLimits | undefined };

function createDispatcherPorts(parts: DispatcherParts): DispatcherPorts {
  const { settings, opened, worlds, quarantine, log, faults, monitor, relays, clocks, limits } = parts;
  return {
    now: clocks.now,
    mode: (world) => clocks.show(world).mode,
    // A clock move runs what is due in pieces. An attempt that ends during it must not run the rest at once.
    change: (world, cause, work) =>
      clocks.isMoving(world)
        ? clocks.changeAt(world, clocks.now(world), cause, work)
        : clocks.change(world, cause, work),
    // What is due doesn't run first.
    read: (world, question) => world.read(clocks.now(world), question),
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
    sending: monitor.traces && ((world, request) => traceAttempt(monitor, world.id, request)),
    faultFor(world, kind) {
      const [hit] = faults.hit(world.id, { stage: "delivery", kind });
      return hit?.fault;
    },
    attempted(world, delivery, message, armed) {
      const known = worlds.get(world);
      const isHeld = known !== undefined && clocks.show(known).mode === "held";
      log.addAttempt(world, delivery, message, { isHeld, armed });
      reportAttempt(monitor, world, delivery, message);
    },
  };
}
