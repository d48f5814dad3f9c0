// The faults that integrators arm, world by world. Each triggers at most `times` times.
import type { Fault, Faults } from "./application.ts";

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
    trigger(world, operation, when, client) {
      if (armed.size === 0) return undefined;
      const strikes = (fault: Fault) =>
        fault.operation === operation &&
        (fault.when ?? "before") === when &&
        (fault.client_id === undefined || fault.client_id === client);
      const fault = armed.get(world)?.find((each) => strikes(each) && each.hits < each.times);
      if (fault) fault.hits++;
      return fault;
    },
  };
}
