// One line about a world that was restored, imported or reset, and the size of a world in words.
import type { Schemas } from "../client/control.ts";
import { count } from "./terminal/terminal.ts";

type Loaded = Pick<Schemas["WorldLoaded"], "id" | "fixture" | "now" | "mode" | "counts">;

export function loadedText(how: string, { id, fixture, now, mode, counts }: Loaded): string {
  return `World ${id} is ${how}: ${fixture} with ${holds(counts)}, at ${now}, ${mode}.`;
}

export function holds({ events = 0, bookings = 0 }: Schemas["Counts"]): string {
  return `${count(events, "event")} and ${count(bookings, "booking")}`;
}
