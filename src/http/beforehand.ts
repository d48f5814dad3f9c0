// What happens before a request is looked at: an armed fault may strike, and what is due in its world by now is done. Where that is
// much, other requests have their turns meanwhile.
import { sufferBefore } from "./drill.ts";
import type { Exchange } from "./exchange.ts";
import type { House } from "./house.ts";

export async function beforehand(exchange: Exchange, house: House): Promise<void> {
  await sufferBefore(exchange, house);
  await dueFirst(exchange.world?.id, house);
}

/** Waits only where something is due: most requests find nothing. */
export async function dueFirst(worldId: string | undefined, house: House): Promise<void> {
  const world = worldId === undefined ? undefined : house.worlds.get(worldId);
  const work = world && house.due(world);
  if (work) await work;
}
