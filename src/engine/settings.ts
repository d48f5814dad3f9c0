// Lists every setting with its default, its check and its meaning. The command line, the library and the documents use this
// table, and records of settings are checked against it by name.

import type { AssumptionValues } from "../contract/generated/assumption-values.ts";
import { suggest } from "../platform/nearest.ts";
import { OptionError } from "../platform/option-names.ts";
import { optional } from "../platform/optional.ts";
import type { EventKind } from "./domain/kernel/kinds.ts";
import * as types from "./setting-values.ts";

/** The settings as the sandbox reads them. */
export interface Settings {
  port: number;
  host: string;
  fixture: string;
  /** Undefined keeps the state in memory. */
  data: string | undefined;
  /** The address of a PostgreSQL, instead of a file. */
  database: string | undefined;
  /** Seconds to wait for the database at the start. */
  waitFor: number;
  /** The address at which other nodes on the same database reach this one. */
  nodeUrl: string | undefined;
  /** The address at which clients reach the sandbox, if it differs. */
  publicUrl: string | undefined;
  worldsInMemory: number;
  fresh: boolean;
  durability: "os" | "fsync";
  clock: string | undefined;
  seed: string | undefined;
  webhookUrl: string | undefined;
  /** Undefined means all kinds. */
  webhookEvents: readonly EventKind[] | undefined;
  allowPublicWebhooks: boolean;
  maturity: "preview" | "production";
  audience: readonly string[];
  assume: Readonly<Record<string, string>>;
  retry: "standard" | "fast";
  /** A file with certificates in PEM. */
  ca: string | undefined;
  /** An ISO 8601 duration, or `none`. */
  receiverTimeout: string;
  /** The number of requests per minute and client. */
  rateLimit: number | undefined;
  /** Origins whose pages may call the API from a browser. */
  cors: readonly string[];
  controlToken: string | undefined;
  /** The token gives access to the metrics only. */
  metricsToken: string | undefined;
  strictResponses: boolean;
  /** The number of bytes that are kept of what happened in all worlds. */
  logBytes: number;
}

/** Settings that can be written in other notations. */
interface OtherForms {
  seed: number | string;
  /**
   * An instant holds the clock there; `now` runs it with real time; `anchor` holds it at the instant that the
   * fixture was written for.
   */
  clock: string | Date;
  /** A record, or a list as on the command line: `["signature-text=v1"]`. */
  assume: Readonly<AssumptionValues> | readonly string[];
  rateLimit: number | `${number}/min`;
  webhookUrl: string | URL;
  nodeUrl: string | URL;
  publicUrl: string | URL;
  /** A list, or a text with commas. */
  webhookEvents: readonly EventKind[] | EventKind | `${EventKind},${string}`;
}

/** A missing or undefined setting has its default. */
export type SandboxOptions = {
  [Name in keyof Settings]?: (Name extends keyof OtherForms ? OtherForms[Name] : Settings[Name]) | undefined;
};

/** An option of the command line. */
export interface Setting {
  /** The name without the dashes. */
  name: string;
  kind: "text" | "number" | "flag" | "list";
  placeholder?: string;
  default: string | number | boolean | readonly string[] | undefined;
  choices?: readonly string[];
  meaning: string;
  /** The values that a configuration file may set. */
  inFile?: types.InFile;
}

interface SettingRow<Value> extends Omit<Setting, "name" | "default" | "inFile">, types.SettingType {
  default: Value;
  /** The default of `sandbox start`, if it differs. */
  onCommandLine?: Setting["default"];
}

type Rest = Pick<SettingRow<unknown>, "meaning" | "onCommandLine" | "choices">;

const createRowFactory =
  (kind: Setting["kind"]) =>
  <Value>(placeholder: string, value: Value, type: types.SettingType, rest: Rest): SettingRow<Value> => {
    return { kind, placeholder, default: value, ...type, ...rest };
  };
const [text, number, list] = [createRowFactory("text"), createRowFactory("number"), createRowFactory("list")];

