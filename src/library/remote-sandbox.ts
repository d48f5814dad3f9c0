// The sandbox that is used instead of one that starts here: its address, and which of the options it can take.
import { parseSandboxAddress, suggestAddress } from "../client/address.ts";
import { readSettings, type SandboxOptions, SettingError } from "../engine/settings.ts";
import { isLoopback } from "../platform/loopback.ts";
import type { WorldOptions } from "./world-options.ts";

/** The options of the command line, and the address of a running sandbox. */
export type StartOptions = SandboxOptions & {
  /**
   * Use the sandbox that runs at this address, with `controlToken`, instead of starting one. Default: `SANDBOX_URL` and
   * `SANDBOX_CONTROL_TOKEN` of the environment, where they are set; null starts one all the same.
   */
  url?: string | URL | null | undefined;
  /** False: listens on no port, and gives a `router` to mount. It ignores `SANDBOX_URL`. Default: true. */
  listen?: boolean | undefined;
};

export interface RemoteSandbox {
  url: string;
  controlToken: string;
  /** Each world begins with it. */
  world: WorldOptions;
  assume: Readonly<Record<string, string>>;
  /** What the sandbox there must have, since nobody but who starts it decides it. */
  must: Pick<SandboxOptions, (typeof SANDBOX_OPTIONS)[number]>;
  /** How the address was given. */
  from: string;
  /** The world whose run each world is part of. */
  run: string;
}

const WORLD_OPTIONS = ["fixture", "clock", "seed", "webhookUrl", "webhookEvents"] as const;
const SANDBOX_OPTIONS = ["maturity", "retry", "receiverTimeout"] as const;
const ACCEPTED_OPTIONS: readonly string[] = [...WORLD_OPTIONS, ...SANDBOX_OPTIONS, "assume", "controlToken"];

/** Undefined: one is to start here. Throws a SettingError at the first option that is rejected, or that only a start can take. */
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
    // What is left out means the same there as here.
    world: { fixture: settings.fixture, clock: "anchor", ...pickOptions(WORLD_OPTIONS) },
  };
}

/** Whether it is a handler in somebody else's server. */
export function isMounted({ listen }: Pick<StartOptions, "listen">): boolean {
  if (listen === undefined || typeof listen === "boolean") return listen === false;
  throw new SettingError(`listen is ${String(listen).slice(0, 100)}, which is not true or false.`);
}

const LISTEN_OPTIONS = ["url", "port", "host", "publicUrl", "database"] as const;

function assertNoListenOptions(options: StartOptions): void {
  const given = LISTEN_OPTIONS.find((name) => options[name] !== undefined && options[name] !== null);
  if (given === undefined) return;
  throw new SettingError(
    `${given} is for a sandbox with a port of its own, and with \`listen: false\` it has none. Leave ${given} or listen out.`,
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
  const otherwise = from === "url" ? "leave url out" : "give `url: null`";
  return new SettingError(
    `${name} is for a sandbox that starts here, and ${from} names one that runs at ${url}. Leave ${name} out, or ${otherwise} to start one.`,
  );
}

function assertReachable(webhookUrl: string | undefined, url: string): void {
  const isLocal = (address: string) => isLoopback(new URL(address).hostname);
  if (webhookUrl === undefined || !isLocal(webhookUrl) || isLocal(url)) return;
  throw new SettingError(
    `webhookUrl is ${webhookUrl.slice(0, 100)}, an address of this machine, which the sandbox at ${url} can't reach. Give an address that it reaches, or wait for messages with webhooks.waitFor, which needs none.`,
  );
}
