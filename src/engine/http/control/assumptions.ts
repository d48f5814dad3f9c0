// Lists and overrides the assumptions of a world.
import type { WorldsPort } from "../../app/application.ts";
import { defineHandlers, ok } from "./handler.ts";

export const assumptions = defineHandlers<WorldsPort>()({
  listAssumptions: ({ application, world }) => ok({ items: application.assumptions.all(world) }),
  setAssumptions({ application, body, world }) {
    application.assumptions.set(world, body);
    return ok({ items: application.assumptions.all(world) });
  },
});
