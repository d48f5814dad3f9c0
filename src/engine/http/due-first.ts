// What is due in a world by now is done before a request reads or changes that world. Where that is much, other requests have their
// turns meanwhile.
import type { TimePort, WorldsPort } from "../app/application.ts";
import type { Exchange } from "./exchange.ts";

/** Waits only where something is due, which is rare. */
export function doDueWork({ world }: Exchange, application: WorldsPort & TimePort): Promise<void> | undefined {
  return dueIn(world?.id, application);
}

/** For the control surface, where a world in which that fails must still take a reset or an import. */
export function doDueWorkOfNamedWorld(
  { query, params, headers }: Exchange,
  application: WorldsPort & TimePort,
): Promise<void> | undefined {
  const id = String(params.worldId ?? query.world ?? headers["sandbox-world"] ?? "default");
  try {
    return dueIn(id, application)?.catch(() => undefined);
  } catch {
    return undefined;
  }
}

/** The world is looked up again: a reset, a restore or an import puts another in its place. */
function dueIn(id: string | undefined, application: WorldsPort & TimePort): Promise<void> | undefined {
  const world = id === undefined ? undefined : application.worlds.get(id);
  return world && application.due(world);
}
