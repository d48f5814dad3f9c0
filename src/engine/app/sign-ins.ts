// Browsers that have shown the control token: each has an id in a cookie instead of it. In memory, so that a restart ends them all.
import { hashOf } from "../world/state/credential.ts";
import type { SignIns } from "./application.ts";

/** A working day. */
const SECONDS = 12 * 60 * 60;
/** The oldest is forgotten for a new one. */
const MOST = 1000;

export function makeSignIns({ wall, newId }: { wall: () => number; newId: () => string }): SignIns {
  /** By the hash of the id. */
  const ends = new Map<string, number>();
  return {
    open() {
      const id = newId();
      const [oldest] = ends.keys();
      if (ends.size >= MOST && oldest !== undefined) ends.delete(oldest);
      // Hashed, so that a dump of the memory opens nothing.
      ends.set(hashOf(id), wall() + SECONDS * 1000);
      return { id, seconds: SECONDS };
    },
    has(id) {
      const key = hashOf(id);
      const end = ends.get(key);
      if (end === undefined) return false;
      if (end > wall()) return true;
      ends.delete(key);
      return false;
    },
    close: (id) => void ends.delete(hashOf(id)),
  };
}
