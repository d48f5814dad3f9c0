// Performs the due work of a world before a request reads or changes it, with turns for other requests in between.
import type { TimePort, WorldsPort } from "../app/application.ts";
import type { Exchange } from "./exchange.ts";
import { readNamedWorld } from "./named-world.ts";

/** Performs due work. Returns undefined if none is due, which is common. */
export function performDueWork({ world }: Exchange, application: WorldsPort & TimePort): Promise<void> | undefined {
  return performDueWorkIfNamed(world?.id, application);
}

/** Performs due work before a control request. Ignores failures, because the world can still be reset or imported. */
export function performDueWorkOfNamedWorld(
  exchange: Exchange,
  application: WorldsPort & TimePort,
): Promise<void> | undefined {
  try {
    return performDueWorkIfNamed(readNamedWorld(exchange) ?? "default", application)?.catch(() => undefined);
  } catch {
    return undefined;
  }
}

/** Looks up the world again, because a reset, restore or import replaces it. */
function performDueWorkIfNamed(id: string | undefined, application: WorldsPort & TimePort): Promise<void> | undefined {
  const world = id === undefined ? undefined : application.worlds.get(id);
  return world && application.performDueWork(world);
}
