// Does what is due in a world before a request reads or changes the world. Other requests have their turns during much due work.
import type { TimePort, WorldsPort } from "../app/application.ts";
import type { Exchange } from "./exchange.ts";
import { readNamedWorld } from "./named-world.ts";

/** Waits only if something is due, which is rare. */
export function performDueWork({ world }: Exchange, application: WorldsPort & TimePort): Promise<void> | undefined {
  return performDueWorkIfNamed(world?.id, application);
}

/** For the control API. A world in which due work fails can still be reset or imported. */
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
