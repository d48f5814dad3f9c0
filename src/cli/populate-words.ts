// What sandbox world populate reads and says, of a data file and of a running sandbox alike.
import { getHeapStatistics } from "node:v8";
import type { Populated } from "../engine/fixtures/index.ts";
import { excerptOf } from "../engine/settings.ts";
import { count } from "../platform/count.ts";
import { Misuse } from "./failure.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** To a hundredth. */
export const secondsSince = (started: number) => Math.round((performance.now() - started) / 10) / 100;

/** Redrawn in place when a percent has passed, and gone at the end. */
export function progressBar({ sayWidth, redraw }: Terminal): (done: number, all: number) => void {
  // Nothing may move in a file or a pipe.
  if (sayWidth === 0) return () => undefined;
  const length = Math.min(40, sayWidth - 30);
  let percent = -1;
  return (done, all) => {
    const now = Math.floor((100 * done) / all);
    // Redrawing for each batch would cost more than the batch.
    if (now === percent) return;
    percent = now;
    const full = Math.round((length * done) / all);
    const bar = "█".repeat(full) + "░".repeat(length - full);
    redraw(done === all ? "" : `${bar} ${now} %, ${done} of ${all}`);
  };
}

/** As much memory as a booking takes with its tickets, order, entries and its share of an event. */
const BYTES_A_BOOKING = 16_000;

export function readBookings(text: string | undefined, isHere = true): number {
  if (text === undefined) throw new Misuse("How many bookings? Write it as --bookings 10000.");
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Misuse(
      `--bookings is ${excerptOf(text)}, which is not a number of bookings. Write it as --bookings 10000.`,
    );
  // The memory of another process is not ours to judge.
  if (!isHere) return Number(text);
  const wanted = Math.ceil((Number(text) * BYTES_A_BOOKING) / 1e6);
  const limit = Math.floor(getHeapStatistics().heap_size_limit / 1e6);
  if (wanted <= limit) return Number(text);
  throw new Misuse(
    `--bookings ${text} takes about ${wanted} MB of memory, and this process may use ${limit}. Ask for fewer, or set NODE_OPTIONS=--max-old-space-size=${wanted}.`,
  );
}

export function reportOf({ added, from, until, seed }: Populated, where: string, seconds: number): string {
  const rest = `${count(added.tickets, "ticket")}, ${count(added.events, "event")}, ${count(added.gift_cards, "gift card")}`;
  const span = `from ${from.slice(0, 10)} to ${until.slice(0, 10)}`;
  return `Added ${count(added.bookings, "booking")} with ${rest} to ${where}, ${span}, seed ${seed}, in ${seconds} s.`;
}
