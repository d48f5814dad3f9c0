// Joins the time of all worlds: their clocks, what is due, and their changes at an instant.
import { Clocks } from "../app/clocks.ts";
import { getNow, steady, wallClock } from "../time/clock.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { Floor } from "./worlds.ts";

/** Deliveries change worlds, and clock moves cause deliveries, so `dispatcher` is passed as a function. */
export function makeTime(
  { opened, worlds, copy, quarantine, log, newId, running }: Floor,
  dispatcher: () => Dispatcher,
) {
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

export type Time = ReturnType<typeof makeTime>;
