// The sandbox that is used instead of one that starts here: its address, and which of the options it can take.
import { meantAddress, sandboxAddress } from "../client/address.ts";
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

export interface Elsewhere {
  url: string;
  controlToken: string;
  /** Each world begins with it. */
  world: WorldOptions;
  assume: Readonly<Record<string, string>>;
  /** What the sandbox there must have, since nobody but who starts it decides it. */
  must: Pick<SandboxOptions, (typeof OF_THE_SANDBOX)[number]>;
  /** How the address was given. */
  from: string;
  /** The world whose run each world is part of. */
  run: string;
}

const OF_A_WORLD = ["fixture", "clock", "seed", "webhookUrl", "webhookEvents"] as const;
const OF_THE_SANDBOX = ["maturity", "retry", "receiverTimeout"] as const;
const TAKEN: readonly string[] = [...OF_A_WORLD, ...OF_THE_SANDBOX, "assume", "controlToken"];

/** Undefined: one is to start here. Throws a SettingError at the first option that is rejected, or that only a start can take. */
export function elsewhere(options: StartOptions, environment = process.env): Elsewhere | undefined {
  if (typeof options !== "object" || options === null) return undefined;
  const { url: given, listen, ...rest } = options;
  if (isMounted({ listen })) mustNotListen(options);
  if (given === null || listen === false) return undefined;
  const address = given ?? (environment.SANDBOX_URL || undefined);
  if (address === undefined) return undefined;
  const from = given === undefined ? "SANDBOX_URL" : "url";
  const url = addressIn(String(address), from);
  const settings = readSettings(rest);
  const chosen = Object.entries(rest).filter(([, value]) => value !== undefined);
  for (const [name] of chosen) if (!TAKEN.includes(name)) throw onlyAtStart(name, url, from);
  mustBeReachable(settings.webhookUrl, url);
  const only = (names: readonly string[]) => Object.fromEntries(chosen.filter(([name]) => names.includes(name)));
  return {
    ...{ url, from, run: environment.SANDBOX_RUN || "default", assume: settings.assume, must: only(OF_THE_SANDBOX) },
    controlToken: settings.controlToken ?? environment.SANDBOX_CONTROL_TOKEN ?? "",
    // What is left out means the same there as here.
    world: { fixture: settings.fixture, clock: "anchor", ...only(OF_A_WORLD) },
  };
}

/** Whether it is a handler in somebody else's server. */
export function isMounted({ listen }: Pick<StartOptions, "listen">): boolean {
  if (listen === undefined || typeof listen === "boolean") return listen === false;
  throw new SettingError(`listen is ${String(listen).slice(0, 100)}, which is not true or false.`);
}

const OF_LISTENING = ["url", "port", "host", "publicUrl", "database"] as const;

function mustNotListen(options: StartOptions): void {
  const given = OF_LISTENING.find((name) => options[name] !== undefined && options[name] !== null);
  if (given === undefined) return;
  throw new SettingError(
    `${given} is for a sandbox with a port of its own, and with \`listen: false\` it has none. Leave ${given} or listen out.`,
  );
}

function addressIn(text: string, from: string): string {
  const address = sandboxAddress(text);
  if (address !== undefined) return address;
  throw new SettingError(
    `${from} is ${text.slice(0, 100)}, which is not a plain http address. Write it as ${meantAddress(text)}.`,
  );
}

function onlyAtStart(name: string, url: string, from: string): SettingError {
  const otherwise = from === "url" ? "leave url out" : "give `url: null`";
  return new SettingError(
    `${name} is for a sandbox that starts here, and ${from} names one that runs at ${url}. Leave ${name} out, or ${otherwise} to start one.`,
  );
}

function mustBeReachable(webhookUrl: string | undefined, url: string): void {
  const isLocal = (address: string) => isLoopback(new URL(address).hostname);
  if (webhookUrl === undefined || !isLocal(webhookUrl) || isLocal(url)) return;
  throw new SettingError(
    `webhookUrl is ${webhookUrl.slice(0, 100)}, an address of this machine, which the sandbox at ${url} can't reach. Give an address that it reaches, or wait for messages with webhooks.waitFor, which needs none.`,
  );
}
