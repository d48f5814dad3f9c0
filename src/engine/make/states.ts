// Joins the parts that create, fork, reset, restore, export and import worlds, and their history.

import type { Act, ActId } from "../acts/act.ts";
import { acts } from "../acts/index.ts";
import type { WorldsPort } from "../app/application.ts";
import { History } from "../app/history.ts";
import { States } from "../app/states.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { checkAct } from "../http/act-input.ts";
import { wallClock } from "../time/clock.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { World } from "../world/state/world.ts";
import { getPrebuilt, readOnce } from "./fixtures.ts";
import { readLeftInWorld } from "./left-in-world.ts";
import { makeWorldId } from "./random.ts";
import type { Time } from "./time.ts";
import type { Floor } from "./worlds.ts";

export function makePast({ worlds, copy, activityLog }: Floor, { now }: Time): History {
  return new History({ now, wall: wallClock, log: activityLog, copy, snapshots: (id) => worlds.listSnapshots(id) });
}

const actsByName = new Map(acts.map((act) => [act.id as string, act as unknown as Act<ActId>]));

/** Performs an act by its name. */
export const createPerform =
  ({ credentials }: WorldsPort["random"]) =>
  (tx: Transaction, name: string, input: unknown) => {
    const act = actsByName.get(name);
    if (!act) throw new Error(`there is no act ${name}`);
    return act.perform(tx, input as never, { newCredentials: () => credentials(tx.world) });
  };

export function makeWorldStates(floor: Floor, time: Time, dispatcher: Dispatcher, history: History): States {
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