const choice = <Value extends string>(choices: readonly Value[], byDefault: Value, meaning: string) =>
  text(choices.join(" or "), byDefault, types.createChoice(choices), { choices, meaning });

/** Flags are off by default. */
const flag = (inFile: types.InFile, meaning: string): SettingRow<boolean> => {
  return { kind: "flag", default: false, inFile, whyNot: types.rejectNoFlag, meaning };
};

const table: { readonly [Property in keyof Settings]: SettingRow<Settings[Property]> } = {
  port: number("N", 0, types.port, { meaning: "Port to listen on; 0 takes a free one.", onCommandLine: 4010 }),
  host: text("address", "127.0.0.1", types.host, {
    meaning: "Address to listen on. On a non-loopback address `/_sandbox` needs the control token.",
  }),
  fixture: text("name or path", "harbour-tours", types.fixture, {
    meaning: "The world to begin with: a shipped fixture, or a folder.",
  }),
  data: text("file", undefined, types.file, {
    meaning: "File of the state; when it exists, it is loaded.",
    onCommandLine: ".sandbox/world.json",
  }),
  database: text("URL", undefined, types.database, {
    meaning: "Keep the state in this PostgreSQL instead (`postgres://user@host/name`).",
  }),
  waitFor: number("seconds", 30, types.most, {
    meaning: "How long to wait at the start for the database to be reached.",
  }),
  nodeUrl: text("URL", undefined, types.httpUrl, {
    meaning: "With --database: where the other nodes reach this one; default: the address that it listens on.",
  }),
  publicUrl: text("URL", undefined, types.httpUrl, {
    meaning: "Where clients reach the sandbox, when that is a load balancer: addresses in answers begin with it.",
  }),
  worldsInMemory: number("N", 500, types.atLeastOne, {
    meaning: "With --database: keep at most N worlds open; the one that was not used for longest makes room.",
  }),
  fresh: flag("nothing", "Ignore the data file and replace it."),
  durability: choice(
    ["os", "fsync"],
    "os",
    "What an answered write is safe against: `os`, a crash of the process; `fsync`, also a power failure.",
  ),
  clock: text("instant", undefined, types.clock, {
    meaning:
      "Hold the clock at this instant; `anchor`: the fixture's own; `now`: let it run with real time (the default).",
  }),
  seed: text("N", undefined, types.seed, {
    meaning: "Seed of generated ids (same seed, same ids); default: the fixture's seed.",
  }),
  webhookUrl: text("URL", undefined, types.webhookUrl, {
    meaning: "Subscribe this address to webhooks, and print the secret.",
  }),
  webhookEvents: list("a,b", undefined, types.webhookEvents, {
    meaning: "The kinds to send to --webhook-url; default: all.",
  }),
  allowPublicWebhooks: flag("nothing", "Let the subscriptions of a fixture or an import send to public hosts."),
  maturity: choice(["preview", "production"], "preview", "`production` rejects Preview areas, as the service does."),
  audience: list("A", [], types.audience, { meaning: "Accept this audience in token requests too; repeatable." }),
  assume: list("id=value", {}, types.assume, {
    meaning: "Override an assumption about the service (`sandbox assume` lists them); repeatable.",
  }),
  retry: choice(["standard", "fast"], "standard", "`fast` divides the waits between webhook attempts by 100."),
  ca: text("file", undefined, types.file, {
    meaning: "Trust the certificates of this PEM file when sending webhooks.",
  }),
  receiverTimeout: text("duration", "PT15S", types.receiverTimeout, {
    meaning: "Time for a receiver to respond, or `none` while you debug it.",
  }),
  rateLimit: text("N/min", undefined, types.rateLimit, {
    meaning: "Answer 429 beyond this number of requests a minute and client.",
  }),
  cors: list("origin", [], types.cors, {
    meaning: "Let pages of this origin call the API from a browser, `*` for pages of all; repeatable.",
  }),
  controlToken: text("T", undefined, types.controlToken, {
    meaning:
      "The control token, which `/_sandbox` then needs on loopback too; default: a random one, for other connections.",
  }),
  metricsToken: text("T", undefined, types.controlToken, {
    meaning: "A token that reads the metrics and nothing else.",
  }),
  strictResponses: flag(
    "any",
    "Check every response against the specification; one that breaks it becomes a 500 that says how.",
  ),
  logBytes: number("N", 64 * 1024 * 1024, types.atLeastOne, {
    meaning: "Keep the latest N bytes of what happened in all worlds.",
  }),
};

