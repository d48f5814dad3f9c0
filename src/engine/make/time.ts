// Joins the time of all worlds: their clocks, what is due, and their changes at an instant.
import { Changes } from "../app/changes.ts";
import { Clocks } from "../app/clocks.ts";
import { draftMove } from "../log/drafts.ts";
import type { ClockMoved } from "../log/view.ts";
import { getNow, steady, wallClock } from "../time/clock.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { World } from "../world/state/world.ts";
import type { Floor } from "./worlds.ts";

/** Deliveries change worlds, and clock moves cause deliveries, so `dispatcher` is passed as a function. */
export function makeTime(
  { opened, worlds, copy, quarantine, log, newId: nextId, running }: Floor,
  dispatcher: () => Dispatcher,
) {
  const shared = opened?.shared;
  // Every node uses the clock of the database.
  const wall = steady(shared ? () => Math.floor(shared.store.readDatabaseTime()) : wallClock);
  const now = quarantine.guard((world) => getNow(world.clock(), wall));
  const newId = () => nextId("clk");
  const recordMove = (world: World, move: Omit<ClockMoved, "world" | "mode">) => {
    if (worlds.get(world.id) !== world) return;
    log.add(...draftMove({ ...move, world: world.id, mode: clocks.show(world).mode }));
  };
  const findCurrent = (id: string) => worlds.get(id);
  const wakeDispatcher = (world: World) => dispatcher().wake(world);
  const changes = new Changes({ running, findCurrent, now, wall, wakeDispatcher, newId, recordMove });
  const clocks: Clocks = new Clocks({
    worlds: () => worlds.all().filter((world) => quarantine.explain(world) === undefined),
    changes,
    now,
    wall,
    dispatcher,
    copy,
    newId,
    recordMove,
    reportFailure: (world, reason) => quarantine.put(world, reason),
  });
  return { wall, now, changes, clocks };
}

export type Time = ReturnType<typeof makeTime>;
