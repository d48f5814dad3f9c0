// What the calendar reads, and what it shows.
import type { ClockChange } from "./zone.ts";

export interface SessionRecord {
  id: string;
  start_time: string;
  end_time: string;
  timezone: string;
  location_id: string;
  starts_at: string;
  ends_at: string;
}
export interface EventRecord {
  id: string;
  state: string;
  visibility?: string;
  experience_id: string;
  capacity: { total: number; reserved: number };
  sessions: readonly SessionRecord[];
  cutoff_at: string;
  locked_by?: string;
  deleted_at?: string;
}
export interface OpeningRule {
  weekdays: readonly number[];
  from: string;
  to: string;
  duration: string;
  location_id: string;
  capacity: number;
}
export interface ExperienceRecord {
  id: string;
  state: string;
  name: Readonly<Record<string, string>>;
  opening_rules?: readonly OpeningRule[];
}

/** Whether an event can be booked now, in the order in which the rules ask. */
export type Mark = "over" | "off" | "closed" | "locked" | "full" | "open";

export interface Showing {
  event: string;
  /** "2/3": the second session of three. */
  part: string;
  from: string;
  to: string;
  utc: string;
  zone: string;
  sold: number;
  total: number;
  mark: Mark;
  why: string;
  isPrivate: boolean;
}
export interface Slots {
  from: string;
  to: string;
  duration: string;
  free: number;
  of: number;
  capacity: number;
}
export interface Day {
  day: string;
  isToday: boolean;
  change: ClockChange | undefined;
}
export interface Row {
  id: string;
  name: string;
  state: string;
  cells: readonly { showings: readonly Showing[]; slots: readonly Slots[] }[];
}
export interface Week {
  zone: string;
  days: readonly Day[];
  rows: readonly Row[];
}
