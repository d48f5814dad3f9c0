// Drills: misbehaviour that an integrator asks for. Bounded by `times`; before the operation, so that nothing happens, or after it,
// so that the change is kept and only the answer is lost. Worded as the service words its own errors.

import { codeOf } from "./errors.ts";
import type { Answer } from "./exchange.ts";

export interface Fault {
  operation: string;
  status?: number;
  code?: string;
  delay_ms?: number;
  connection?: "reset" | "empty" | "truncate";
  when?: "before" | "after";
  times: number;
}

export interface Faults {
  /** Replaces those that were armed; one that comes with its hits goes on from there. */
  arm(world: string, faults: readonly (Fault & { hits?: number })[]): void;
  list(world: string): (Fault & { hits: number })[];
  clear(world: string): void;
  /** The fault that strikes now, counted; undefined when none does. */
  strike(world: string, operation: string, when: "before" | "after"): Fault | undefined;
}

export function makeFaults(): Faults {
  const armed = new Map<string, (Fault & { hits: number })[]>();
  return {
    arm: (world, faults) =>
      void armed.set(
        world,
        faults.map((fault) => ({ hits: 0, ...fault })),
      ),
    list: (world) => armed.get(world) ?? [],
    clear: (world) => void armed.delete(world),
    strike(world, operation, when) {
      if (armed.size === 0) return undefined;
      const fault = armed
        .get(world)
        ?.find((each) => each.operation === operation && (each.when ?? "before") === when && each.hits < each.times);
      if (fault) fault.hits++;
      return fault;
    },
  };
}

/** The answer that a fault gives; undefined when it only delays or breaks the connection. */
export function answerOf({ status, code, operation }: Fault): Answer | undefined {
  if (status === undefined) return undefined;
  const message = `A drill: ${operation} was asked to answer ${status}. Clear it with DELETE /_sandbox/faults.`;
  const error = { error: code ?? (status < 500 ? "invalid_request" : "server_error"), error_description: message };
  return { status, body: operation === "createToken" ? error : { code: code ?? codeOf(status), message } };
}

export function pause(delayMs: number | undefined): Promise<void> | undefined {
  return delayMs ? new Promise((resolve) => setTimeout(resolve, delayMs)) : undefined;
}
