// Lists every setting with its default, its check and its meaning. The command line, the library and the documents use this
// table, and records of settings are checked against it by name.

import type { AssumptionValues } from "../contract/generated/assumption-values.ts";
import { suggest } from "../platform/nearest.ts";
import { OptionError } from "../platform/option-names.ts";
import { optional } from "../platform/optional.ts";
import type { EventKind } from "./domain/kernel/kinds.ts";
import * as forms from "./setting-forms.ts";
import * as check from "./setting-values.ts";

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
  /** The values that a configuration file may set. The file is part of a folder, whose origin may be unknown. */
  inFile?: InFile;
}

/** Any valid value, no value, a path that stays in the folder of the file, or a value that passes a check. */
type InFile = "any" | "nothing" | "path below" | check.WhyNot;

interface SettingRow<Value> extends Omit<Setting, "name" | "default"> {
  default: Value;
  inFile: InFile;
  /** The default of `sandbox start`, if it differs. */
  onCommandLine?: Setting["default"];
  /** Converts a value from another notation; any other value stays unchanged. */
  read?: (value: unknown) => unknown;
  whyNot: check.WhyNot;
}

type Rest = Omit<SettingRow<unknown>, "kind" | "placeholder" | "default" | "meaning">;

const createRowFactory =
  (kind: Setting["kind"]) =>
  <Value>(placeholder: string, byDefault: Value, meaning: string, rest: Rest): SettingRow<Value> => ({
    ...{ kind, placeholder, default: byDefault, meaning },
    ...rest,
  });
const [text, number, list] = [createRowFactory("text"), createRowFactory("number"), createRowFactory("list")];

const choice = <Value extends string>(
  choices: readonly Value[],
  byDefault: Value,
  meaning: string,
): SettingRow<Value> =>
  text(choices.join(" or "), byDefault, meaning, { choices, inFile: "any", whyNot: check.requireChoice(choices) });

/** Flags are off by default. */
const flag = (meaning: string, inFile: InFile): SettingRow<boolean> => ({
  ...{ kind: "flag", default: false, inFile, whyNot: check.flag, meaning },
});

