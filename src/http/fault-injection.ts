// Where a drill strikes on the way of a request: before the operation, so that nothing of it happens, or after it.

import type { Application } from "../app/application.ts";
import type { Exchange } from "./exchange.ts";
import { type Fault, pause } from "./faults.ts";

/** A fault that struck before the operation. */
export class FaultTriggered extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super("a drill");
    this.fault = fault;
  }
}

export function triggered(exchange: Exchange, when: "before" | "after", application: Application): Fault | undefined {
  if (!exchange.route || exchange.route.control || !exchange.world) return undefined;
  return application.faults.strike(exchange.world.id, exchange.route.id, when);
}

export async function applyBefore(exchange: Exchange, application: Application): Promise<void> {
  const fault = triggered(exchange, "before", application);
  if (!fault) return;
  if (fault.status !== undefined || fault.connection) throw new FaultTriggered(fault);
  await pause(fault.delay_ms);
}
