// sandbox populate: bulk data for a data file that no sandbox is using, or for a new one. What is made, and how, is
// fixtures/populate.ts; it comes with faker, and is loaded only here.
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import type { Populated } from "../../fixtures/populate.ts";
import type { Sandbox } from "../../sandbox.ts";
import { shown } from "../../setting-values.ts";
import { defaults } from "../../settings.ts";
import { type Call, type Command, jsonOption, type Option } from "../command.ts";
import { askedToStop, codeOf } from "../ending.ts";
import { Failure, Misuse } from "../fault.ts";
import { type Given, textOf } from "../options.ts";
import { readClock, readSeed, startOptions } from "../start-settings.ts";
import { count, type Terminal } from "../terminal/terminal.ts";

const AS_FOR_START = ["data", "fixture", "clock", "fresh"];

const own: readonly Option[] = [
  { name: "bookings", kind: "text", placeholder: "N", default: undefined, meaning: "How many bookings to add." },
  {
    name: "seed",
    kind: "text",
    placeholder: "N",
    default: undefined,
    meaning: "The same seed makes the same data, and a new world's ids; default: the world's own.",
  },
];

export const populate: Command = {
  name: "populate",
  summary: "Add bookings in bulk, spread over the past year.",
  options: [...own, ...startOptions.filter(({ name }) => AS_FOR_START.includes(name)), jsonOption],
  configured: ["data", "fixture", "clock", "seed"],
  epilogue: [
    "Bookings are created by the same rules as in a running sandbox: checkouts, resellers,",
    "part payments, cancellations, refunds, check-ins, gift cards. No webhooks are sent. If",
    "interrupted, nothing is saved. No sandbox may use the data file meanwhile;",
    "`sandbox start` loads it afterwards.",
    "",
    "  sandbox populate --bookings 10000 --seed 7",
  ].join("\n"),
  run: populateFile,
};

async function populateFile({ given, terminal }: Call): Promise<undefined> {
  const bookings = readBookings(given.text("bookings"));
  const seed = readSeed(given.text("seed"));
  const started = performance.now();
  // What was made is in memory only; the lock of the data file goes with the process.
  void askedToStop().then((signal) => process.exit(codeOf(signal)));
  const sandbox = await opened(given, seed);
  let populated: Populated;
  try {
    for (const warning of sandbox.warnings) terminal.say(`Warning: ${warning}`);
    populated = await filled(sandbox, { bookings, seed }, terminal);
    await sandbox.writeDown();
  } finally {
    await sandbox.close();
  }
  const seconds = Math.round((performance.now() - started) / 10) / 100;
  if (given.flag("json")) terminal.json({ data: textOf(given, "data"), world: "default", ...populated, seconds });
  else terminal.print(reportOf(populated, textOf(given, "data"), seconds));
}

async function opened(given: Given, seed: string | undefined): Promise<Sandbox> {
  const { open } = await import("../boot.ts");
  const [data, fresh] = [textOf(given, "data"), given.flag("fresh")];
  const isNew = fresh || !existsSync(data);
  const settings = {
    ...defaults,
    data,
    fresh,
    fixture: textOf(given, "fixture"),
    clock: readClock(given.text("clock")),
  };
  try {
    return await open({ ...settings, seed: isNew ? seed : undefined });
  } catch (error) {
    // What the store advises to those who start a sandbox is no way out here.
    if (error instanceof Failure) throw new Failure(error.message.replace(/, or --memory$/, ""));
    throw error;
  }
}

async function filled(
  { application }: Sandbox,
  input: { bookings: number; seed: string | undefined },
  terminal: Terminal,
): Promise<Populated> {
  const bulk = await import("../../fixtures/populate.ts");
  const world = application.worlds.get("default");
  if (!world) throw new Failure("The data file holds no world called default. Name another with --data.");
  // Whatever fell due while nothing was running comes first.
  await application.clock.advance(world, application.now(world), false);
  const work = bulk.populating(application, world, input);
  const show = progressBar(terminal);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    show(step.value, input.bookings);
    // A signal is heard between two batches.
    await setImmediate();
  }
}

/** Redrawn in place when a percent has passed, and gone at the end. */
function progressBar({ sayWidth, complain }: Terminal): (done: number, all: number) => void {
  if (sayWidth === 0) return () => undefined;
  const length = Math.min(40, sayWidth - 30);
  let percent = -1;
  return (done, all) => {
    const now = Math.floor((100 * done) / all);
    if (now === percent) return;
    percent = now;
    const full = Math.round((length * done) / all);
    const bar = "█".repeat(full) + "░".repeat(length - full);
    complain(done === all ? "\r\u001b[K" : `\r${bar} ${now} %, ${done} of ${all}`);
  };
}

/** As much memory as a booking takes with its tickets, order, entries and its share of an event. */
const BYTES_A_BOOKING = 16_000;

function readBookings(text: string | undefined): number {
  if (text === undefined) throw new Misuse("How many bookings? Write it as --bookings 10000.");
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Misuse(`--bookings is ${shown(text)}, which is not a number of bookings. Write it as --bookings 10000.`);
  const wanted = Math.ceil((Number(text) * BYTES_A_BOOKING) / 1e6);
  const limit = Math.floor(getHeapStatistics().heap_size_limit / 1e6);
  if (wanted <= limit) return Number(text);
  throw new Misuse(
    `--bookings ${text} takes about ${wanted} MB of memory, and this process may use ${limit}. Ask for fewer, or set NODE_OPTIONS=--max-old-space-size=${wanted}.`,
  );
}

function reportOf({ added, from, until, seed }: Populated, data: string, seconds: number): string {
  const rest = `${count(added.tickets, "ticket")}, ${count(added.events, "event")}, ${count(added.gift_cards, "gift card")}`;
  const span = `from ${from.slice(0, 10)} to ${until.slice(0, 10)}`;
  return `Added ${count(added.bookings, "booking")} with ${rest} to ${data}, ${span}, seed ${seed}, in ${seconds} s.`;
}
