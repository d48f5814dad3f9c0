// Chooses the counters of a world that is rewound, restored, imported or reset. Its ids then repeat, so equal requests
// get equal responses. The ids of messages must not repeat, since receivers identify messages by them, so the counters
// also count how often a world went back.
import type { Counters } from "../../domain/kernel/records.ts";

/** The counters of a world that has not used any of its sequences. */
export const FIRST_COUNTERS: Counters = { id: "counters", ids: 0, orders: 1000, entries: 0, deliveries: 0 };

/**
 * Returns the counters that replace the world's own, undefined for none. Messages have used the numbers up to the
 * world's own one, so `went_back` increases when the replacement is lower.
 */
export function chooseCounters(own: Counters | undefined, coming: Counters | undefined): Counters | undefined {
  const [reached, incoming] = [own?.went_back ?? 0, coming?.went_back ?? 0];
  if (!own || incoming > reached) return coming;
  const went_back = (coming ?? FIRST_COUNTERS).ids < own.ids ? reached + 1 : reached;
  return went_back === incoming ? coming : { ...(coming ?? FIRST_COUNTERS), went_back };
}
