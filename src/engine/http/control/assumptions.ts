// The register of assumptions, with the values in force in a world.
import type { WorldsPort } from "../../app/application.ts";
import { handlersWith, ok } from "./handler.ts";

export const assumptions = handlersWith<WorldsPort>()({
  listAssumptions: ({ application, world }) => ok({ items: application.assumptions.all(world) }),
  setAssumptions({ application, body, world }) {
    application.assumptions.set(world, body);
    return ok({ items: application.assumptions.all(world) });
  },
});
