// Worlds in a running sandbox, one for each run and called after it. They are removed with the run unless they are kept; a signal that
// ends the command removes them all.
import type { Server } from "../client/control.ts";
import { type Place, placeIn } from "./place.ts";

export interface Worlds {
  open(options: { webhookUrl?: string | undefined; name?: string | undefined }): Promise<Place>;
  /** The ids of those that stay. */
  readonly kept: readonly string[];
}

/** What removes each world that is there; a signal for us is one for them. */
const there = new Set<() => Promise<void>>();
let isLeaving = false;

/** From now on no world is made. */
export async function removeWorlds(): Promise<void> {
  isLeaving = true;
  await Promise.allSettled([...there].map((remove) => remove()));
}

export function worldsIn(server: Server, { seed, keep = false }: { seed: string; keep?: boolean | undefined }): Worlds {
  const kept: string[] = [];
  const named = namesOf();
  return {
    kept,
    async open({ webhookUrl, name }) {
      if (isLeaving) return new Promise(() => {});
      const id = name === undefined ? undefined : named(name);
      const place = await tracked(placeIn(server, { seed, webhookUrl, id }));
      if (!keep || name === undefined) return place;
      kept.push(place.world);
      return { ...place, close: async () => {} };
    },
  };
}

/** A person who looks at the worlds knows them; two verdicts at once do not meet. */
function namesOf(): (name: string) => string {
  const stamp = Math.round(performance.timeOrigin + performance.now()).toString(36);
  const times = new Map<string, number>();
  return (name) => {
    const before = times.get(name) ?? 0;
    times.set(name, before + 1);
    const id = ["verdict", stamp, name, ...(before === 0 ? [] : [before + 1])].join("-");
    return id
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, "-")
      .slice(0, 64);
  };
}

function tracked(opening: Promise<Place>): Promise<Place> {
  const remove = async () => {
    there.delete(remove);
    await (await opening).close();
  };
  there.add(remove);
  return opening.then(
    (place) => ({ ...place, close: remove }),
    (reason) => {
      there.delete(remove);
      throw reason;
    },
  );
}
