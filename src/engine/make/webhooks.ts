// Creates the dispatcher of webhooks and connects it to worlds, clocks, faults and the log.
import { readTrustingContext } from "../../platform/own-certificates.ts";
import { reportAttempt, traceAttempt } from "../app/monitoring/attempts.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { wallClock } from "../time/clock.ts";
import { type DispatcherPorts, makeDispatcher } from "../webhooks/dispatcher.ts";
import { parseReceiverTimeout } from "../webhooks/http-delivery.ts";
import type { DeliveryLimits } from "../webhooks/targets.ts";
import type { World } from "../world/state/world.ts";
import type { Time } from "./time.ts";
import type { Floor } from "./worlds.ts";

export function makeWebhooks(
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
