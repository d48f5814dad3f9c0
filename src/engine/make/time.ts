// The time of all worlds: their clocks, what falls due, and their changes, each at an instant.
import { makeChangeAt, makeChanges } from "../app/changes.ts";
import { type Clocks, makeClockReader, makeClocks, makeDoer } from "../app/clocks.ts";
import { makeDueWork } from "../app/due-work.ts";
import { type ClockMoved, draftMove } from "../log/drafts.ts";
import { steady, wallClock } from "../time/clock.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { World } from "../world/state/world.ts";
import type { Floor } from "./worlds.ts";

/** Changes of worlds, each at an instant: at the world's now, or on the way of a clock that is moved. */
export function makeTime(
  { opened, worlds, hooksOf, quarantine, log, newId, running }: Floor,
  dispatcher: () => Dispatcher,
) {
  const shared = opened?.shared;
  // Every node goes by the clock of the database.
  const wall = steady(shared ? () => Math.floor(shared.store.databaseNow()) : wallClock);
  const reader = makeClockReader(wall);
  const now = quarantine.guarded(reader.now);
  const newReceiptId = () => newId("clk");
  const nudge = (world: World) => dispatcher().nudge(world);
  const moved = (world: World, move: Omit<ClockMoved, "world" | "mode">) => {
    if (worlds.get(world.id) === world)
      log.add(...draftMove({ ...move, world: world.id, mode: reader.show(world).mode }));
  };
  const changeAt = makeChangeAt({ running, current: (id) => worlds.get(id) });
  const doer = makeDoer(changeAt, reader, wall);
  const due = makeDueWork({
    now,
    isCurrent: (world) => worlds.get(world.id) === world,
    doer,
    nudge,
    newId: newReceiptId,
    wall,
    passed: (world, { id, from, lines: receipt, began }) =>
      moved(world, { id, from, to: now(world), by: "tick", receipt, duration_ms: wall() - began }),
  });
  const changes = makeChanges({ changeAt, now, catchUp: due.catchUp, nudge });
  const clocks: Clocks = makeClocks({
    worlds: () => worlds.all().filter((world) => quarantine.why(world) === undefined),
    ...{ reader, doer, changes, due, wall },
    // Deliveries change worlds, and a move of a clock makes deliveries: one of the two is made first.
    dispatcher,
    hooksOf,
    newId: newReceiptId,
    moved,
    failed: quarantine.put,
  });
  return { wall, now, due, changes, clocks };
}

export type Time = ReturnType<typeof makeTime>;
