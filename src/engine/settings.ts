// Every setting once: its default, its check and its meaning. The command line, the library and the documents come from this table; a
// record of settings from anywhere else is checked against it by name.

import { didYouMean } from "../platform/nearest.ts";
import { optional } from "../platform/optional.ts";
import type { EventKind } from "./domain/kernel/kinds.ts";
import * as forms from "./setting-forms.ts";
import * as check from "./setting-values.ts";

/** The settings as the sandbox reads them. */
export interface Settings {
  port: number;
  host: string;
  fixture: string;
  /** Undefined: in memory. */
  data: string | undefined;
  /** The address of a PostgreSQL, instead of a file. */
  database: string | undefined;
  /** Seconds to wait for it at the start. */
  waitFor: number;
  /** Where the other nodes on the same database reach this one. */
  nodeUrl: string | undefined;
  /** Where clients reach the sandbox, when not directly. */
  publicUrl: string | undefined;
  worldsInMemory: number;
  fresh: boolean;
  durability: "os" | "fsync";
  clock: string | undefined;
  seed: string | undefined;
  webhookUrl: string | undefined;
  webhookEvents: readonly EventKind[];
  allowPublicWebhooks: boolean;
  maturity: "preview" | "production";
  audience: readonly string[];
  assume: Readonly<Record<string, string>>;
  retry: "standard" | "fast";
  /** Requests a minute and client. */
  rateLimit: number | undefined;
  /** Origins whose pages may call the API from a browser. */
  cors: readonly string[];
  controlToken: string | undefined;
  /** Opens the metrics, and nothing else. */
  metricsToken: string | undefined;
  /** Encrypts the key that signs certificates, in the database. */
  certificateKey: string | undefined;
  strictResponses: boolean;
  /** Changes of each world that are remembered, in number and in bytes of what they replaced. */
  historyCommits: number;
  historyBytes: number;
  /** Of each kind and world. */
  logEntries: number;
  logBytes: number;
}

/** The settings that can be written in other forms too. */
interface OtherForms {
  seed: number | string;
  /** Held at this instant; `now`: with real time; `anchor`: held at the instant that the fixture was written for. */
  clock: string | Date;
  /** A record, or a list as on the command line: `["signature-text=v1"]`. */
  assume: Readonly<Record<string, string>> | readonly string[];
  rateLimit: number | `${number}/min`;
  /** A list, or a text with commas. */
  webhookEvents: readonly EventKind[] | string;
}

/** A setting that is left out, or undefined, has its default. */
export type SandboxOptions = {
  [Name in keyof Settings]?: (Name extends keyof OtherForms ? OtherForms[Name] : Settings[Name]) | undefined;
};

/** An option of the command line. */
export interface Setting {
  /** Without the dashes; the environment name is SANDBOX_ and this in capitals. */
  name: string;
  kind: "text" | "number" | "flag" | "list";
  placeholder?: string;
  default: string | number | boolean | readonly string[] | undefined;
  choices?: readonly string[];
  meaning: string;
  /** What a configuration file may say of it: it comes with a folder, and a folder may come from anybody. */
  inFile?: InFile;
}

/** Anything that fits, nothing, a path that stays in the folder of the file, or what nothing stands against. */
type InFile = "any" | "nothing" | "path below" | check.WhyNot;

interface SettingRow<Value> extends Omit<Setting, "name" | "default"> {
  default: Value;
  inFile: InFile;
  /** Of `sandbox start`, where it differs. */
  onCommandLine?: Setting["default"];
  /** The value of another form; any other value as it is. */
  read?: (value: unknown) => unknown;
  whyNot: check.WhyNot;
}

const DURABILITIES = ["os", "fsync"];
const MATURITIES = ["preview", "production"];
const RETRIES = ["standard", "fast"];

