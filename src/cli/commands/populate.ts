// sandbox world populate: bulk data for a running sandbox that is named, else for a data file that no sandbox is using, or for a new one.
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

/** They mean the data file, as they do for `start`. */
const AS_FOR_START = ["data", "fixture", "clock", "fresh"];

const own: readonly Option[] = [
  option.text("bookings", "N", "How many bookings to add."),
  withVariable(
    option.text("seed", "N", "The same seed makes the same data, and a new world's ids; default: the world's own."),
  ),
  {
    ...urlOption,
    default: undefined,
    finds: false,
    meaning: "Add to the running sandbox at this address (or of SANDBOX_PORT), not to a data file.",
  },
];

export const populate: Command = {
  name: "populate",
  summary: "Add bookings in bulk, spread over the past year.",
  options: [
    ...own,
    ...startOptions.filter(({ name }) => AS_FOR_START.includes(name)).map(nameTopic),
    ...clientOptions.filter(({ name }) => name !== "url"),
  ],
  configured: ["data", "fixture", "clock", "seed"],
  epilogue: [
    "Bookings are created by the same rules as in a running sandbox: checkouts, resellers,",
    "part payments, cancellations, refunds, check-ins, gift cards. No webhooks are sent. If",
    "interrupted, no booking is saved. No sandbox may use the data file meanwhile;",
    "`sandbox start` loads it afterwards. A running sandbox takes bookings with --url: all",
    "or none, and none if its world is changed meanwhile, or you interrupt it.",
    "",
    "  sandbox world populate --bookings 10000 --seed 7",
    "  sandbox world populate --bookings 200 --url http://127.0.0.1:4010 --world w-1",
  ].join("\n"),
  async run(call) {
    const url = runningAt(call);
    await (url === undefined ? populateFile(call) : populateRunning(call, url));
    return 0;
  },
};

/** The address of the running sandbox, where one is named and no data file is. */
function runningAt({ given, environment }: Call): string | undefined {
  // One option decides which of the two it is, so one of each is a contradiction.
  const ofFile = AS_FOR_START.find((name) => given.source(name) === "flag");
  const ofRunning = ["url", "world"].find((name) => given.source(name) === "flag");
  if (ofFile && ofRunning)
    throw new Misuse(`--${ofFile} is for a data file, and --${ofRunning} for a running sandbox. Give one of the two.`);
  const url = ofFile ? undefined : (given.text("url") ?? toPortAddress(environment.SANDBOX_PORT));
  if (url === undefined && ofRunning)
    throw new Misuse(`--${ofRunning} is for a running sandbox. Name that with --url.`);
  return url;
}

async function populateFile({ given, terminal }: Call): Promise<void> {
  const bookings = readBookings(given.text("bookings"));
  const seed = readSeed(given.text("seed"));
  const started = performance.now();
  // The bookings are in memory only; the lock of the data file goes with the process.
  void waitForStopSignal().then((signal) => process.exit(toExitCode(signal)));
  const sandbox = await opened(given, seed);
  let populated: Populated;
  try {
    for (const warning of sandbox.warnings) terminal.say(`Warning: ${warning}`);
    populated = await filled(sandbox, { bookings, seed }, terminal);
  } finally {
    await sandbox.close();
  }
  const seconds = secondsSince(started);
  if (given.flag("json")) terminal.json({ data: getText(given, "data"), world: "default", ...populated, seconds });
  else terminal.print(reportOf(populated, getText(given, "data"), seconds));
}

async function opened(given: Given, seed: string | undefined): Promise<Sandbox> {
  const { nameOption, open } = await import("../boot.ts");
  const [data, fresh] = [readDataFile(given) ?? "", given.flag("fresh")];
  // The seed of an existing world stays: its ids follow from it.
  const isNew = fresh || !existsSync(data);
  const named = { data, fresh, fixture: getText(given, "fixture"), clock: readClock(given.text("clock")) };
  // This command has no --memory.
  const name: NameOption = (property) => (property === "orMemory" ? "" : nameOption(property));
  return open({ ...defaults, ...named, seed: isNew ? seed : undefined }, undefined, undefined, name).catch(
    addPosition(given),
  );
}

async function filled(
  { application }: Sandbox,
  input: { bookings: number; seed: string | undefined },
  terminal: Terminal,
): Promise<Populated> {
  const world = application.worlds.get("default");
  if (!world) throw new Failure("The data file holds no world called default. Name another with --data.");
  // Whatever fell due while nothing was running comes first.
  await application.clock.advance(world, (now) => now, false);
  const show = showPopulateProgress(terminal);
  const progress = (bookings: number) => show(bookings, input.bookings);
  const populated = await application.states.populate(world, input, { progress }).catch((reason: unknown) => {
    // The engine names the field of the request.
    if ((reason as Error).name !== "DomainError") throw reason;
    throw new Misuse(toMessage(reason).replace(/^body\.bookings/, "--bookings"));
  });
  // Undefined only where a request has changed the world, and this process serves none.
  if (!populated) throw new Failure("The world was changed in the meantime, and no booking was added.");
  return populated;
}

/** To a hundredth. */
const secondsSince = (started: number) => Math.round((performance.now() - started) / 10) / 100;

function readBookings(text: string | undefined): number {
  if (text === undefined) throw new Misuse("How many bookings? Write it as --bookings 10000.");
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Misuse(
    `--bookings is ${toExcerpt(text)}, which is not a number of bookings. Write it as --bookings 10000.`,
  );
}

function reportOf({ added, from, until, seed }: Populated, where: string, seconds: number): string {
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
