// A world that was put in place, in one line; and how much is in one.
import { count } from "./terminal/terminal.ts";

export interface Loaded {
  id: string;
  fixture: string;
  now: string;
  mode: string;
  counts: Counts;
  warnings?: readonly string[];
}

export type Counts = Readonly<Record<string, number>>;

export function loadedText(how: string, { id, fixture, now, mode, counts }: Loaded): string {
  return `World ${id} is ${how}: ${fixture} with ${holds(counts)}, at ${now}, ${mode}.`;
}

export function holds({ events = 0, bookings = 0 }: Counts): string {
  return `${count(events, "event")} and ${count(bookings, "booking")}`;
}
