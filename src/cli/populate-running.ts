// sandbox populate for a world of a running sandbox, which makes the bookings itself.
import { clientOf } from "./client.ts";
import type { Call } from "./command.ts";
import { Misuse } from "./fault.ts";
import type { Given } from "./options.ts";
import { readBookings, reportOf, secondsSince } from "./populate-words.ts";
import { readSeed } from "./start-settings.ts";

/** The most that a running sandbox takes at a time; spec/control/schemas/worlds.yaml has it too. */
const MOST_RUNNING = 20_000;

export async function populateRunning({ given, terminal }: Call, address: string): Promise<void> {
  const bookings = readBookings(given.text("bookings"), false);
  const seed = readSeed(given.text("seed"));
  if (bookings > MOST_RUNNING)
    throw new Misuse(
      `--bookings is ${bookings}; a running sandbox takes at most ${MOST_RUNNING} at a time. Ask again for more, or populate its data file while it is stopped.`,
    );
  const started = performance.now();
  const at: Given = { ...given, text: (name) => (name === "url" ? address : given.text(name)) };
  const { ask, control, url } = clientOf(at);
  const body = { bookings, ...(seed === undefined ? {} : { seed }) };
  const populated = await ask(control.POST("/_sandbox/state/populate", { body }));
  const seconds = secondsSince(started);
  if (given.flag("json")) terminal.json({ url, ...populated, seconds });
  else terminal.print(reportOf(populated, `world ${populated.world} of ${url}`, seconds));
}
