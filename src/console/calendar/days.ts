// Computes and formats days of the calendar.

/** Returns the date `days` after a date such as "2030-06-01". */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Formats a date as "Sat 01.06.". */
export function formatDay(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).toLocaleDateString("en", { weekday: "short", timeZone: "UTC" });
  return `${weekday} ${day.slice(8)}.${day.slice(5, 7)}.`;
}
