// sandbox world populate: adds bookings in bulk to a running sandbox, to a data file that no sandbox is using, or to a new data file.
import { existsSync } from "node:fs";
import { defaults, toExcerpt } from "../../engine/settings.ts";
import { count } from "../../platform/count.ts";
import { optional } from "../../platform/optional.ts";
import { type Client, createClient, nameByOptions } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld, type Option, option, urlOption } from "../command.ts";
import { Misuse } from "../failure.ts";
import { describeTarget, toPortAddress } from "../find-sandbox.ts";
import { replaceTexts } from "../options.ts";
import { addPosition, checkValues, nameTopic, readDataFile, startOptions, withVariable } from "../start-settings.ts";
import { toExitCode, waitForStopSignal } from "../stop-signal.ts";
import { cut, type Terminal } from "../terminal/terminal.ts";

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
    "Bookings are created by the rules of a running sandbox; no webhooks are sent. They are",
    "saved at the end, so an interrupted command adds none. No sandbox may use the data file.",
    "",
    "  sandbox world populate --bookings 10000 --seed 7",
    "  sandbox world populate --bookings 200 --url http://127.0.0.1:4010 --world w-1",
  ].join("\n"),
  async run(call) {
    const url = findRunningAddress(call);
    if (url === undefined) return populateFile(call);
    const client = await populateRunning({ ...call, given: replaceTexts(call.given, { url }) }, { url });
    if (!call.given.flag("json")) call.terminal.say(describeTarget(nameWorld(call), client.url, false));
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

async function populateFile(call: Call): Promise<number> {
  const { given, terminal } = call;
  const [data, fresh] = [readDataFile(given) ?? "", given.flag("fresh")];
  // The values are checked before the file is opened, which creates it.
  readBookings(given.text("bookings"));
  const [fixture, clock, seed] = ["fixture", "clock", "seed"].map((name) => given.text(name));
  const settings = checkValues({ data, fresh, fixture, clock, seed }, given);
  // An existing world keeps its seed, because its ids depend on it.
  if (!fresh && existsSync(data)) delete settings.seed;
  // The bookings are only in memory until the end, and the lock of the data file ends with the process.
  void waitForStopSignal().then((signal) => process.exit(toExitCode(signal)));
  const { boot } = await import("../boot.ts");
  const sandbox = await boot({ ...defaults, ...settings, port: 0 }).catch(addPosition(given));
  try {
    for (const warning of sandbox.warnings) terminal.say(`Warning: ${warning}`);
    const { url, control_token } = sandbox.introduction.announcement;
    const ofFile = replaceTexts(given, { url, world: "default", "control-token": control_token });
    await populateRunning({ ...call, given: ofFile }, { data }, data);
    return 0;
  } finally {
    await sandbox.close();
  }
}

function readBookings(text: string | undefined): number {
  if (text === undefined) throw new Misuse("Give the number of bookings, such as --bookings 10000.");
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Misuse(
    `--bookings is ${toExcerpt(text)}, which is not a number of bookings. Write it as --bookings 10000.`,
  );
}

const NAME_VALUE = nameByOptions(["bookings", "seed"]);

/** Adds the bookings over HTTP. `about` names the sandbox in JSON, and `where` in the report. */
async function populateRunning({ given, terminal }: Call, about: object, where?: string): Promise<Client> {
  const bookings = readBookings(given.text("bookings"));
  const started = performance.now();
  const client = createClient(given, NAME_VALUE);
  const { ask, control, url } = client;
  const body = { bookings, ...optional({ seed: given.text("seed") }) };
  const endProgress = given.flag("json")
    ? () => undefined
    : showElapsed(`Adding ${count(bookings, "booking")}`, terminal);
  const populated = await ask(control.POST("/_sandbox/state/populate", { body })).finally(endProgress);
  const seconds = Math.round((performance.now() - started) / 10) / 100;
  const { added, from, until, seed, world } = populated;
  const rest = `${count(added.tickets, "ticket")}, ${count(added.events, "event")}, ${count(added.gift_cards, "gift card")}`;
  const span = `from ${from.slice(0, 10)} to ${until.slice(0, 10)}`;
  if (given.flag("json")) terminal.json({ ...about, ...populated, seconds });
  else
    terminal.print(
      `Added ${count(added.bookings, "booking")} with ${rest} to ${where ?? `world ${world} of ${url}`}, ${span}, seed ${seed}, in ${seconds} s.`,
    );
  return client;
}

/** Shows a moving bar with the elapsed time, because the response comes only at the end. Returns a function that removes it. */
function showElapsed(text: string, { sayWidth, redraw }: Terminal): () => void {
  // A line can only be redrawn on a terminal.
  if (sayWidth === 0) return () => undefined;
  const started = performance.now();
  const draw = () => {
    const seconds = (performance.now() - started) / 1000;
    const at = Math.floor(seconds * 8) % (BAR_WIDTH - 2);
    const bar = `${"·".repeat(at)}███`.padEnd(BAR_WIDTH, "·");
    redraw(cut(`${text}  ${bar}  ${seconds.toFixed(1)} s`, sayWidth - 1));
  };
  draw();
  const timer = setInterval(draw, 125);
  return () => {
    clearInterval(timer);
    redraw("");
  };
}

const BAR_WIDTH = 20;
