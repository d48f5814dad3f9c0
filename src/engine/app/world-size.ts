// How large a world may be. Up to 5,000 bookings the sandbox is fast, up to 10,000 everything works; it is no target for load tests.
import { reject } from "../domain/kernel/domain-error.ts";
import type { World } from "../world/state/world.ts";

const MAX_BOOKINGS = 10_000;

/** Rejects bulk data that would make a world larger. `path` is the field of the request that asks for it. */
export function assertBookingsFit(bookings: number, path: string): void {
  if (bookings <= MAX_BOOKINGS) return;
  const what = `the world would have ${count(bookings)} bookings, and a world has at most ${count(MAX_BOOKINGS)}. Use fewer bookings, or spread them over several worlds.`;
  reject("INVALID_INPUT", { path, what });
}

/** Returns a function that warns once of each world that has grown beyond the limit, by single bookings or in its file. */
export function createSizeWarning(warn: (sentence: string) => void): (world: World) => void {
  const warned = new Set<string>();
  return (world) => {
    const bookings = world.count("bookings");
    if (bookings <= MAX_BOOKINGS || warned.has(world.id)) return;
    warned.add(world.id);
    warn(
      `World ${world.id} has ${count(bookings)} bookings. Everything works, but the sandbox is made for at most ${count(MAX_BOOKINGS)} and gets slower. Reset the world, or use several.`,
    );
  };
}

const count = (bookings: number): string => bookings.toLocaleString("en");