/** `inFile` is required in every row, because the origin of a file may be unknown. */
const table: { readonly [Property in keyof Settings]: SettingRow<Settings[Property]> } = {
  port: number("N", 0, "Port to listen on; 0 takes a free one.", {
    onCommandLine: 4010,
    inFile: "any",
    whyNot: check.port,
  }),
  host: text(
    "address",
    "127.0.0.1",
    "Address to listen on. On a non-loopback address `/_sandbox` needs the control token.",
    { inFile: check.loopbackHost, whyNot: check.text("an address") },
  ),
  fixture: text("name or path", "harbour-tours", "The world to begin with: a shipped fixture, or a folder.", {
    inFile: "path below",
    whyNot: check.text("the name of a fixture or its folder"),
  }),
  data: text("file", undefined, "File of the state; when it exists, it is loaded.", {
    onCommandLine: ".sandbox/world.json",
    inFile: "path below",
    whyNot: check.text("the path of a file"),
  }),
  database: text("URL", undefined, "Keep the state in this PostgreSQL instead (`postgres://user@host/name`).", {
    inFile: "nothing",
    whyNot: check.database,
  }),
  waitFor: number("seconds", 30, "How long to wait at the start for the database to be reached.", {
    inFile: "any",
    whyNot: check.most,
  }),
  nodeUrl: text(
    "URL",
    undefined,
    "With --database: where the other nodes reach this one; default: the address that it listens on.",
    { read: forms.url, inFile: check.loopbackAddress, whyNot: check.httpUrl },
  ),
  publicUrl: text(
    "URL",
    undefined,
    "Where clients reach the sandbox, when that is a load balancer: addresses in answers begin with it.",
    { read: forms.url, inFile: check.loopbackAddress, whyNot: check.httpUrl },
  ),
  worldsInMemory: number(
    "N",
    500,
    "With --database: keep at most N worlds open; the one that was not used for longest makes room.",
    { inFile: "any", whyNot: check.atLeastOne },
  ),
  fresh: flag("Ignore the data file and replace it.", "nothing"),
  durability: choice(
    ["os", "fsync"],
    "os",
    "What an answered write is safe against: `os`, a crash of the process; `fsync`, also a power failure.",
  ),
  clock: text(
    "instant",
    undefined,
    "Hold the clock at this instant; `anchor`: the fixture's own; `now`: let it run with real time (the default).",
    { read: forms.clock, inFile: "any", whyNot: check.clock },
  ),
  seed: text("N", undefined, "Seed of generated ids (same seed, same ids); default: the fixture's seed.", {
    inFile: "any",
    whyNot: check.seed,
  }),
  webhookUrl: text("URL", undefined, "Subscribe this address to webhooks, and print the secret.", {
    read: forms.url,
    inFile: check.loopbackAddress,
    whyNot: check.webhookUrl,
  }),
  webhookEvents: list("a,b", undefined, "The kinds to send to --webhook-url; default: all.", {
    onCommandLine: [],
    read: forms.webhookEvents,
    inFile: "any",
    whyNot: check.webhookEvents,
  }),
  allowPublicWebhooks: flag("Let the subscriptions of a fixture or an import send to public hosts.", "nothing"),
  maturity: choice(["preview", "production"], "preview", "`production` rejects Preview areas, as the service does."),
  audience: list("A", [], "Accept this audience in token requests too; repeatable.", {
    inFile: "any",
    whyNot: check.audience,
  }),
  assume: list("id=value", {}, "Override an assumption about the service (`sandbox assume` lists them); repeatable.", {
    onCommandLine: [],
    read: forms.assume,
    inFile: "any",
    whyNot: check.assume,
  }),
  retry: choice(["standard", "fast"], "standard", "`fast` divides the waits between webhook attempts by 100."),
  ca: text("file", undefined, "Trust the certificates of this PEM file when sending webhooks.", {
    inFile: "path below",
    whyNot: check.text("the path of a file"),
  }),
  receiverTimeout: text("duration", "PT15S", "Time for a receiver to respond, or `none` while you debug it.", {
    inFile: "any",
    whyNot: check.receiverTimeout,
  }),
  rateLimit: text("N/min", undefined, "Answer 429 beyond this number of requests a minute and client.", {
    read: forms.rateLimit,
    inFile: "any",
    whyNot: check.rateLimit,
  }),
  cors: list("origin", [], "Let pages of this origin call the API from a browser, `*` for pages of all; repeatable.", {
    inFile: check.loopbackAddress,
    whyNot: check.cors,
  }),
  controlToken: text(
    "T",
    undefined,
    "The control token, which `/_sandbox` then needs on loopback too; default: a random one, for other connections.",
    {
      inFile: "nothing",
      whyNot: check.controlToken,
    },
  ),
  metricsToken: text("T", undefined, "A token that reads the metrics and nothing else.", {
    inFile: "nothing",
    whyNot: check.controlToken,
  }),
  strictResponses: flag(
    "Check every response against the specification; one that breaks it becomes a 500 that says how.",
    "any",
  ),
  logBytes: number("N", 64 * 1024 * 1024, "Keep the latest N bytes of what happened in all worlds.", {
    inFile: "any",
    whyNot: check.atLeastOne,
  }),
};

const properties = Object.keys(table) as (keyof Settings)[];

/** Converts `webhookUrl` to `webhook-url`, its name on the command line. */
export const toOption = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The settings as options of the command line, each with the property that it sets. */
export const settings: readonly (Setting & { property: keyof Settings })[] = properties.map((property) => {
  const { onCommandLine, default: value, whyNot: _, read: _read, ...row } = table[property];
  return { ...row, property, name: toOption(property), default: onCommandLine ?? (value as Setting["default"]) };
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
  const what = `${check.toExcerpt(name)}${of === undefined ? "" : ` of ${of}`}`;
  return new SettingError(`There is no option ${what}.${suggest(name, known)} Known: ${known.join(", ")}.`);
}

/** Formats the name of a property in messages, as the library or the command line spells it. */
type Label = (property: string) => string;
const toProperty: Label = (property) => property;

/** Throws a SettingError when the value of a setting is rejected. Undefined stands for the default. */
function mustFit(property: keyof Settings, value: unknown, label: string): void {
  const reason = value === undefined ? undefined : table[property].whyNot(value);
  if (reason !== undefined) throw new SettingError(`${label} ${reason}`);
}

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
    mustFit(property, read, label(name));
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
      `The options are ${typeof inputs === "string" ? "the text " : ""}${check.showValue(inputs)}. Give an object such as { fixture: "empty" }, or nothing.`,
    );
  const given = checkSettings(inputs);
  return {
    ...defaults,
    ...given,
    seed: given.seed === undefined ? undefined : String(given.seed),
  };
}

/** The maximum size of a world to import: about 10,000 bookings, parsed in one piece. */
export const STATE_LIMIT = 64 * 1024 * 1024;
export const STATE_TOO_LARGE =
  "is larger than 64 MiB, and no larger world can be imported. Stop the sandbox that it comes from, copy its data file, " +
  "and start one with --data on the copy.";

export { explainKind, isLoopbackUrl, rejectChoice, showValue, toExcerpt } from "./setting-values.ts";
