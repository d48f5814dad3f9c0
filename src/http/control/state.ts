// A whole world at once: exported, imported, reset, and kept under a name.

import type { Application } from "../../app/application.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { countsOf, describeWorld } from "./describe.ts";
import { type Asked, chosenWorld, done, type Handlers, ok } from "./handler.ts";

const loaded = (world: World, application: Application, warnings?: readonly string[]) =>
  ok({ id: world.id, ...describeWorld(world, application), ...(warnings && warnings.length > 0 ? { warnings } : {}) });

function snapshotOf(asked: Asked, world: World): { name: string } {
  const name = asked.path.name ?? "";
  if (!asked.application.worlds.snapshots(world.id).includes(name)) {
    throw new HttpError(
      404,
      `World ${world.id} has no snapshot ${name}. It has: ${asked.application.worlds.snapshots(world.id).join(", ") || "none"}.`,
    );
  }
  return { name };
}

function shown({ application }: Asked, world: World, name: string): object {
  const saved = application.worlds.snapshotOf(world.id, name);
  const counts = saved ? countsOf(saved) : {};
  const at = saved?.identity()?.saved;
  return { name, saved_at: at?.wall ?? "", now: at?.now ?? "", counts };
}

export const state: Handlers = {
  exportState: (asked) => ({ status: 200, pieces: asked.application.states.export(chosenWorld(asked)) }),
  importState(asked) {
    const { world, warnings } = asked.application.states.import(chosenWorld(asked), asked.body);
    return loaded(world, asked.application, warnings);
  },
  resetState: (asked) => loaded(asked.application.states.reset(chosenWorld(asked)), asked.application),
  listSnapshots(asked) {
    const world = chosenWorld(asked);
    return ok({ items: asked.application.worlds.snapshots(world.id).map((name) => shown(asked, world, name)) });
  },
  getSnapshot(asked) {
    const world = chosenWorld(asked);
    return ok(shown(asked, world, snapshotOf(asked, world).name));
  },
  saveSnapshot(asked) {
    const world = chosenWorld(asked);
    asked.application.states.save(world, asked.path.name ?? "");
    return ok(shown(asked, world, asked.path.name ?? ""));
  },
  deleteSnapshot(asked) {
    const world = chosenWorld(asked);
    asked.application.worlds.forget(world.id, snapshotOf(asked, world).name);
    return done;
  },
  restoreSnapshot(asked) {
    const world = chosenWorld(asked);
    return loaded(asked.application.states.restore(world, snapshotOf(asked, world).name), asked.application);
  },
};
