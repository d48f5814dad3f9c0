// The free slots that opening rules offer on a day.
import type { EventRecord, ExperienceRecord, Slots } from "./records.ts";
import { dayAfter, instantOf } from "./zone.ts";

/** Within what opening rules offer, less what events of the experience take at the same place. */
export function slotsOn(
  day: string,
  { opening_rules = [] }: ExperienceRecord,
  events: readonly EventRecord[],
  zone: string,
  now: string,
): Slots[] {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const taken = events.filter(({ state }) => state !== "CANCELLED").flatMap(({ sessions }) => sessions);
  return opening_rules
    .filter(({ weekdays }) => weekdays.includes(weekday + 1))
    .map(({ from, to, duration, capacity, location_id }) => {
      const length = minutesOf(duration);
      const begin = instantOf(`${day}T${from.padEnd(8, ":00")}`, zone);
      const close =
        to === "24:00"
          ? instantOf(`${dayAfter(day, 1)}T00:00:00`, zone)
          : instantOf(`${day}T${to.padEnd(8, ":00")}`, zone);
      const of = length > 0 ? Math.floor((close - begin) / 60_000 / length) : 0;
      const slots = Array.from({ length: of }, (_, at) => begin + at * length * 60_000);
      const isFree = (at: number) =>
        at > Date.parse(now) &&
        !taken.some((session) => {
          const [starts, ends] = [Date.parse(session.starts_at), Date.parse(session.ends_at)];
          return session.location_id === location_id && starts < at + length * 60_000 && at < ends;
        });
      return { from, to, duration, capacity, of, free: slots.filter(isFree).length };
    });
}

/** Minutes of "PT1H30M". */
function minutesOf(duration: string): number {
  const [, hours = "0", minutes = "0"] = /^PT(?:(\d+)H)?(?:(\d+)M)?$/.exec(duration) ?? [];
  return Number(hours) * 60 + Number(minutes);
}
