// Limits the size of a world. The sandbox is fast up to 5,000 bookings, and works up to 10,000. It is not made for load
// tests.
import { reject } from "../domain/kernel/domain-error.ts";
import type { World } from "../world/state/world.ts";

const MAX_BOOKINGS = 10_000;

/** Rejects bulk data that would exceed the limit. `path` is the field of the request. */
export function assertBookingsFit(bookings: number, path: string): void {
  if (bookings <= MAX_BOOKINGS) return;
  const what = `the world would have ${formatCount(bookings)} bookings, and a world has at most ${formatCount(MAX_BOOKINGS)}. Use fewer bookings, or spread them over several worlds.`;
  reject("INVALID_INPUT", { path, what });
}

/** Returns a function that warns once of each world that exceeds the limit, through single bookings or in its file. */
export function createSizeWarning(warn: (sentence: string) => void): (world: World) => void {
  const warned = new Set<string>();
  return (world) => {
    const bookings = world.count("bookings");
    if (bookings <= MAX_BOOKINGS || warned.has(world.id)) return;
    warned.add(world.id);
    warn(
      `World ${world.id} has ${formatCount(bookings)} bookings. Everything works, but the sandbox is made for at most ${formatCount(MAX_BOOKINGS)} and gets slower. Reset the world, or use several.`,
    );
  };
}

const formatCount = (bookings: number): string => bookings.toLocaleString("en");