const table: { readonly [Property in keyof Settings]: SettingRow<Settings[Property]> } = {
  port: {
    kind: "number",
    placeholder: "N",
    default: 0,
    onCommandLine: 4010,
    inFile: "any",
    whyNot: check.port,
    meaning: "Port to listen on; 0 takes a free one.",
  },
  host: {
    kind: "text",
    placeholder: "address",
    default: "127.0.0.1",
    inFile: check.loopbackHost,
    whyNot: check.text("an address"),
    meaning:
      "Address to listen on. Clients that connect over a non-loopback address must send the control token to use `/_sandbox`.",
  },
  fixture: {
    kind: "text",
    placeholder: "name or path",
    default: "harbour-tours",
    inFile: "path below",
    whyNot: check.text("the name of a fixture or its folder"),
    meaning: "The world to begin with: a shipped fixture, or a folder.",
  },
  data: {
    kind: "text",
    placeholder: "file",
    default: undefined,
    onCommandLine: ".sandbox/world.json",
    inFile: "path below",
    whyNot: check.text("the path of a file"),
    meaning: "File of the state; when it exists, it is loaded.",
  },
  database: {
    kind: "text",
    placeholder: "URL",
    default: undefined,
    inFile: "nothing",
    whyNot: check.database,
    meaning: "Keep the state in this PostgreSQL instead (`postgres://user@host/name`).",
  },
  waitFor: {
    kind: "number",
    placeholder: "seconds",
    default: 30,
    inFile: "any",
    whyNot: check.most,
    meaning: "How long to wait at the start for the database to be reached.",
  },
  nodeUrl: {
    kind: "text",
    placeholder: "URL",
    default: undefined,
    inFile: check.loopbackAddress,
    whyNot: check.httpUrl,
    meaning: "With --database: where the other nodes reach this one; default: the address that it listens on.",
  },
  publicUrl: {
    kind: "text",
    placeholder: "URL",
    default: undefined,
    inFile: check.loopbackAddress,
    whyNot: check.httpUrl,
    meaning: "Where clients reach the sandbox, when that is a load balancer: addresses in answers begin with it.",
  },
  worldsInMemory: {
    kind: "number",
    placeholder: "N",
    default: 500,
    inFile: "any",
    whyNot: check.atLeastOne,
    meaning: "With --database: keep at most N worlds open; the one that was not used for longest makes room.",
  },
  fresh: {
    kind: "flag",
    default: false,
    inFile: "nothing",
    whyNot: check.flag,
    meaning: "Ignore the data file and replace it.",
  },
  durability: {
    kind: "text",
    placeholder: "os or fsync",
    default: "os",
    choices: DURABILITIES,
    inFile: "any",
    whyNot: check.choiceOf(DURABILITIES),
    meaning: "What an answered write is safe against: `os`, a crash of the process; `fsync`, also a power failure.",
  },
  clock: {
    kind: "text",
    placeholder: "instant",
    default: undefined,
    read: forms.clock,
    inFile: "any",
    whyNot: check.clock,
    meaning:
      "Hold the clock at this instant; `anchor`: the fixture's own; `now`: let it run with real time (the default).",
  },
  seed: {
    kind: "text",
    placeholder: "N",
    default: undefined,
    inFile: "any",
    whyNot: check.seed,
    meaning: "Seed of generated ids (same seed, same ids); default: the fixture's seed.",
  },
  webhookUrl: {
    kind: "text",
    placeholder: "URL",
    default: undefined,
    inFile: check.loopbackAddress,
    whyNot: check.webhookUrl,
    meaning: "Subscribe this address to webhooks, and print the secret.",
  },
  webhookEvents: {
    kind: "list",
    placeholder: "a,b",
    default: [],
    read: forms.webhookEvents,
    inFile: "any",
    whyNot: check.webhookEvents,
    meaning: "The kinds to send to --webhook-url; default: all.",
  },
  allowPublicWebhooks: {
    kind: "flag",
    default: false,
    inFile: "nothing",
    whyNot: check.flag,
    meaning: "Let the subscriptions of a fixture or an import send to public hosts.",
  },
  maturity: {
    kind: "text",
    placeholder: "preview or production",
    default: "preview",
    choices: MATURITIES,
    inFile: "any",
    whyNot: check.choiceOf(MATURITIES),
    meaning: "`production` rejects Preview areas, as the service does.",
  },
  audience: {
    kind: "list",
    placeholder: "A",
    default: [],
    inFile: "any",
    whyNot: check.audience,
    meaning: "Accept this audience in token requests too; repeatable.",
  },
  assume: {
    kind: "list",
    placeholder: "id=value",
    default: {},
    onCommandLine: [],
    read: forms.assume,
    inFile: "any",
    whyNot: check.assume,
    meaning: "Override an assumption about the service (`sandbox assumptions` lists them); repeatable.",
  },
  retry: {
    kind: "text",
    placeholder: "standard or fast",
    default: "standard",
    choices: RETRIES,
    inFile: "any",
    whyNot: check.choiceOf(RETRIES),
    meaning: "`fast` divides the waits between webhook attempts by 100.",
  },
  rateLimit: {
    kind: "text",
    placeholder: "N/min",
    default: undefined,
    read: forms.rateLimit,
    inFile: "any",
    whyNot: check.rateLimit,
    meaning: "Answer 429 beyond this number of requests a minute and client.",
  },
  cors: {
    kind: "list",
    placeholder: "origin",
    default: [],
    inFile: check.loopbackAddress,
    whyNot: check.cors,
    meaning: "Let pages of this origin call the API from a browser, `*` for pages of all; repeatable.",
  },
  controlToken: {
    kind: "text",
    placeholder: "T",
    default: undefined,
    inFile: "nothing",
    whyNot: check.controlToken,
    meaning: "The token of the control surface; default: a random one.",
  },
  metricsToken: {
    kind: "text",
    placeholder: "T",
    default: undefined,
    inFile: "nothing",
    whyNot: check.controlToken,
    meaning: "A token that only reads the metrics, for whatever collects them.",
  },
  certificateKey: {
    kind: "text",
    placeholder: "T",
    default: undefined,
    inFile: "nothing",
    whyNot: check.passphrase,
    meaning: "With --database: a passphrase that encrypts the key that signs certificates; the same for all nodes.",
  },
  strictResponses: {
    kind: "flag",
    default: false,
    inFile: "any",
    whyNot: check.flag,
    meaning: "Check every response against the specification; one that breaks it becomes a 500 that says how.",
  },
  historyCommits: {
    kind: "number",
    placeholder: "N",
    default: 2000,
    inFile: "any",
    whyNot: check.most,
    meaning: "Remember the latest N changes of each world, for `history`, `diff` and `rewind`; 0: none.",
  },
  historyBytes: {
    kind: "number",
    placeholder: "N",
    default: 16 * 1024 * 1024,
    inFile: "any",
    whyNot: check.most,
    meaning: "And at most about N bytes of replaced records in each world.",
  },
  logEntries: {
    kind: "number",
    placeholder: "N",
    default: 2000,
    inFile: "any",
    whyNot: check.atLeastOne,
    meaning:
      "Keep the latest N entries of each kind in the log of each world: requests, acts, clock moves, deliveries.",
  },
  logBytes: {
    kind: "number",
    placeholder: "N",
    default: 4 * 1024 * 1024,
    inFile: "any",
    whyNot: check.atLeastOne,
    meaning: "And at most N bytes of each kind.",
  },
};

