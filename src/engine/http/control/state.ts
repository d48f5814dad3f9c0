// A whole world: exported, imported, reset, and saved as a snapshot.
import type { RequestsPort, TimePort, WorldsPort } from "../../app/application.ts";
import type { World } from "../../world/state/world.ts";
import { bodySyntax } from "../body.ts";
import { HttpError } from "../errors.ts";
import { countsOf, describeWorld } from "./describe.ts";
import { chosenWorld, done, type Handlers, ok } from "./handler.ts";
import { populateState } from "./populate.ts";

const loaded = (world: World, application: WorldsPort & TimePort, warnings?: readonly string[]) =>
  ok({ id: world.id, ...describeWorld(world, application), ...(warnings && warnings.length > 0 ? { warnings } : {}) });

function mustBeSaved(world: World, name: string, { worlds }: WorldsPort): void {
  const names = worlds.snapshots(world.id);
  if (names.includes(name)) return;
  throw new HttpError(404, `World ${world.id} has no snapshot ${name}. It has: ${names.join(", ") || "none"}.`);
}

function snapshotView(world: World, name: string, application: WorldsPort): object {
  const saved = application.worlds.snapshotOf(world.id, name);
  const counts = saved ? countsOf(saved) : {};
  const at = saved?.identity()?.saved;
  return { name, saved_at: at?.wall ?? "", now: at?.now ?? "", counts };
}

type StateId =
  | "exportState"
  | "importState"
  | "resetState"
  | "populateState"
  | "listSnapshots"
  | "getSnapshot"
  | "saveSnapshot"
  | "deleteSnapshot"
  | "restoreSnapshot";

export const state: Handlers<StateId, WorldsPort & TimePort & RequestsPort> = {
  exportState: (requested) => ({
    status: 200,
    pieces: requested.application.states.export(chosenWorld(requested)),
  }),
  async importState(requested) {
    const { application, exchange } = requested;
    const bytes = exchange.raw ?? Buffer.alloc(0);
    // The bytes are read in slices, record by record.
    const imported = await application.states.import(chosenWorld(requested), bytes, bodySyntax);
    return imported
      ? loaded(imported.world, application, imported.warnings)
      : loaded(chosenWorld(requested), application);
  },
  resetState(requested) {
    const { application } = requested;
    return loaded(application.states.reset(chosenWorld(requested)), application);
  },
  populateState,
  listSnapshots(requested) {
    const { application } = requested;
    const world = chosenWorld(requested);
    const names = application.worlds.snapshots(world.id);
    return ok({ items: names.map((name) => snapshotView(world, name, application)) });
  },
  getSnapshot(requested) {
    const { application, path } = requested;
    const world = chosenWorld(requested);
    mustBeSaved(world, path.name, application);
    return ok(snapshotView(world, path.name, application));
  },
  saveSnapshot(requested) {
    const { application, path } = requested;
    const world = chosenWorld(requested);
    application.states.save(world, path.name);
    return ok(snapshotView(world, path.name, application));
  },
  deleteSnapshot(requested) {
    const { application, path } = requested;
    const world = chosenWorld(requested);
    mustBeSaved(world, path.name, application);
    application.worlds.forget(world.id, path.name);
    return done;
  },
  restoreSnapshot(requested) {
    const { application, path } = requested;
    const world = chosenWorld(requested);
    mustBeSaved(world, path.name, application);
    return loaded(application.states.restore(world, path.name), application);
  },
};
