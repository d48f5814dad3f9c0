// Misbehaviour that an integrator asks for, and the answers to open questions that are in force.

import { nearest } from "../../domain/nearest.ts";
import { HttpError } from "../errors.ts";
import type { Fault } from "../faults.ts";
import type { House } from "../house.ts";
import { chosenWorld, done, type Handlers, ok } from "./handler.ts";

function mustBeKnown(faults: readonly Fault[], house: House): void {
  const known = [...house.operations.keys(), "createToken"];
  for (const [index, { operation }] of faults.entries()) {
    if (known.includes(operation)) continue;
    throw new HttpError(
      400,
      `body.faults.${index}.operation: there is no operation ${operation.slice(0, 60)}. Did you mean ${nearest(operation, known)}?`,
    );
  }
}

export const drills: Handlers = {
  listFaults: (asked) => ok({ faults: asked.house.faults.list(chosenWorld(asked).id) }),
  armFaults(asked) {
    const { faults } = asked.body as { faults: Fault[] };
    mustBeKnown(faults, asked.house);
    asked.house.faults.arm(chosenWorld(asked).id, faults);
    return ok({ faults: asked.house.faults.list(chosenWorld(asked).id) });
  },
  clearFaults(asked) {
    asked.house.faults.clear(chosenWorld(asked).id);
    return done;
  },
  listAssumptions: (asked) => ok({ items: asked.house.assumptions.all(chosenWorld(asked)) }),
  setAssumptions(asked) {
    asked.house.assumptions.set(chosenWorld(asked), asked.body as Record<string, string>);
    return ok({ items: asked.house.assumptions.all(chosenWorld(asked)) });
  },
};