const properties = Object.keys(table) as (keyof Settings)[];

/** `webhookUrl` is `webhook-url` on the command line. */
export const optionName = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The settings as options of the command line, each with the property that it sets. */
export const settings: readonly (Setting & { property: keyof Settings })[] = properties.map((property) => {
  const { onCommandLine, default: value, whyNot: _, read: _read, ...row } = table[property];
  return { ...row, property, name: optionName(property), default: onCommandLine ?? (value as Setting["default"]) };
});

export const defaults = Object.fromEntries(
  properties.map((property) => [property, table[property].default]),
) as unknown as Settings;

export function environmentName(name: string): string {
  return `SANDBOX_${name.replaceAll("-", "_").toUpperCase()}`;
}

/** A setting that is rejected: what, with which value, what to do. */
export class SettingError extends Error {
  readonly code = "SETTING_REJECTED";
  constructor(message: string) {
    super(message);
    this.name = "SettingError";
  }
}

/** How a sentence names a property: as the library does, or as the option was given. */
type Label = (property: string) => string;
const asProperty: Label = (property) => property;

/** Throws a SettingError when the value of a setting is rejected. Undefined stands for the default. */
export function mustFit(property: keyof Settings, value: unknown, label: string): void {
  const reason = value === undefined ? undefined : table[property].whyNot(value);
  if (reason !== undefined) throw new SettingError(`${label} ${reason}`);
}

/** The settings of a record, by name, without defaults. Throws a SettingError at the first one that is rejected. */
export function checkedSettings(
  record: object,
  label: Label = asProperty,
  known: readonly (keyof Settings)[] = properties,
): Partial<Settings> {
  const given: Partial<Settings> = {};
  for (const [name, value] of Object.entries(optional(record))) {
    const property = known.find((each) => each === name);
    if (property === undefined)
      throw new SettingError(
        `There is no option ${check.excerptOf(name)}.${didYouMean(name, known)} Known: ${known.join(", ")}.`,
      );
    const read = table[property].read?.(value) ?? value;
    mustFit(property, read, label(name));
    Object.assign(given, { [property]: read });
  }
  const { webhookEvents = [], webhookUrl } = given;
  if (webhookEvents.length > 0 && webhookUrl === undefined)
    throw new SettingError(
      `${label("webhookEvents")} says what to send, but not where. Add ${label("webhookUrl")}, or leave it out.`,
    );
  return given;
}

/** The whole settings. Throws a SettingError that names what is rejected. */
export function settingsFrom(inputs: SandboxOptions): Settings {
  if (typeof inputs !== "object" || inputs === null)
    throw new SettingError(
      `The options are ${check.valueText(inputs)}. Give an object such as { fixture: "empty" }, or nothing.`,
    );
  const given = checkedSettings(inputs);
  return {
    ...defaults,
    ...given,
    seed: given.seed === undefined ? undefined : String(given.seed),
  };
}

/** Bytes of a world that can be imported: it is held whole, several times over, while it is checked. */
export const STATE_LIMIT = 640 * 1024 * 1024;
export const STATE_TOO_LARGE =
  "is larger than 640 MiB, and no larger world can be imported. Stop the sandbox that it comes from, copy its data file, " +
  "and start one with --data on the copy.";
