// What happens before a request is looked at: an armed fault may strike, and what is due in its world by now is done. Where that is
// much, other requests have their turns meanwhile.

import type { Application } from "../app/application.ts";
import type { Exchange } from "./exchange.ts";
import { applyBefore } from "./fault-injection.ts";

export async function beforehand(exchange: Exchange, application: Application): Promise<void> {
  await applyBefore(exchange, application);
  await dueFirst(exchange.world?.id, application);
}

/** Waits only where something is due: most requests find nothing. */
export async function dueFirst(worldId: string | undefined, application: Application): Promise<void> {
  const world = worldId === undefined ? undefined : application.worlds.get(worldId);
  const work = world && application.due(world);
  if (work) await work;
}
