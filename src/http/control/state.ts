// A whole world at once: exported, imported, reset, and kept under a name.
import type { World } from "../../world/world.ts";
import { HttpError } from "../errors.ts";
import type { House } from "../house.ts";
import { describeWorld } from "./describe.ts";
import { type Asked, chosenWorld, done, type Handlers, ok } from "./handler.ts";

const loaded = (world: World, house: House, warnings?: readonly string[]) =>
  ok({ id: world.id, ...describeWorld(world, house), ...(warnings && warnings.length > 0 ? { warnings } : {}) });

function snapshotOf(asked: Asked, world: World): { name: string } {
  const name = asked.path.name ?? "";
  if (!asked.house.worlds.snapshots(world.id).includes(name)) {
    throw new HttpError(
      404,
      `World ${world.id} has no snapshot ${name}. It has: ${asked.house.worlds.snapshots(world.id).join(", ") || "none"}.`,
    );
  }
  return { name };
}

function shown({ house }: Asked, world: World, name: string): object {
  const saved = house.worlds.resting(world.id, name);
  const counts = saved ? describeWorld({ ...world, collections: saved }, house).counts : {};
  const at = saved?.identity.get("identity")?.saved;
  return { name, saved_at: at?.wall ?? "", now: at?.now ?? "", counts };
}

export const state: Handlers = {
  exportState: (asked) => ({ status: 200, pieces: asked.house.states.export(chosenWorld(asked)) }),
  importState(asked) {
    const { world, warnings } = asked.house.states.import(chosenWorld(asked), asked.body);
    return loaded(world, asked.house, warnings);
  },
  resetState: (asked) => loaded(asked.house.states.reset(chosenWorld(asked)), asked.house),
  listSnapshots(asked) {
    const world = chosenWorld(asked);
    return ok({ items: asked.house.worlds.snapshots(world.id).map((name) => shown(asked, world, name)) });
  },
  getSnapshot(asked) {
    const world = chosenWorld(asked);
    return ok(shown(asked, world, snapshotOf(asked, world).name));
  },
  saveSnapshot(asked) {
    const world = chosenWorld(asked);
    asked.house.states.save(world, asked.path.name ?? "");
    return ok(shown(asked, world, asked.path.name ?? ""));
  },
  deleteSnapshot(asked) {
    const world = chosenWorld(asked);
    asked.house.worlds.forget(world.id, snapshotOf(asked, world).name);
    return done;
  },
  restoreSnapshot(asked) {
    const world = chosenWorld(asked);
    return loaded(asked.house.states.restore(world, snapshotOf(asked, world).name), asked.house);
  },
};
