// sandbox populate for a world of a running sandbox, which makes the bookings itself.
import { askToPopulate, BrokenOff, readPopulated } from "../client/populate.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { clientOf } from "./client.ts";
import { type Call, nameWorld } from "./command.ts";
import { Failure, UNREACHABLE } from "./failure.ts";
import { describeTarget } from "./find-sandbox.ts";
import type { Given } from "./options.ts";
import { progressBar, readBookings, reportOf, secondsSince } from "./populate-words.ts";
import { nameByOptions, rejectionOf } from "./rejection.ts";
import { readSeed } from "./start-settings.ts";

/** Advice after a broken connection. Without an id nobody can know whether asking again would add them twice. */
const AGAIN = {
  alone: "With --job and an id of your choice you can ask again, and they are added once.",
  job: "Ask again with the same --job: they are added once.",
};

const NAME_VALUE = nameByOptions({ bookings: "--bookings", seed: "--seed", job: "--job" });

export async function populateRunning({ given, terminal }: Call, address: string): Promise<void> {
  const bookings = readBookings(given.text("bookings"), false);
  const seed = readSeed(given.text("seed"));
  const job = given.text("job");
  const started = performance.now();
  const at: Given = { ...given, text: (name) => (name === "url" ? address : given.text(name)) };
  const { ask, control, url } = clientOf(at, NAME_VALUE);
  const body = { bookings, ...(job === undefined ? {} : { job }), ...(seed === undefined ? {} : { seed }) };
  // The answer is a line for each step, so progress can be shown.
  const lines = await ask(askToPopulate(control, body));
  const show = progressBar(terminal);
  const populated = await readPopulated(lines, show)
    .finally(() => show(bookings, bookings))
    .catch((reason: unknown) => {
      if (reason instanceof SandboxError) throw rejectionOf(reason, reason.status, url, { value: NAME_VALUE });
      if (!(reason instanceof BrokenOff)) throw reason;
      throw new Failure(
        `The sandbox at ${url} went away before the end: all bookings were added, or none. ${AGAIN[job === undefined ? "alone" : "job"]}`,
        UNREACHABLE,
      );
    });
  const seconds = secondsSince(started);
  if (given.flag("json")) terminal.json({ url, ...populated, seconds });
  else {
    terminal.print(reportOf(populated, `world ${populated.world} of ${url}`, seconds));
    terminal.say(describeTarget(nameWorld({ given }), url, false));
  }
}
