// From a client id or a token to its world. What was found once is remembered, and checked again before it is believed.
import type { Key, Token } from "../domain/records.ts";
import type { World } from "../world/world.ts";
import type { Worlds } from "../world/worlds.ts";

type Shelf = "keys" | "tokens";
type RecordIn<S extends Shelf> = S extends "keys" ? Key : Token;

/** Remembered places are forgotten all at once beyond this many. */
const MOST = 100_000;

export function makeLookup<S extends Shelf>(worlds: () => Worlds, shelf: S) {
  const places = new Map<string, string>();
  const recordIn = (world: World, id: string) => world.collections[shelf].get(id) as RecordIn<S> | undefined;
  return (id: string): { world: World; record: RecordIn<S> } | undefined => {
    const place = worlds().get(places.get(id) ?? "");
    const known = place && recordIn(place, id);
    if (known) return { world: place, record: known };
    for (const world of worlds().all()) {
      const record = recordIn(world, id);
      if (!record) continue;
      if (places.size > MOST) places.clear();
      places.set(id, world.id);
      return { world, record };
    }
    return undefined;
  };
}
