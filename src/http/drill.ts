// Where a drill strikes on the way of a request: before the operation, so that nothing of it happens, or after it.
import type { Exchange } from "./exchange.ts";
import { type Fault, pause } from "./faults.ts";
import type { House } from "./house.ts";

/** A fault that struck before the operation. */
export class Struck extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super("a drill");
    this.fault = fault;
  }
}

export function struck(exchange: Exchange, when: "before" | "after", house: House): Fault | undefined {
  if (!exchange.route || exchange.route.control || !exchange.world) return undefined;
  return house.faults.strike(exchange.world.id, exchange.route.id, when);
}

export async function sufferBefore(exchange: Exchange, house: House): Promise<void> {
  const fault = struck(exchange, "before", house);
  if (!fault) return;
  if (fault.status !== undefined || fault.connection) throw new Struck(fault);
  await pause(fault.delay_ms);
}