const properties = Object.keys(table) as (keyof Settings)[];

/** Converts `webhookUrl` to `webhook-url`, its name on the command line. */
export const toOption = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The settings as options of the command line, each with the property that it sets. */
export const settings: readonly (Setting & { property: keyof Settings })[] = properties.map((property) => {
  const { onCommandLine, default: value, whyNot: _, read: _read, ...row } = table[property];
  const byDefault = row.kind === "list" ? [] : (onCommandLine ?? (value as Setting["default"]));
  return { ...row, property, name: toOption(property), default: byDefault };
});

export const defaults = Object.fromEntries(
  properties.map((property) => [property, table[property].default]),
) as unknown as Settings;

/** Returns the environment variable of an option of `start`. */
export function toEnvironment(name: string): string {
  return `SANDBOX_${name.replaceAll("-", "_").toUpperCase()}`;
}

/** The error of a rejected setting: its name, its value, and what to do. */
export class SettingError extends OptionError {
  readonly code = "SETTING_REJECTED";
  constructor(message: string) {
    super(message);
    this.name = "SettingError";
  }
}

/** `of` names what accepts the known options, if that needs a name. */
export function rejectOption(name: string, known: readonly string[], of?: string): SettingError {
  const what = `${types.toExcerpt(name)}${of === undefined ? "" : ` of ${of}`}`;
  return new SettingError(`There is no option ${what}.${suggest(name, known)} Known: ${known.join(", ")}.`);
}

/** Formats the name of a property in messages, as the library or the command line spells it. */
type Label = (property: string) => string;
const toProperty: Label = (property) => property;

/** Returns the settings of a record, by name, without defaults. Throws a SettingError at the first rejected one. */
export function checkSettings(
  record: object,
  label: Label = toProperty,
  known: readonly (keyof Settings)[] = properties,
): Partial<Settings> {
  const given: Partial<Settings> = {};
  for (const [name, value] of Object.entries(optional(record))) {
    const property = known.find((each) => each === name);
    if (property === undefined) throw rejectOption(name, known);
    const read = table[property].read?.(value) ?? value;
    const reason = table[property].whyNot(read);
    if (reason !== undefined) throw new SettingError(`${label(name)} ${reason}`);
    Object.assign(given, { [property]: read });
  }
  const { webhookEvents, webhookUrl } = given;
  if (webhookEvents !== undefined && webhookUrl === undefined)
    throw new SettingError(
      `${label("webhookEvents")} says what to send, but not where. Add ${label("webhookUrl")}, or leave it out.`,
    );
  return given;
}

/** Returns all settings, with defaults. Throws a SettingError that names the rejected setting. */
export function readSettings(inputs: SandboxOptions): Settings {
  if (typeof inputs !== "object" || inputs === null)
    throw new SettingError(
      `The options are ${typeof inputs === "string" ? "the text " : ""}${types.showValue(inputs)}. Give an object such as { fixture: "empty" }, or nothing.`,
    );
  const given = checkSettings(inputs);
  return { ...defaults, ...given, seed: given.seed === undefined ? undefined : String(given.seed) };
}

/** The maximum size of a world to import: about 10,000 bookings, parsed in one piece. */
export const STATE_LIMIT = 64 * 1024 * 1024;
export const STATE_TOO_LARGE =
  "is larger than 64 MiB, and no larger world can be imported. Stop the sandbox that it comes from, copy its data file, " +
  "and start one with --data on the copy.";

export { explainKind, isLoopbackUrl, rejectChoice, showValue, toExcerpt } from "./setting-values.ts";
