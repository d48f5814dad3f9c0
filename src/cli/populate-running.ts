// sandbox world populate for a world of a running sandbox, which makes the bookings itself.
import { count } from "../platform/count.ts";
import { clientOf } from "./client.ts";
import { type Call, nameWorld } from "./command.ts";
import { describeTarget } from "./find-sandbox.ts";
import type { Given } from "./options.ts";
import { readBookings, reportOf, secondsSince } from "./populate-words.ts";
import { nameByOptions } from "./rejection.ts";
import { readSeed } from "./start-settings.ts";

const NAME_VALUE = nameByOptions({ bookings: "--bookings", seed: "--seed" });

export async function populateRunning({ given, terminal }: Call, address: string): Promise<void> {
  const bookings = readBookings(given.text("bookings"), false);
  const seed = readSeed(given.text("seed"));
  const started = performance.now();
  const at: Given = { ...given, text: (name) => (name === "url" ? address : given.text(name)) };
  const { ask, control, url } = clientOf(at, NAME_VALUE);
  const body = { bookings, ...(seed === undefined ? {} : { seed }) };
  // Nothing may move in a file or a pipe.
  const show = (text: string) => (terminal.sayWidth === 0 ? undefined : terminal.redraw(text));
  show(`Adding ${count(bookings, "booking")} …`);
  const populated = await ask(control.POST("/_sandbox/state/populate", { body })).finally(() => show(""));
  const seconds = secondsSince(started);
  if (given.flag("json")) terminal.json({ url, ...populated, seconds });
  else {
    terminal.print(reportOf(populated, `world ${populated.world} of ${url}`, seconds));
    terminal.say(describeTarget(nameWorld({ given }), url, false));
  }
}
