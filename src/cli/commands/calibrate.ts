// sandbox calibrate: what recorded traffic of the real service says about what the sandbox assumes of it.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readBounded, whyUnread } from "../../platform/bounded-file.ts";
import { count } from "../../platform/count.ts";
import type { Calibration, Finding, Unknown } from "../../verdict/calibrate/index.ts";
import { type Call, type Command, jsonOption, option } from "../command.ts";
import { withFlips } from "../config-file.ts";
import { Misuse } from "../failure.ts";
import { columnsWithin, type Terminal, wrap } from "../terminal/terminal.ts";
import { writeWhole } from "../whole-file.ts";

export const calibrate: Command = {
  name: "calibrate",
  summary: "Hold recorded traffic of the service against the assumptions.",
  arguments: [["<file...>", "HAR files, as browsers, proxies and HTTP tools export them, or folders of them."]],
  options: [
    option.list("host", "a,b", "The hosts of the service in the files; default: the one with most of its operations."),
    option.text("write", "FILE", "Write the answers that fit to this configuration file, such as sandbox.config.yaml."),
    jsonOption,
  ],
  epilogue: [
    "The files are read and sent nowhere. Of them only names of the specification,",
    "statuses and places are repeated: no token, secret, id or name of a person.",
    "Exit codes: 0 all that was seen fits, 1 something does not, 2 wrong usage.",
    "",
    "  sandbox calibrate preview.har --write sandbox.config.yaml",
  ].join("\n"),
  run: calibrateBy,
};

async function calibrateBy({ args, given, terminal }: Call): Promise<number> {
  const { calibrate: hold, readHar, HarError } = await import("../../verdict/calibrate/index.ts");
  // Loaded late: the register and the document are large.
  const { shippedAssumptions, documentInForce, bindingFlips } = await import("../../sandbox.ts");
  const pairs = args.flatMap(filesAt).flatMap((file) => {
    try {
      // Recordings of browsers are large; the bound keeps a wrong file from filling the memory.
      return readHar(readBounded(file, { most: 512 * 1024 * 1024 }), file);
    } catch (error) {
      throw new Misuse(error instanceof HarError ? error.message : `${file} ${whyUnread(error)}`);
    }
  });
  const register = { questions: shippedAssumptions(), documentUnder: documentInForce, changing: bindingFlips() };
  const found = hold(pairs, register, given.list("host"));
  // "All fits" would be a wrong word about a file of something else.
  if (found.pairs + found.webhooks === 0) throw new Misuse(nothingIn(found, args));
  const file = given.text("write");
  if (file !== undefined) write(file, found);
  if (given.flag("json")) terminal.json({ ...found, written: file ?? null });
  else print(found, file, terminal);
  return found.differences.length > 0 || found.findings.some(isWrong) ? 1 : 0;
}

const isWrong = ({ result }: Finding): boolean => result === "contradicted" || result === "inconsistent";

/** A folder stands for the HAR files right in it. */
function filesAt(path: string): string[] {
  if (!existsSync(path)) throw new Misuse(`There is no ${path}. Name a HAR file, or a folder of them.`);
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path).filter((name) => name.toLowerCase().endsWith(".har"));
  if (files.length === 0) throw new Misuse(`${path} holds no .har file. Export traffic as HAR into it.`);
  // The first sighting is named, so the order has to be the same on every machine.
  return files.sort().map((name) => join(path, name));
}

function nothingIn({ left_out }: Calibration, files: readonly string[]): string {
  const hosts = left_out.map(({ host }) => host).slice(0, 10);
  const seen = hosts.length > 0 ? ` It has calls of ${hosts.join(", ")}.` : "";
  return `${files.join(", ")} has no call of an operation of the service.${seen} Paths such as /v1/bookings are looked for; --host names the service's host.`;
}

function write(file: string, { flips }: Calibration): void {
  // A link is replaced, not what it leads to.
  writeWhole(file, withFlips(file, flips), true);
}

const COLOURS = { confirmed: "green", contradicted: "red", inconsistent: "magenta", silent: "dim" } as const;
// What needs a decision comes first.
const ORDER: readonly Finding["result"][] = ["inconsistent", "contradicted", "confirmed", "silent"];

function print(found: Calibration, file: string | undefined, terminal: Terminal): void {
  const { findings, differences, flips } = found;
  const width = Math.min(terminal.width, 120);
  // Questions that have no other answer can't be decided by any traffic.
  const open = findings.filter(({ result, says }) => result !== "silent" || !says.startsWith("It has no other"));
  for (const result of ORDER) {
    const rows = open.filter((each) => each.result === result);
    if (rows.length === 0) continue;
    terminal.print(terminal.paint(COLOURS[result], `${result} (${rows.length})`));
    for (const each of rows) for (const line of findingLines(each, width)) terminal.print(`  ${line}`);
  }
  if (differences.length > 0) terminal.print(`differences of the specification (${differences.length})`);
  for (const line of columnsWithin(differences.map(differenceRow), terminal.width - 2))
    for (const part of hanging(line, terminal.width)) terminal.print(`  ${part}`);
  const mute = findings.length - open.length;
  if (mute > 0) terminal.print(`${mute} more have no other answer, and nothing is looked for.`);
  for (const { host, entries, matching } of found.left_out.slice(0, 10))
    terminal.say(
      `${host}: ${count(entries, "entry", "entries")} left out${matching ? `; take them with --host ${host}` : ""}.`,
    );
  terminal.say(`${count(found.pairs, "call")} and ${count(found.webhooks, "webhook")} read; nothing was sent.`);
  const options = Object.entries(flips).map(([id, value]) => `--assume ${id}=${value}`);
  if (file !== undefined) terminal.say(`${count(options.length, "answer")} written to ${file}.`);
  else if (options.length > 0) terminal.print(`sandbox start ${options.join(" ")}`);
}

function findingLines({ id, result, says, seen, assume }: Finding, width: number): string[] {
  const sightings = seen.map(({ value, times, at }) => `${value}: ${at}${times > 1 ? ` and ${times - 1} more` : ""}`);
  const change = assume === null ? "" : ` → --assume ${assume}`;
  const evidence = result === "silent" || sightings.length === 0 ? "" : ` Seen: ${sightings.slice(0, 4).join("; ")}.`;
  return hanging(`${id}${change}  ${says}${evidence}`, width);
}

function hanging(text: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text, width - 4);
  return [first, ...rest.map((line) => `  ${line}`)];
}

const MEANING: Record<Unknown["what"], string> = {
  member: "unknown member",
  value: "unknown value",
  missing: "missing member",
  form: "other form",
  status: "unknown status",
};

function differenceRow({ operation, status, what, place, value, times, at }: Unknown): string[] {
  const where = value === undefined ? place : `${place} ${value}`;
  return [`${operation} ${status}`, MEANING[what], where, `${times}×, first ${at}`];
}
