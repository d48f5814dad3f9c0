// Finds the running sandbox that the library uses instead of starting one, and checks which options apply to it and to its worlds.
import { parseSandboxAddress, suggestAddress } from "../client/address.ts";
import type { Schemas } from "../contract/schemas.ts";
import { checkSettings, readSettings, type SandboxOptions, SettingError } from "../engine/settings.ts";
import { isLoopback } from "../platform/loopback.ts";

/**
 * The options of a world. Missing options are those of the sandbox, except for webhooks: a world has no subscription by default. `fixture`
 * can be a folder only if the sandbox was started with it.
 */
export interface WorldOptions
  extends Pick<SandboxOptions, "fixture" | "clock" | "seed" | "webhookUrl" | "webhookEvents"> {
  /** A new id; default: a random one. */
  id?: string | undefined;
}

const WORLD_OPTIONS = ["fixture", "clock", "seed", "webhookUrl", "webhookEvents"] as const satisfies Exclude<
  keyof WorldOptions,
  "id"
>[];

/** Converts the options to a request. Throws a SettingError for the first invalid option. */
export function toWorldInput({ id, ...options }: WorldOptions): Schemas["WorldInput"] {
  const { webhookUrl, webhookEvents, ...rest } = checkSettings(options, undefined, WORLD_OPTIONS);
  return {
    ...rest,
    ...(id === undefined ? {} : { id }),
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
    ...(webhookEvents ? { webhook_events: [...webhookEvents] } : {}),
  } as Schemas["WorldInput"];
}

/** The options of `startSandbox`: those of the command line, and the address of a running sandbox. */
export type StartOptions = SandboxOptions & {
  /**
   * Uses the sandbox that runs at this address, with `controlToken`, instead of starting one. Default: the environment variables
   * `SANDBOX_URL` and `SANDBOX_CONTROL_TOKEN`. `null` always starts a new sandbox.
   */
  url?: string | URL | null | undefined;
  /** If false, the sandbox listens on no port, has a `router` to mount in an app, and ignores `SANDBOX_URL`. Default: true. */
  listen?: boolean | undefined;
};

export interface RemoteSandbox {
  url: string;
  controlToken: string;
  /** The options of each world. */
  world: WorldOptions;
  assume: Readonly<Record<string, string>>;
  /** Settings that the running sandbox must have, because only its start can set them. */
  must: Pick<SandboxOptions, (typeof SANDBOX_OPTIONS)[number]>;
  /** The name of the option or variable with the address. */
  from: string;
  /** The id of the world whose run includes each world. */
  run: string;
}

const SANDBOX_OPTIONS = ["maturity", "retry", "receiverTimeout"] as const;
const ACCEPTED_OPTIONS: readonly string[] = [...WORLD_OPTIONS, ...SANDBOX_OPTIONS, "assume", "controlToken"];

/** Returns undefined if a sandbox must be started. Throws a SettingError for the first option that is invalid or that only a start can set. */
export function findRemoteSandbox(options: StartOptions, environment = process.env): RemoteSandbox | undefined {
  if (typeof options !== "object" || options === null) return undefined;
  const { url: given, listen, ...rest } = options;
  if (isMounted({ listen })) assertNoListenOptions(options);
  if (given === null || listen === false) return undefined;
  const address = given ?? (environment.SANDBOX_URL || undefined);
  if (address === undefined) return undefined;
  const from = given === undefined ? "SANDBOX_URL" : "url";
  const url = parseAddress(String(address), from);
  const settings = readSettings(rest);
  const chosen = Object.entries(rest).filter(([, value]) => value !== undefined);
  for (const [name] of chosen) if (!ACCEPTED_OPTIONS.includes(name)) throw rejectOption(name, url, from);
  assertReachable(settings.webhookUrl, url);
  const pickOptions = (names: readonly string[]) => Object.fromEntries(chosen.filter(([name]) => names.includes(name)));
  return {
    url,
    from,
    run: environment.SANDBOX_RUN || "default",
    assume: settings.assume,
    must: pickOptions(SANDBOX_OPTIONS),
    controlToken: settings.controlToken ?? environment.SANDBOX_CONTROL_TOKEN ?? "",
    // The defaults are those of a sandbox that the library starts.
    world: { fixture: settings.fixture, clock: "anchor", ...pickOptions(WORLD_OPTIONS) },
  };
}

/** Returns true if the sandbox is mounted in another server. */
export function isMounted({ listen }: Pick<StartOptions, "listen">): boolean {
  if (listen === undefined || typeof listen === "boolean") return listen === false;
  throw new SettingError(`listen is ${String(listen).slice(0, 100)}, which is not true or false.`);
}

const LISTEN_OPTIONS = ["url", "port", "host", "publicUrl", "database"] as const;

function assertNoListenOptions(options: StartOptions): void {
  const given = LISTEN_OPTIONS.find((name) => options[name] !== undefined && options[name] !== null);
  if (given === undefined) return;
  throw new SettingError(
    `${given} requires a sandbox with a port, and a sandbox with \`listen: false\` has none. Leave out ${given} or listen.`,
  );
}

function parseAddress(text: string, from: string): string {
  const address = parseSandboxAddress(text);
  if (address !== undefined) return address;
  throw new SettingError(
    `${from} is ${text.slice(0, 100)}, which is not a plain http address. Write it as ${suggestAddress(text)}.`,
  );
}

function rejectOption(name: string, url: string, from: string): SettingError {
  const otherwise = from === "url" ? "leave out url" : "pass `url: null`";
  return new SettingError(
    `${name} applies to a sandbox that is started here, but ${from} names a running one at ${url}. Leave out ${name}, or ${otherwise} to start one.`,
  );
}

function assertReachable(webhookUrl: string | undefined, url: string): void {
  const isLocal = (address: string) => isLoopback(new URL(address).hostname);
  if (webhookUrl === undefined || !isLocal(webhookUrl) || isLocal(url)) return;
  throw new SettingError(
    `webhookUrl is ${webhookUrl.slice(0, 100)}, an address of this machine, which the sandbox at ${url} can't reach. Use an address that it can reach, or wait for messages with webhooks.waitFor, which needs none.`,
  );
}
