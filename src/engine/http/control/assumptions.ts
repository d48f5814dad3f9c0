// The register of assumptions, with the values in force in a world.
import type { WorldsPort } from "../../app/application.ts";
import { chosenWorld, type Handlers, ok } from "./handler.ts";

export const assumptions: Handlers<"listAssumptions" | "setAssumptions", WorldsPort> = {
  listAssumptions: (requested) => ok({ items: requested.application.assumptions.all(chosenWorld(requested)) }),
  setAssumptions(requested) {
    const { application, body } = requested;
    const world = chosenWorld(requested);
    application.assumptions.set(world, body);
    return ok({ items: application.assumptions.all(world) });
  },
};
