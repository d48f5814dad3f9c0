// Every option of the sandbox, once: the command line, the library, the environment and the table in the README come from here.

export interface Setting {
  /** On the command line, without the dashes; the environment name is SANDBOX_ and this in capitals. */
  name: string;
  kind: "text" | "number" | "flag" | "list";
  placeholder?: string;
  default: string | number | boolean | readonly string[] | undefined;
  choices?: readonly string[];
  meaning: string;
}

export const settings = [
  { name: "port", kind: "number", placeholder: "N", default: 4010, meaning: "Port to listen on; 0 takes a free one." },
  {
    name: "host",
    kind: "text",
    placeholder: "address",
    default: "127.0.0.1",
    meaning:
      "Address to listen on. Whoever comes by another than a loopback address needs the control token for the control surface.",
  },
  {
    name: "fixture",
    kind: "text",
    placeholder: "name or path",
    default: "harbour-tours",
    meaning: "The world to begin with: a shipped fixture, or a folder.",
  },
  {
    name: "data",
    kind: "text",
    placeholder: "file",
    default: ".sandbox/world.json",
    meaning: "Where the state lives; resumed when it exists.",
  },
  { name: "memory", kind: "flag", default: false, meaning: "Keep nothing on disk." },
  { name: "fresh", kind: "flag", default: false, meaning: "Ignore the data file and replace it." },
  {
    name: "durability",
    kind: "text",
    placeholder: "os or fsync",
    default: "os",
    choices: ["os", "fsync"],
    meaning: "What a write has survived when it is answered: `os` the end of the process, `fsync` a power cut too.",
  },
  {
    name: "clock",
    kind: "text",
    placeholder: "instant",
    default: undefined,
    meaning: "Hold the clock at this instant; without it the clock runs with real time.",
  },
  {
    name: "seed",
    kind: "text",
    placeholder: "N",
    default: undefined,
    meaning: "Where generated ids start; default: the fixture's own.",
  },
  {
    name: "webhook-url",
    kind: "text",
    placeholder: "URL",
    default: undefined,
    meaning: "Subscribe this address to webhooks, and print the secret.",
  },
  {
    name: "webhook-events",
    kind: "list",
    placeholder: "a,b",
    default: [],
    meaning: "The kinds to send there; default: all.",
  },
  {
    name: "allow-public-webhooks",
    kind: "flag",
    default: false,
    meaning: "Let subscriptions that come from a fixture or an import send to public hosts.",
  },
  {
    name: "maturity",
    kind: "text",
    placeholder: "preview or production",
    default: "preview",
    choices: ["preview", "production"],
    meaning: "`production` refuses Preview areas, as the service does.",
  },
  {
    name: "audience",
    kind: "list",
    placeholder: "A",
    default: [],
    meaning: "Accept this audience in token requests too; repeatable.",
  },
  {
    name: "assume",
    kind: "list",
    placeholder: "id=value",
    default: [],
    meaning: "Take another answer to an open question about the service; repeatable.",
  },
  {
    name: "retry",
    kind: "text",
    placeholder: "standard or fast",
    default: "standard",
    choices: ["standard", "fast"],
    meaning: "`fast` divides the waits between webhook attempts by 100.",
  },
  {
    name: "rate-limit",
    kind: "text",
    placeholder: "N/min",
    default: undefined,
    meaning: "Answer 429 beyond so many requests a minute and client.",
  },
  {
    name: "cors",
    kind: "list",
    placeholder: "origin",
    default: [],
    meaning: "Let pages of this origin call the API from a browser, `*` for pages of all; repeatable.",
  },
  {
    name: "control-token",
    kind: "text",
    placeholder: "T",
    default: undefined,
    meaning: "The token of the control surface; default: a random one.",
  },
  {
    name: "strict-responses",
    kind: "flag",
    default: false,
    meaning: "Check every answer against the specification; a broken promise is a 500 that says which.",
  },
  { name: "json", kind: "flag", default: false, meaning: "Print one line of JSON when ready, and nothing else." },
  { name: "quiet", kind: "flag", default: false, meaning: "Print nothing but errors." },
] as const satisfies readonly Setting[];

/** The settings as the sandbox reads them. */
export interface Settings {
  port: number;
  host: string;
  fixture: string;
  /** Undefined: in memory. */
  data: string | undefined;
  fresh: boolean;
  durability: "os" | "fsync";
  clock: string | undefined;
  seed: string | undefined;
  webhookUrl: string | undefined;
  webhookEvents: readonly string[];
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
  strictResponses: boolean;
}

/** What is left out, or undefined, is as usual. */
export type SandboxOptions = Partial<Omit<Settings, "seed"> & { seed: number | string | undefined }>;

export const defaults: Settings = {
  port: 0,
  host: "127.0.0.1",
  fixture: "harbour-tours",
  data: undefined,
  fresh: false,
  durability: "os",
  clock: undefined,
  seed: undefined,
  webhookUrl: undefined,
  webhookEvents: [],
  allowPublicWebhooks: false,
  maturity: "preview",
  audience: [],
  assume: {},
  retry: "standard",
  rateLimit: undefined,
  cors: [],
  controlToken: undefined,
  strictResponses: false,
};

export function environmentName(name: string): string {
  return `SANDBOX_${name.replaceAll("-", "_").toUpperCase()}`;
}

/** A setting that can't be taken: what, with which value, what to do. */
export class SettingFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SettingFault";
  }
}

/** Bytes of a world that can be imported: it is held whole, several times over, while it is checked. */
export const STATE_LIMIT = 256 * 1024 * 1024;
export const STATE_TOO_LARGE =
  "is larger than 256 MiB, and no larger world can be imported. Stop the sandbox that it comes from, copy its data file, " +
  "and start one with --data on the copy.";
