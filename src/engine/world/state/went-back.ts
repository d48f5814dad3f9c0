// How often a world went back: by a rewind, a snapshot, an import or a reset, the sequence of its ids comes by the same places again.
// Records get the same ids there, so that equal requests have equal answers; messages must not, since receivers know them by their ids.
import type { Counters } from "../../domain/kernel/records.ts";

/** Of a world that has not used any of its sequences. */
export const FIRST: Counters = { id: "counters", ids: 0, orders: 1000, entries: 0, deliveries: 0 };

/**
 * The counters that take the place of a world's own; undefined: none. No message of the world was made at a number that it has not
 * reached; at its present one the ids may go on, but not back.
 */
export function replacing(own: Counters | undefined, coming: Counters | undefined): Counters | undefined {
  const [reached, incoming] = [own?.went_back ?? 0, coming?.went_back ?? 0];
  if (!own || incoming > reached) return coming;
  const went_back = (coming ?? FIRST).ids < own.ids ? reached + 1 : reached;
  return went_back === incoming ? coming : { ...(coming ?? FIRST), went_back };
}
