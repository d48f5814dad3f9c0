// sandbox world populate: adds bookings in bulk to a running sandbox, to a data file that no sandbox is using, or to a new data file.
import { existsSync } from "node:fs";
import type { Populated } from "../../engine/fixtures/index.ts";
import { defaults, toExcerpt } from "../../engine/settings.ts";
import { count } from "../../platform/count.ts";
import type { NameOption } from "../../platform/option-names.ts";
import type { Sandbox } from "../../sandbox.ts";
import { createClient } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld, type Option, option, urlOption } from "../command.ts";
import { Failure, Misuse, toMessage } from "../failure.ts";
import { describeTarget, toPortAddress } from "../find-sandbox.ts";
import { type Given, getText, replaceTexts } from "../options.ts";
import { nameByOptions } from "../rejection.ts";
import {
  addPosition,
  nameTopic,
  readClock,
  readDataFile,
  readSeed,
  startOptions,
  withVariable,
} from "../start-settings.ts";
import { toExitCode, waitForStopSignal } from "../stop-signal.ts";
import { showPopulateProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Options that select and configure the data file, as for `start`. */
const DATA_FILE_OPTIONS = ["data", "fixture", "clock", "fresh"];

const own: readonly Option[] = [
  option.text("bookings", "N", "Number of bookings to add."),
  withVariable(
    option.text("seed", "N", "Seed of the data, and of the ids of a new world; default: the seed of the world."),
  ),
  {
    ...urlOption,
    default: undefined,
    finds: false,
    meaning: "Add to the running sandbox at this address instead of a data file; default: SANDBOX_PORT.",
  },
];

export const populate: Command = {
  name: "populate",
  summary: "Add bookings in bulk, spread over the past year.",
  options: [
    ...own,
    ...startOptions.filter(({ name }) => DATA_FILE_OPTIONS.includes(name)).map(nameTopic),
    ...clientOptions.filter(({ name }) => name !== "url"),
  ],
  configured: ["data", "fixture", "clock", "seed"],
  epilogue: [
    "Bookings are created by the same rules as in a running sandbox: checkouts, resellers,",
    "part payments, cancellations, refunds, check-ins, gift cards. No webhooks are sent.",
    "The bookings are saved at the end, so an interrupted command adds none. No sandbox may",
    "use the data file at the same time. With --url the bookings are added to a running",
    "sandbox. If another request changes its world before the end, none are added.",
    "",
    "  sandbox world populate --bookings 10000 --seed 7",
    "  sandbox world populate --bookings 200 --url http://127.0.0.1:4010 --world w-1",
  ].join("\n"),
  async run(call) {
    const url = findRunningAddress(call);
    await (url === undefined ? populateFile(call) : populateRunning(call, url));
    return 0;
  },
};

/** Returns the address of the running sandbox, or undefined for a data file. */
function findRunningAddress({ given, environment }: Call): string | undefined {
  const ofFile = DATA_FILE_OPTIONS.find((name) => given.source(name) === "flag");
  const ofRunning = ["url", "world"].find((name) => given.source(name) === "flag");
  if (ofFile && ofRunning)
    throw new Misuse(`--${ofFile} is for a data file, --${ofRunning} for a running sandbox. Give only one of them.`);
  const url = ofFile ? undefined : (given.text("url") ?? toPortAddress(environment.SANDBOX_PORT));
  if (url === undefined && ofRunning)
    throw new Misuse(`--${ofRunning} is for a running sandbox. Name its address with --url.`);
  return url;
}

async function populateFile({ given, terminal }: Call): Promise<void> {
  const bookings = readBookings(given.text("bookings"));
  const seed = readSeed(given.text("seed"));
  const started = performance.now();
  // The bookings are only in memory, and the lock of the data file ends with the process.
  void waitForStopSignal().then((signal) => process.exit(toExitCode(signal)));
  const sandbox = await openDataFile(given, seed);
  let populated: Populated;
  try {
    for (const warning of sandbox.warnings) terminal.say(`Warning: ${warning}`);
    populated = await fillWorld(sandbox, { bookings, seed }, terminal);
  } finally {
    await sandbox.close();
  }
  const seconds = measureSeconds(started);
  if (given.flag("json")) terminal.json({ data: getText(given, "data"), world: "default", ...populated, seconds });
  else terminal.print(formatReport(populated, getText(given, "data"), seconds));
}

async function openDataFile(given: Given, seed: string | undefined): Promise<Sandbox> {
  const { nameOption, open } = await import("../boot.ts");
  const [data, fresh] = [readDataFile(given) ?? "", given.flag("fresh")];
  // An existing world keeps its seed, because its ids depend on it.
  const isNew = fresh || !existsSync(data);
  const named = { data, fresh, fixture: getText(given, "fixture"), clock: readClock(given.text("clock")) };
  // Errors must not advise to use --memory, because this command does not have it.
  const name: NameOption = (property) => (property === "orMemory" ? "" : nameOption(property));
  return open({ ...defaults, ...named, seed: isNew ? seed : undefined }, undefined, undefined, name).catch(
    addPosition(given),
  );
}

async function fillWorld(
  { application }: Sandbox,
  input: { bookings: number; seed: string | undefined },
  terminal: Terminal,
): Promise<Populated> {
  const world = application.worlds.get("default");
  if (!world) throw new Failure("The data file has no world called default. Name another file with --data.");
  // Work that became due while no sandbox was running is done first.
  await application.clock.advance(world, (now) => now, false);
  const show = showPopulateProgress(terminal);
  const options = { progress: (bookings: number) => show(bookings, input.bookings) };
  const populated = await application.states.populate(world, input, options).catch((reason: unknown) => {
    // The error of the engine names the field of the request.
    if ((reason as Error).name !== "DomainError") throw reason;
    throw new Misuse(toMessage(reason).replace(/^body\.bookings/, "--bookings"));
  });
  // The result is undefined only if a request changed the world, and this process serves no requests.
  if (!populated) throw new Failure("The world was changed at the same time, so no bookings were added.");
  return populated;
}

/** Returns the elapsed seconds, rounded to hundredths. */
const measureSeconds = (started: number) => Math.round((performance.now() - started) / 10) / 100;

function readBookings(text: string | undefined): number {
  if (text === undefined) throw new Misuse("Give the number of bookings, such as --bookings 10000.");
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Misuse(
    `--bookings is ${toExcerpt(text)}, which is not a number of bookings. Write it as --bookings 10000.`,
  );
}

function formatReport({ added, from, until, seed }: Populated, where: string, seconds: number): string {
  const rest = `${count(added.tickets, "ticket")}, ${count(added.events, "event")}, ${count(added.gift_cards, "gift card")}`;
  const span = `from ${from.slice(0, 10)} to ${until.slice(0, 10)}`;
  return `Added ${count(added.bookings, "booking")} with ${rest} to ${where}, ${span}, seed ${seed}, in ${seconds} s.`;
}

const NAME_VALUE = nameByOptions({ bookings: "--bookings", seed: "--seed" });

async function populateRunning({ given, terminal }: Call, address: string): Promise<void> {
  const bookings = readBookings(given.text("bookings"));
  const seed = readSeed(given.text("seed"));
  const started = performance.now();
  const { ask, control, url } = createClient(replaceTexts(given, { url: address }), NAME_VALUE);
  const body = { bookings, ...(seed === undefined ? {} : { seed }) };
  // A line can only be redrawn on a terminal.
  const show = (text: string) => (terminal.sayWidth === 0 ? undefined : terminal.redraw(text));
  show(`Adding ${count(bookings, "booking")} …`);
  const populated = await ask(control.POST("/_sandbox/state/populate", { body })).finally(() => show(""));
  const seconds = measureSeconds(started);
  if (given.flag("json")) terminal.json({ url, ...populated, seconds });
  else {
    terminal.print(formatReport(populated, `world ${populated.world} of ${url}`, seconds));
    terminal.say(describeTarget(nameWorld({ given }), url, false));
  }
}
